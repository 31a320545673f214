#!/usr/bin/env python3
"""What tt costs to compile: user seconds of translation units as multiples of one with <Eigen/Core> alone.

  compile.py [--cxx g++] [--repeat 3] [--only REGEX] [--include FOLDER ...] [--instructions] [--strict] [--slack 0.02]

All units are compiled in turn, `--repeat` times, at -O2; the minimum counts. "Each further" is (11 of a kind - 1) / 10.
With --instructions, cachegrind counts those of the compiler once instead: slow, but the same whatever else the machine does.
With --strict it exits with 1 if a goal is missed by more than the slack, by which machines and compilers' builds differ.
"""
import argparse
import os
import re
import string
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
MANY = 11


def expression(i):
    """The i-th of 54 expressions of five operations: no two have one program."""
    outer, inner, op = ("tanh", "exp", "sigmoid")[i % 3], ("square", "abs", "relu")[i // 3 % 3], ("*+-", "+*-", "*-+", "+-*", "-*+", "-+*")[i // 9]
    return f"{outer}({inner}(a {op[0]} b {op[1]} c) {op[2]} d)"


def expressions(count):
    return {"count": count, "functions": "\n".join(
        f"void f{i}(Leaf a, Leaf b, Leaf c, Leaf d, Plain g) {{\n  tt::Tensor y = {expression(i)};\n  tt::backward(y, g);\n}}"
        for i in range(count))}


def ranks(count):
    return {"count": count, "functions": "\n".join(
        f"void f{r}(Leaf<{r}> a, Leaf<{r}> b, Leaf<{r}> c, Leaf<{r}> d, Plain<{r}> g) {{\n  tt::Tensor y = {expression(0)};\n"
        f"  tt::backward(y, g);\n}}" for r in range(1, count + 1))}


def layers(count):
    chain = "x"
    for i in range(count):
        chain = f"relu(fc{i}({chain}))"
    return {"count": count, "width": 64 + count, "chain": chain, "names": ", ".join(f"fc{i}" for i in range(count)),
            "members": "\n".join(f"  tt::nn::Linear<{64 + i}, {65 + i}> fc{i};" for i in range(count))}


FAMILIES = {"expressions": expressions, "layers": layers, "ranks": ranks}
# Unit, or family of which one more is meant; what it may take, as a multiple of Eigen's; MB.
GOALS = [("tensor", 1.5, None), ("train", 5, 450), ("predict", 3, None), ("expressions", 0.25, None), ("layers", 0.06, None), ("ranks", 0.06, None)]
NAMES = {"tensor": "<tt/tensor.hpp>, empty", "train": "MLP training", "predict": "MLP that only predicts",
         "expressions": "each further 5-op expression, with backward", "layers": "each further size of nn::Linear, trained",
         "ranks": "each further rank of an expression, with backward"}


def write_units(folder, goals):
    """{name: file}, Eigen's first."""
    units = {"eigen_core": HERE / "eigen_core.cpp"}
    for name, *_ in goals:
        if name not in FAMILIES:
            units[name] = HERE / f"{name}.cpp"
            continue
        template = string.Template((HERE / f"{name}.cpp.in").read_text())
        for count in (1, MANY):
            units[f"{name}/{count}"] = folder / f"{name}_{count}.cpp"
            units[f"{name}/{count}"].write_text(template.substitute(FAMILIES[name](count)))
    return units


def command_of(o):
    folders = o.include or [str(HERE.parents[1] / "include"), "/usr/include/eigen3"]
    return [o.cxx, "-std=c++20", "-O2", *("-I" + f for f in folders)]


def compile_unit(o, file, to):
    """(user seconds, MB, bytes of the object)."""
    process = subprocess.Popen(command_of(o) + ["-c", str(file), "-o", str(to)], env=os.environ | {"CCACHE_DISABLE": "1"})
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{file} does not compile")
    return used.ru_utime, used.ru_maxrss / 1024, to.stat().st_size


def count_instructions(o, file, folder):
    """(10^9 instructions of the compiler, nothing, bytes of the assembly)."""
    count, to = folder / (file.stem + ".count"), folder / (file.stem + ".s")
    tool = f"valgrind,--tool=cachegrind,--cache-sim=no,--cachegrind-out-file=/dev/null,--log-file={count}"
    subprocess.run(command_of(o) + ["-S", str(file), "-o", str(to), "-wrapper", tool], check=True)
    refs = re.search(r"I\s+refs:\s+([\d,]+)", count.read_text()).group(1)
    return int(refs.replace(",", "")) / 1e9, 0, to.stat().st_size


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--only", default=".", help="regular expression over the units' names")
    p.add_argument("--include", action="append", help="folders of tt and Eigen, instead of the usual ones")
    p.add_argument("--instructions", action="store_true")
    p.add_argument("--strict", action="store_true")
    p.add_argument("--slack", type=float, default=0)
    o = p.parse_args()
    goals = [g for g in GOALS if re.search(o.only, g[0])]
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        units = write_units(Path(folder), goals)
        if o.instructions:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                best = dict(zip(units, threads.map(lambda file: count_instructions(o, file, Path(folder)), units.values())))
        for i in range(0 if o.instructions else o.repeat):
            for name, file in units.items():
                best[name] = min(best.get(name, (float("inf"),)), compile_unit(o, file, Path(folder) / "unit.o"))
            print(f"repetition {i + 1} of {o.repeat}", file=sys.stderr)
    eigen = best["eigen_core"][0]
    print(f"| translation unit | {'10^9 instructions' if o.instructions else 'user s'} | x of Eigen/Core | MB | {'assembly' if o.instructions else 'object'} KB | goal | |\n" + "|---" * 7 + "|")
    print(f"| <Eigen/Core>, empty | {eigen:.2f} | 1.00 | {best['eigen_core'][1]:.0f} | {best['eigen_core'][2] / 1000:.1f} | | |")
    missed, failed = 0, 0
    for name, most, most_mb in goals:
        if name in FAMILIES:
            one, many = best[f"{name}/1"], best[f"{name}/{MANY}"]
            seconds, mb, size = ((b - a) / (MANY - 1) for a, b in zip(one, many))
        else:
            seconds, mb, size = best[name]
        met = seconds / eigen <= most and (most_mb is None or mb <= most_mb)
        missed += not met
        failed += seconds / eigen > most * (1 + o.slack) or (most_mb is not None and mb > most_mb)
        goal = f"{most:g}" + (f", {most_mb} MB" if most_mb else "")
        print(f"| {NAMES[name]} | {seconds:.3f} | {seconds / eigen:.3f} | {mb:.1f} | {size / 1000:.1f} | {goal} | {'met' if met else 'MISSED'} |")
    print(f"\n{missed} goals missed")
    return 1 if o.strict and failed else 0


if __name__ == "__main__":
    sys.exit(main())
