// The kernels of reductions on CUDA as the dispatcher calls them, for the current stream.
#pragma once
#include <tt/cuda/map_table.hpp>
#include <tt/cuda/reduce.hpp>
#include <tt/cuda/reduce_extreme.hpp>
#include <tt/cuda/reduce_position.hpp>
#include <tt/dispatch/reduce.hpp>

namespace tt::gpu {

#if TT_CUDA_KERNELS

namespace detail {

template <class Op, class Program, class Number>
void reduce_whole(Region& r, index_t out_count, double divisor) {
  Workspace workspace;
  reduce<Op, Program, Number>(r, r.numbers, out_count, divisor, workspace);
}

template <class Compute = double>
void share_gradient(const Strided& x, const dims& size, std::uint32_t axes, std::byte* extreme, std::byte* gradient,
                           std::byte* to) {
  Workspace workspace;
  share_extreme<Compute>(x, size, axes, extreme, gradient, to, workspace);
}

template <class Op, dtype Compute, class Program>
constexpr ReduceKernel make_reduce_kernel() {
  ReduceKernel k{};
  k.name = Op::name;
  k.accumulator = Op::accumulator(Compute);
  k.divides = requires { Op::divides; };
  k.whole = reduce_whole<Op, Program, element_of<Compute>>;
  if constexpr (tt::detail::selects<Op>) k.share = share_gradient<>;
  return k;
}

template <class Op, class Stored>
void position_whole(Region& r, index_t out_count) {
  Workspace workspace;
  reduce_position<Op, Stored>(r, out_count, workspace);
}

}  // namespace detail

template <class Op, dtype Compute, class Program>
inline constexpr ReduceKernel reduce_kernel = detail::make_reduce_kernel<Op, Compute, Program>();

template <class Op, dtype Type>
inline constexpr ArgKernel arg_kernel{Op::name, nullptr, device::cuda, detail::position_whole<Op, element_of<Type>>};

#endif

}  // namespace tt::gpu
