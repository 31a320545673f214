// Which compiler reads a file with CUDA in it, and the few spellings of kernels that depend on that:
//   nvcc, clang -x cuda   device code (TT_CUDA_KERNELS 1)
//   TT_CUDA_SIM           the tests' executor runs the same kernels on the host (TT_CUDA_KERNELS 1)
//   any other             host code only: storage, copies, streams, launches of kernels compiled elsewhere
//
// Names stand in tt::gpu, since tt::cuda is the tag of the device in a tensor's type, as tt::cpu is.
#pragma once
#include <tt/core/config.hpp>

#include <cuda_runtime.h>

#if defined(__CUDACC__) || (defined(__clang__) && defined(__CUDA__))
#define TT_CUDA_KERNELS 1

/// `TT_SHARED(float, part, 32);` declares part, an array of the block.
#define TT_SHARED(type, name, count) __shared__ type name[count]

/// `TT_DYN_SHARED(float, tile);` declares tile, a pointer to the bytes that the launch asks for, aligned to 16.
#define TT_DYN_SHARED(type, name)                                       \
  extern __shared__ __align__(16) unsigned char tt_dynamic_shared[];    \
  type* name = reinterpret_cast<type*>(tt_dynamic_shared)

#elif defined(TT_CUDA_SIM)
#define TT_CUDA_KERNELS 1
#include <tt_cuda_sim.hpp>  // tests/cuda/sim, on the include path of tests only
#else
#define TT_CUDA_KERNELS 0
#endif
