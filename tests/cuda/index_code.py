#!/usr/bin/env python3
"""Checks the code that nvcc makes of indexing: rows move by 16 bytes, no division, nothing spilled.

usage: index_code.py NVCC HOST_COMPILER INCLUDE_FOLDER. Exit code 1 if something is not as it should be.
"""
import sys

sys.dont_write_bytecode = True
import map_code  # noqa: E402

map_code.SOURCE = """
#pragma nv_diag_suppress 821  // inline functions of core that layers above define
#include <tt/cuda/index.hpp>
#include <tt/cuda/index_positions.hpp>
namespace tt::gpu::detail {
using Wide = Packet<std::uint64_t, 2>;
template __global__ void take_kernel<Wide, std::uint32_t>(const Wide*, Wide*, Take<std::uint32_t>);
template __global__ void take_kernel<Wide, std::uint64_t>(const Wide*, Wide*, Take<std::uint64_t>);
template __global__ void take_kernel<std::uint16_t, std::uint32_t>(const std::uint16_t*, std::uint16_t*,
                                                                   Take<std::uint32_t>);
template __global__ void place_kernel<std::uint32_t>(IndexOfAxis, Axes<std::uint32_t, 4>, std::uint32_t, index_t*,
                                                     index_t*);
}
"""

WIDE = {r"ld\.global\.v2\.\w+64": 1, r"st\.global\.v2\.\w+64": 1}
map_code.KERNELS = {
    "rows in 32 bits": ("take_kernelINS0_6Packet.*jEEv", WIDE),
    "rows in 64 bits": ("take_kernelINS0_6Packet.*mEEv", WIDE),
    "elements of 2 bytes": ("take_kernelItjEEv", {r"ld\.global\.\w16": 1, r"st\.global\.\w16": 1}),
    "positions": ("place_kernelIjEEv", {r"mul\.wide\.u32|mul\.hi\.u32": 1}),
}
map_code.FORBIDDEN = {kernel: r"\b(div|rem)\.[us](32|64)" for kernel in map_code.KERNELS if "64 bits" not in kernel}

if __name__ == "__main__":
    sys.exit(map_code.main())
