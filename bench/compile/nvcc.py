#!/usr/bin/env python3
"""What kernels cost to compile: user seconds of nvcc for units with <tt/cuda.hpp>, for one architecture.

  nvcc.py [--nvcc nvcc] [--cxx g++] [--repeat 3] [--arch sm_90] [--only REGEX] [--include FOLDER ...]

All units are compiled in turn, `--repeat` times, at -O2. "Each further" is (11 of a kind - 1) / 10: of the minima, and
the median of what repetitions give. It is held against a unit with <tt/cuda.hpp> alone; goals are in seconds, for the
minimum.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from compile import MANY, expression

LEAVES = """#include <tt/cuda.hpp>
using Plain = tt::Tensor<float, tt::Shape<tt::dyn>, tt::cuda>;
using Leaf = tt::Variable<float, tt::Shape<tt::dyn>, tt::cuda>;
"""


def kernel(i):
    """One instance of map_packets: a program of four ops that no other has."""
    ops = ("tanh", "exp", "sigmoid", "square", "abs")
    outer, inner = ops[i % 5], ops[i // 5 % 5]
    program = (f"prog::op<ops::{outer}, prog::op<ops::mul, prog::op<ops::{inner}, "
               "prog::op<ops::add, prog::copy, prog::copy>>, prog::copy>>")
    return (f"using P{i} = {program};\n"
            f"template __global__ void gpu::map_packets<P{i}, float, float>(gpu::PacketMap<float, 3>);\n")


def evaluated(i):
    return f"void f{i}(Plain a, Plain b, Plain c, Plain d) {{ tt::Tensor y = {expression(i)}; }}\n"


def derived(i):
    return (f"void f{i}(Leaf a, Leaf b, Leaf c, Leaf d, Plain g) {{\n  tt::Tensor y = {expression(i)};\n"
            "  tt::backward(y, g);\n}\n")


# Head of a unit, what stands in it several times, what one more is called, its goal in seconds.
FAMILIES = {
    "kernel": (LEAVES + "using namespace tt;\n", kernel, "each further map kernel, one instance", 0.1),
    "evaluated": (LEAVES, evaluated, "each further 5-op expression: 5 map kernels", None),
    "derived": (LEAVES, derived, "each further 5-op expression, with backward: 7 kernels", 0.5),
}


def write_units(folder, only):
    units = {"empty": LEAVES}
    for name, (head, make, *_) in FAMILIES.items():
        if re.search(only, name):
            units |= {(name, count): head + "".join(map(make, range(count))) for count in (1, MANY)}
    for i, (name, text) in enumerate(units.items()):
        units[name] = folder / f"unit{i}.cu"
        units[name].write_text(text)
    return units


def compile_unit(o, file):
    """User seconds of nvcc and all that it calls."""
    folders = o.include or [str(Path(__file__).resolve().parents[2] / "include")]
    command = [o.nvcc, "-std=c++20", "-O2", f"-arch={o.arch}", "-ccbin", o.cxx, "-diag-suppress=20014",
               *("-I" + f for f in folders), "-isystem", "/usr/include/eigen3",
               "-c", str(file), "-o", str(file.with_suffix(".o"))]
    process = subprocess.Popen(command, env=os.environ | {"CCACHE_DISABLE": "1"})
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{file} does not compile")
    return used.ru_utime


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--cxx", default="g++")
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--arch", default="sm_90")
    p.add_argument("--only", default=".", help="regular expression over kernel, evaluated, derived")
    p.add_argument("--include", action="append", help="folders of tt and Eigen, instead of the usual ones")
    o = p.parse_args()
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        units = write_units(Path(folder), o.only)
        for i in range(o.repeat):
            for name, file in units.items():
                seconds.setdefault(name, []).append(compile_unit(o, file))
            print(f"repetition {i + 1} of {o.repeat}", file=sys.stderr)
    empty = min(seconds["empty"])
    print("| nvcc | user s, min / median | x of <tt/cuda.hpp> | goal | |\n|---|---|---|---|---|")
    print(f"| <tt/cuda.hpp>, empty | {empty:.2f} / {statistics.median(seconds['empty']):.2f} | 1.00 | | |")
    for name, (_, _, title, goal) in FAMILIES.items():
        if (name, 1) not in seconds:
            continue
        each = [(many - one) / (MANY - 1) for one, many in zip(seconds[name, 1], seconds[name, MANY])]
        least = (min(seconds[name, MANY]) - min(seconds[name, 1])) / (MANY - 1)
        verdict = "" if goal is None else "met" if least <= goal else "MISSED"
        goal = "" if goal is None else f"{goal:g} s"
        print(f"| {title} | {least:.3f} / {statistics.median(each):.3f} | {least / empty:.3f} | {goal} | {verdict} |")


if __name__ == "__main__":
    main()
