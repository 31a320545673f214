// What the compiler and the user's flags decide: version, host/device marks, inlining, the name of the kernel build.
#pragma once
#include <cstdint>

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "tt: -ffast-math (-ffinite-math-only) removes the NaN and infinity that kernels rely on; build without it"
#endif

#define TT_VERSION_MAJOR 0
#define TT_VERSION_MINOR 1
#define TT_VERSION_PATCH 0

/// Marks what also runs on a CUDA device.
#ifdef __CUDACC__
#define TT_HD __host__ __device__
#else
#define TT_HD
#endif

/// Kernel bodies must dissolve into their loop, at -O0 and -Og too.
#define TT_INLINE inline __attribute__((always_inline))
/// Code below the typed face: one copy, not one in each caller.
#define TT_NOINLINE __attribute__((noinline))

// Everything whose meaning depends on -m flags or OpenMP lives in an inline namespace named after them, so that files
// built with different flags link together; public types never do.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define TT_ISA avx512
#define TT_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define TT_ISA avx2
#define TT_VECTOR_BYTES 32
#elif defined(__AVX__)
#define TT_ISA avx
#define TT_VECTOR_BYTES 32
#else
#define TT_ISA base
#define TT_VECTOR_BYTES 16
#endif
#ifdef _OPENMP
#define TT_THREADING omp
#else
#define TT_THREADING serial
#endif
#define TT_JOIN_(a, b) a##_##b
#define TT_JOIN(a, b) TT_JOIN_(a, b)
#define TT_KERNEL_BUILD TT_JOIN(TT_ISA, TT_THREADING)

namespace tt {

/// Extents, strides and counts, in elements. Signed, so that differences and the marks `dyn` and named axes fit.
using index_t = std::int64_t;

/// The largest number of axes a tensor can have.
inline constexpr int max_rank = 16;

}  // namespace tt
