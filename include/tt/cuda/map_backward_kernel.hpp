// The kernels of backward maps: one writes a gradient for each leaf, the other adds up those of leaves that many
// elements share.
#pragma once
#include <tt/cuda/map_kernel.hpp>
#include <tt/cuda/sweep.hpp>

namespace tt::gpu {

/// Where a leaf's gradient goes.
struct MapGradient {
  std::byte* data;  ///< null: it is not wanted
  dtype type;
  bool first;  ///< write instead of adding
};

/// Operands of the axes: the leaves, the incoming gradient, the leaves' gradients.
template <class Number, class Index, int Leaves>
struct BackwardMap {
  MapLeaf<Number> leaf[Leaves + 1];
  MapGradient gradient[Leaves];
  Index count;
  Axes<Index, 2 * Leaves + 1> axes;
};

/// Sums of an array: to[kept] = the sum of from[kept + reduced] over `length` elements.
template <class Index>
struct SharedSum {
  std::byte* from;
  MapGradient to;
  Index outputs, length;
  Axes<Index, 2> kept;  ///< in `from` and in `to`
  Axes<Index, 1> reduced;
  int lanes;  ///< threads that share one output: a power of 2, at most sum_threads
};
/// The threads of a block of sums, always: the order of the terms follows from the shape alone.
inline constexpr int sum_threads = 128;

#if TT_CUDA_KERNELS

namespace detail {
template <class Number>
TT_HD void add_gradient(const MapGradient& to, std::int64_t offset, Number g) {
  if (!to.first) g = read_element<Number>(to.data, to.type, offset) + g;
  write_element(to.data, to.type, offset, g);
}
}  // namespace detail

template <class Program, class Number, class Index>
__global__ void __launch_bounds__(map_threads) map_gradients(BackwardMap<Number, Index, Program::leaves> map) {
  constexpr int leaves = Program::leaves;
  const Index step = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < map.count; i += step) {
    std::make_signed_t<Index> offset[2 * leaves + 1];
    map.axes.locate(i, offset);
    Number value[leaves + 1], gradient[leaves];
#pragma unroll
    for (int k = 0; k <= leaves; ++k) {
      const MapLeaf<Number>& leaf = map.leaf[k];
      value[k] = leaf.data ? read_element<Number>(leaf.data, leaf.type, offset[k]) : leaf.number;
    }
    Sweep<Number, Program> sweep;
    sweep.forward(value);
    sweep.backward(swept(value[leaves]), true, gradient);
#pragma unroll
    for (int k = 0; k < leaves; ++k) {
      if ((Program::wants >> k & 1) == 0 || !map.gradient[k].data) continue;
      detail::add_gradient(map.gradient[k], offset[leaves + 1 + k], swept(gradient[k]));
    }
  }
}

/// Blocks of sum_threads threads.
template <class Number, class Index>
__global__ void __launch_bounds__(sum_threads) sum_shared(SharedSum<Index> s) {
  TT_SHARED(Number, part, sum_threads);
  const int lane = int(threadIdx.x) % s.lanes;
  const Index together = Index(sum_threads / s.lanes), first = threadIdx.x / Index(s.lanes);
  for (Index begin = blockIdx.x * together; begin < s.outputs; begin += Index(gridDim.x) * together) {
    const Index output = begin + first;
    std::make_signed_t<Index> at[2] = {}, inner[1];
    Number sum(0);
    if (output < s.outputs) {
      s.kept.locate(output, at);
      for (Index j = Index(lane); j < s.length; j += Index(s.lanes)) {
        s.reduced.locate(j, inner);
        sum = sum + reinterpret_cast<const Number*>(s.from)[at[0] + inner[0]];
      }
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int distance = s.lanes / 2; distance > 0; distance /= 2) {
      if (lane < distance) part[threadIdx.x] = part[threadIdx.x] + part[int(threadIdx.x) + distance];
      __syncthreads();
    }
    if (lane == 0 && output < s.outputs) detail::add_gradient(s.to, at[1], part[threadIdx.x]);
    __syncthreads();  // the next sums come where these were read
  }
}

#endif

}  // namespace tt::gpu
