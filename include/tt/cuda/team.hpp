// Threads of a kernel that work on one row together: a warp for short rows, a block for long ones. Values are joined in
// an order that follows from the team's size alone, so that results do not differ from run to run.
#pragma once
#include <tt/cuda/launch.hpp>

#include <algorithm>

namespace tt::gpu::detail {
#if TT_CUDA_KERNELS

struct Plus {
  template <class Number>
  TT_HD Number operator()(Number a, Number b) const {
    return a + b;
  }
};
/// The larger number. A NaN may be lost: what is summed after it has it again.
struct Larger {
  template <class Number>
  TT_HD Number operator()(Number a, Number b) const {
    return b > a ? b : a;
  }
};

template <class Number, class Join>
__device__ inline Number join_warp(Number value, Join join) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = join(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

struct WarpTeam {
  static constexpr int size = 32, in_block = 8;  ///< threads, and teams in a block at most
  __device__ static int rank() { return int(threadIdx.x) % size; }
  __device__ static index_t index() { return index_t(blockIdx.x) * (blockDim.x / size) + int(threadIdx.x) / size; }
  __device__ static index_t count() { return index_t(gridDim.x) * (blockDim.x / size); }
  /// What all threads of the team hand in, joined; all get it. @pre every thread of the team calls it
  template <class Number, class Join>
  __device__ static Number join(Number value, Number, Join join) {
    return join_warp(value, join);
  }
};

struct BlockTeam {
  static constexpr int size = 256;
  __device__ static int rank() { return int(threadIdx.x); }
  __device__ static index_t index() { return blockIdx.x; }
  __device__ static index_t count() { return gridDim.x; }
  template <class Number, class Join>
  __device__ static Number join(Number value, Number identity, Join join) {
    TT_SHARED(Number, parts, size / 32);
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    value = join_warp(value, join);
    __syncthreads();  // a call before this one may still read parts
    if (lane == 0) parts[warp] = value;
    __syncthreads();
    return join_warp(lane < size / 32 ? parts[lane] : identity, join);
  }
};

/// Rows up to this long are a warp's: it needs no barrier, and a block has eight at work.
inline constexpr index_t longest_row_of_warp = 1024;

/// f(team) launches a kernel over `rows` rows of `columns` elements by teams of that kind, with this grid and block.
template <class Function>
void with_team(index_t rows, index_t columns, Function&& f) {
  if (columns > longest_row_of_warp) return f(BlockTeam(), blocks_for(rows, 1), unsigned(BlockTeam::size));
  const index_t teams = std::clamp<index_t>(rows, 1, WarpTeam::in_block);
  f(WarpTeam(), blocks_for(rows, teams), unsigned(teams * WarpTeam::size));
}

#endif
}  // namespace tt::gpu::detail
