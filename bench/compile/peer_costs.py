#!/usr/bin/env python3
"""What peers cost their users: compiler CPU seconds and memory, size of the executable, time to the first result.

  peer_costs.py [--torch .../site-packages/torch] [--cxx g++] [--only REGEX] [--out costs.jsonl]

One JSON object a line, for -O2 and for -O3 -march=native. CPU seconds (user and system), not wall, so that a loaded machine
distorts less; compiler_mb is the peak of the largest child. Units whose library is not here fail and say so.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TORCH = re.compile("^torch")


def flags(name, torch):
    """(compiler's, linker's) for a unit."""
    include = [HERE.parent / "peers/include", HERE.parents[1] / "include", "/usr/include/eigen3"]
    link = []
    if TORCH.match(name):
        include += [f"{torch}/include", f"{torch}/include/torch/csrc/api/include"]
        link += [f"{torch}/lib/libtorch_cpu.so", f"{torch}/lib/libc10.so", f"-Wl,-rpath,{torch}/lib"]
    if name.startswith("arma"):
        link += ["-larmadillo"]
    return [f"-I{folder}" for folder in include], link


def measured(command):
    """(whether it succeeded, CPU seconds, peak MB)."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"CCACHE_DISABLE": "1"})
    _, status, used = os.wait4(process.pid, 0)
    return status == 0, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def cost(name, source, level, o, folder):
    exe = f"{folder}/unit"
    compiling, linking = flags(name, o.torch)
    ok, seconds, mb = measured([o.cxx, "-std=c++20", "-DNDEBUG", *level, *compiling, str(source), "-o", exe, *linking])
    row = {"unit": name, "cxx": o.cxx, "flags": " ".join(level), "ok": ok, "cpu_s": round(seconds, 2), "compiler_mb": round(mb)}
    if ok:
        subprocess.run(["strip", exe], check=True)
        runs = [measured([exe]) for _ in range(7)]
        row |= {"exe_kb": round(os.path.getsize(exe) / 1024), "run_cpu_ms": round(1e3 * min(r[1] for r in runs), 1)}
    return row


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--torch", help="torch's folder in a Python installation; without it its units are left out")
    p.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    p.add_argument("--only", default=".", help="regular expression over the units' names")
    p.add_argument("--out", help="file to append the rows to")
    o = p.parse_args()
    units = {f.stem: f for f in sorted((HERE / "peers").glob("*.cpp"))} | {"tt_mlp": HERE / "train.cpp"}
    out = open(o.out, "a") if o.out else None
    for name, source in units.items():
        if not re.search(o.only, name) or (TORCH.match(name) and not o.torch):
            continue
        for level in (["-O2"], ["-O3", "-march=native"]):
            with tempfile.TemporaryDirectory() as folder:
                row = json.dumps(cost(name, source, level, o, folder))
            print(row, flush=True)
            if out:
                print(row, file=out, flush=True)


if __name__ == "__main__":
    main()
