#!/usr/bin/env python3
"""Checks the code that nvcc makes of map kernels: wide loads and stores, no division, nothing spilled.

usage: map_code.py NVCC HOST_COMPILER INCLUDE_FOLDER. Exit code 1 if something is not as it should be.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = """
#pragma nv_diag_suppress 821  // inline functions of core that layers above define
#include <tt/cuda/map.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/hyperbolic.hpp>
using namespace tt;
using gpu::map_elements, gpu::map_packets;
using P = prog::op<ops::tanh, prog::op<ops::add, prog::op<ops::mul, prog::copy, prog::copy>, prog::copy>>;
template <class Stored> using Packets = gpu::PacketMap<Stored, P::leaves>;
template <class Index> using Elements = gpu::ElementMap<float, Index, P::leaves>;
template __global__ void map_packets<P, float, float>(Packets<float>);
template __global__ void map_packets<P, float, half>(Packets<float>);
template __global__ void map_packets<P, float, bfloat16>(Packets<float>);
template __global__ void map_packets<P, double, double>(Packets<double>);
template __global__ void map_elements<P, float, std::uint32_t>(Elements<std::uint32_t>);
template __global__ void map_elements<P, float, std::uint64_t>(Elements<std::uint64_t>);
"""

# What the mangled name of a kernel ends its template arguments with, and what its PTX must (not) have: counts at least.
KERNELS = {
    "map_packets of float": (r"map_packets.*EffEEv", {r"ld\.global\.v4\.f32": 3, r"st\.global\.v4\.f32": 1}),
    "map_packets of half": (r"map_packets.*fNS_4halfEEEv", {r"ld\.global\.v4\.\w+32": 3, r"st\.global\.v4\.\w+32": 1}),
    "map_packets of bfloat16": (r"map_packets.*fNS_8bfloat16EEEv",
                                {r"ld\.global\.v4\.\w+32": 3, r"st\.global\.v4\.\w+32": 1}),
    "map_packets of double": (r"map_packets.*EddEEv", {r"ld\.global\.v2\.f64": 3, r"st\.global\.v2\.f64": 1}),
    "map_elements in 32 bits": (r"map_elements.*EfjEEv", {r"mul\.wide\.u32|mul\.hi\.u32": 1}),
    "map_elements in 64 bits": (r"map_elements.*EfmEEv", {}),
}
FORBIDDEN = {"map_elements in 32 bits": r"\b(div|rem)\.[us](32|64)"}


def nvcc(arguments):
    result = subprocess.run(arguments, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(arguments)}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def main():
    compiler, host, include = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        source, ptx, cubin = (Path(folder) / name for name in ["map.cu", "map.ptx", "map.cubin"])
        source.write_text(SOURCE)
        common = [compiler, "-std=c++20", "-arch=sm_90", "-ccbin", host, f"-I{include}", str(source)]
        nvcc([*common, "-ptx", "-o", str(ptx)])
        report = nvcc([*common, "-cubin", "-Xptxas", "-v", "-o", str(cubin)])
        bodies = dict(re.findall(r"\.entry (\w+)\((.*?)\n}", ptx.read_text(), re.DOTALL))
    spills = dict(re.findall(r"Function properties for (\w+)\n(.*)", report))
    registers = dict(re.findall(r"Compiling entry function '(\w+)'(?:.*\n)*?.*Used (\d+) registers", report))
    faults = 0
    for kernel, (name, wanted) in KERNELS.items():
        found = [entry for entry in bodies if re.search(name, entry)]
        problems = [] if len(found) == 1 else [f"{len(found)} kernels have this name"]
        for entry in found:
            problems += [f"fewer than {count} of {pattern}" for pattern, count in wanted.items()
                         if len(re.findall(pattern, bodies[entry])) < count]
            if kernel in FORBIDDEN and re.search(FORBIDDEN[kernel], bodies[entry]):
                problems.append("divides")
            if not re.search(r"\b0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", spills.get(entry, "")):
                problems.append("spills: " + spills.get(entry, "not reported").strip())
        used = registers.get(found[0], "?") if found else "?"
        print(f"{kernel:26} {used:>3} registers  {'; '.join(problems) or 'as it should be'}")
        faults += len(problems)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
