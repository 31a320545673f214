#!/usr/bin/env python3
"""Checks the code that nvcc makes of reductions: wide loads, no division, nothing spilled.

usage: reduce_code.py NVCC HOST_COMPILER INCLUDE_FOLDER. Exit code 1 if something is not as it should be.
"""
import sys

sys.dont_write_bytecode = True
import map_code  # noqa: E402

map_code.SOURCE = """
#pragma nv_diag_suppress 821  // inline functions of core that layers above define
#include <tt/cuda/reduce.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/reductions.hpp>
using namespace tt;
using gpu::reduce_elements, gpu::join_parts;
using Sum = gpu::ValueJoin<ops::sum, float>;
using Complex = gpu::ValueJoin<ops::sum, std::complex<double>>;
using Place = gpu::PlaceJoin<ops::argmax, float>;
using Leaf = prog::copy;
using Product = prog::op<ops::mul, Leaf, Leaf>;
using Exp = prog::op<ops::exp, Leaf>;
using Six = prog::op<ops::mul, prog::op<ops::div, Product, Product>, Product>;
template <class Join, class Index, int Leaves> using Of = gpu::Reduction<Join, Index, Leaves>;
template __global__ void reduce_elements<Leaf, Sum, std::uint32_t>(Of<Sum, std::uint32_t, 1>);
template __global__ void reduce_elements<Leaf, Sum, std::uint64_t>(Of<Sum, std::uint64_t, 1>);
template __global__ void reduce_elements<Product, Sum, std::uint32_t>(Of<Sum, std::uint32_t, 2>);
template __global__ void reduce_elements<Exp, Sum, std::uint32_t>(Of<Sum, std::uint32_t, 1>);
template __global__ void reduce_elements<Six, Sum, std::uint32_t>(Of<Sum, std::uint32_t, 6>);
template __global__ void reduce_elements<Leaf, Complex, std::uint32_t>(Of<Complex, std::uint32_t, 1>);
template __global__ void reduce_elements<Leaf, Place, std::uint32_t>(Of<Place, std::uint32_t, 1>);
template __global__ void join_parts<Sum>(gpu::PartJoin<Sum>);
"""

FLOATS = {r"ld\.global\.v4\.f32": 2, r"ld\.global\.v4\.\w+32": 4}  # eight of float; of half and bfloat16 too
LEAF = r"reduce_elementsINS_4prog4leaf.*"
map_code.KERNELS = {
    "sum in 32 bits": (LEAF + "3sumEfEEjEEv", FLOATS),
    "sum in 64 bits": (LEAF + "3sumEfEEmEEv", FLOATS),
    "sum of products": ("reduce_elementsINS_4prog2opINS_3ops3mulEJNS2_4leaf.*3sumEfEEjEEv",
                        {r"ld\.global\.v4\.f32": 4}),
    "sum of exponentials": ("reduce_elements.*3exp.*3sumEfEEjEEv", FLOATS),
    "sum over six leaves": ("reduce_elements.*3div.*3sumEfEEjEEv", {r"ld\.global\.v4\.f32": 12}),
    "sum of complex numbers": (LEAF + "7complexIdEEEjEEv", {r"ld\.global\.v2\.f64": 4}),
    "argmax": (LEAF + "6argmaxEfEEjEEv", FLOATS),
    "second pass of a sum": ("join_parts.*3sumEfEEEEv", {}),
}
map_code.FORBIDDEN = {kernel: r"\b(div|rem)\.[us](32|64)" for kernel in map_code.KERNELS if "64 bits" not in kernel}

# A product is rounded before it is summed, whichever way its elements were read: joined in one rounding in one of them
# only, layouts would differ.
map_code.FORBIDDEN["sum of products"] += r"|fma\.rn\.f32"

if __name__ == "__main__":
    sys.exit(map_code.main())
