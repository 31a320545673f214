#!/usr/bin/env python3
"""What nvcc makes of each kind of kernel, for three architectures: registers, and faults in the code.

usage: kernel_report.py NVCC HOST_COMPILER INCLUDE_FOLDER

Compiles kernel_report.cu beside it and prints a table. Exit code 1 if a kernel uses a stack or spills registers and
ALLOWED does not say why, if RULES about its PTX do not hold, or if a header has a kernel that the file lacks. PTX, not
machine code: a disassembler is not part of the compiler.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ARCHITECTURES = ["80", "90", "120"]

# Bytes of stack, of stores and of loads that spill, at most, of a kernel; and why.
ALLOWED = {
    "draw_kernel normal<float>": ((32, 0, 0), "CUDA's sin and cos keep digits of 2/pi there, for angles above 10^5"),
}

WIDE, STORE = r"ld\.global\.v4\.\w+32", r"st\.global\.v4\.\w+32"                # 128 bits
PAIR, STORE_PAIR = r"ld\.global\.v[24]\.\w+64", r"st\.global\.v[24]\.\w+64"   # 128 bits, from sm_100 on 256 too
DIVISION = r"\b(div|rem)\.[us](32|64)"
FUSED = r"fma\.rn\.f32"

# Of kernels whose names match: what their PTX has so often at least, and what it has not. A product is rounded before
# it is summed, whichever way its elements were read: were it fused in one of them only, layouts would differ.
RULES = [
    (r"^map_packets .*(float|half|bfloat16)$", {WIDE: 3, STORE: 1}, None),
    (r"^map_packets .* double$", {PAIR: 3, STORE_PAIR: 1}, None),
    (r"^(map_elements|map_gradients|place_kernel) .*u32$", {r"mul\.wide\.u32|mul\.hi\.u32": 1}, DIVISION),
    (r"^reduce_elements (x|exp\(x\)), (sum|argmax) float, ", {r"ld\.global\.v4\.f32": 2, WIDE: 4}, None),
    (r"^reduce_elements mul\(x, x\), sum float, ", {r"ld\.global\.v4\.f32": 4}, FUSED),
    (r"^reduce_elements mul\(div.*, sum float, ", {r"ld\.global\.v4\.f32": 12}, None),
    (r"^reduce_elements .* complex<double>, ", {PAIR: 2}, None),
    (r"^reduce_elements .* u32$", {}, DIVISION),
    (r"^join_parts ", {}, DIVISION),
    (r"^(move|take)_kernel .* u32$", {}, DIVISION),
    (r"^take_kernel 16 bytes, ", {PAIR: 1, STORE_PAIR: 1}, None),
    (r"^take_kernel u16, ", {r"ld\.global\.\w16": 1, r"st\.global\.\w16": 1}, None),
    (r"^(places|put)_kernel .*u32$", {}, DIVISION),
    (r"^update_kernel AdamUpdate", {WIDE: 4, STORE: 3}, None),
    (r"^draw_kernel ", {STORE: 1}, None),
]


def run(arguments, text=None):
    result = subprocess.run(arguments, input=text, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def short_name(demangled):
    """Without what does not tell kernels apart: map_packets exp(x), float, float"""
    name = re.sub(r"^void ", "", demangled)
    name = re.sub(r"leaf<\w+>", "x", name)
    name = re.sub(r"\(tt::gpu::softmax_kind\)0", "softmax", re.sub(r"\(tt::gpu::softmax_kind\)1", "log_softmax", name))
    name = name.replace(" >", ">").replace("unsigned int", "u32").replace("unsigned long", "u64")
    name = name.replace("unsigned char", "u8").replace("unsigned short", "u16")
    name = re.sub(r"\b[a-z]\w*::", "", name)
    name = re.sub(r"Packet<u64, 2>|word16", "16 bytes", name)
    depth = 0
    for at, letter in enumerate(name):  # without the parameters
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            name = name[:at]
            break
    before = None
    while name != before:
        before = name
        name = re.sub(r"\bop<(\w+), ([^<>]*)>", r"\1(\2)", name)
    name = re.sub(r"(?:Value|Place)Join<(\w+), (complex<\w+>|\w+)>", r"\1 \2", name)
    return re.sub(r"^(\w+)<(.*)>$", r"\1 \2", name)


def kernels_of(report):
    """{mangled name: {architecture: (registers, (stack, stores, loads))}}"""
    found = {}
    for part in report.split("Compiling entry function ")[1:]:
        name, architecture = re.match(r"'(\w+)' for 'sm_(\w+)'", part).groups()
        memory = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups()
        registers = re.search(r"Used (\d+) registers", part).group(1)
        found.setdefault(name, {})[architecture] = (int(registers), tuple(map(int, memory)))
    return found


def bodies_of(ptx):
    """{mangled name: text}"""
    return dict(re.findall(r"\.entry (\w+)\((.*?)\n}", ptx, re.DOTALL))


def faults_of_code(name, body):
    for pattern, wanted, forbidden in RULES:
        if not re.search(pattern, name):
            continue
        for what, count in wanted.items():
            if len(re.findall(what, body)) < count:
                yield f"fewer than {count} of {what}"
        if forbidden and re.search(forbidden, body):
            yield f"has {forbidden}"


def kernels_in_headers(include):
    """Names of all kernels in the headers, but for those that only the tests' executor has."""
    for header in sorted(Path(include, "tt", "cuda").glob("*.hpp")):
        text = re.sub(r"#ifdef TT_CUDA_SIM\n.*?#(else|endif)", "", header.read_text(), flags=re.DOTALL)
        text = re.sub(r"__launch_bounds__\((?:[^()]|\([^()]*\))*\)", "", text)
        yield from re.findall(r"__global__\s+(?:static\s+)?void\s+(\w+)\(", text)


def main():
    compiler, host, include = sys.argv[1:]
    source = Path(__file__).with_suffix(".cu")
    with tempfile.TemporaryDirectory() as folder:
        targets = [word for a in ARCHITECTURES for word in ("-gencode", f"arch=compute_{a},code=sm_{a}")]
        report = run([compiler, "-std=c++20", "-fatbin", *targets, "-ccbin", host, f"-I{include}", "-Xptxas", "-v",
                      "-keep", "-keep-dir", folder, source, "-o", Path(folder, "kernels.fatbin")])
        bodies = {a: bodies_of(next(Path(folder).glob(f"*.compute_{a}.ptx")).read_text()) for a in ARCHITECTURES}
    kernels = {name: used for name, used in kernels_of(report).items() if "2tt3gpu" in name}
    names = dict(zip(kernels, map(short_name, run(["c++filt"], "\n".join(kernels)).split("\n"))))
    width = max(map(len, names.values()))
    print(f"{'registers':{width}} " + " ".join(f"sm_{a:>3}" for a in ARCHITECTURES))
    faults = []
    for mangled, name in sorted(names.items(), key=lambda pair: pair[1]):
        print(f"{name:{width}} " + " ".join(f"{kernels[mangled].get(a, ['?'])[0]:>6}" for a in ARCHITECTURES))
        for a in ARCHITECTURES:
            if a not in kernels[mangled] or mangled not in bodies[a]:
                faults.append(f"{name}, sm_{a}: not reported")
                continue
            used = kernels[mangled][a][1]
            most = ALLOWED.get(name, ((0, 0, 0), ""))[0]
            if any(u > m for u, m in zip(used, most)):
                faults.append(f"{name}, sm_{a}: stack, spill stores, spill loads of {used} bytes")
            faults += [f"{name}, sm_{a}: {fault}" for fault in faults_of_code(name, bodies[a][mangled])]
    patterns = [rule[0] for rule in RULES] + [f"^{re.escape(name)}$" for name in ALLOWED]
    faults += [f"no kernel is named {pattern}" for pattern in patterns
               if not any(re.search(pattern, name) for name in names.values())]
    compiled = {name.split()[0] for name in names.values()}
    declared = set(kernels_in_headers(include))
    faults += [f"kernel_report.cu lacks {name}" for name in sorted(declared - compiled)]
    faults += [f"not found in the headers: {name}" for name in sorted(compiled - declared)]
    for name, (most, why) in ALLOWED.items():
        print(f"{name} may use {most[0]} bytes of stack: {why}")
    print("\n".join(faults) or f"{len(names)} kernels: nothing spilled, wide loads, no division where none is to be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
