// The derivative of amax and amin on a device: elements that reach the extremum share its gradient.
#pragma once
#include <tt/cuda/reduce.hpp>
#include <tt/dispatch/reduce.hpp>
#include <tt/ops/reductions.hpp>

namespace tt::gpu {

namespace detail {

/// 1 where x is the extremum, as in autograd/reduce.hpp; a NaN reaches one that is NaN.
struct reaches {
  template <class Number>
  TT_HD static Number apply(Number x, Number extreme) {
    return Number(x == extreme || (x != x && extreme != extreme) ? 1 : 0);
  }
};
struct share {
  template <class Number>
  TT_HD static Number apply(Number reached, Number g, Number ties) {
    return reached != 0 ? g / ties : Number(0);
  }
};

}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues on the current stream: to[i] += g / ties where x[i] reaches the extremum over `axes`; ties is how many do. x
/// is laid over `size` in any way; `extreme` and `gradient` are row-major without the reduced axes, `to` is row-major;
/// all are of x's dtype and on the device. Numbers are of Compute, as double on the CPU. `workspace` as in reduce, but
/// that it is called once more.
/// @throws CudaError if CUDA refuses a launch
template <class Compute = double, class Workspace>
void share_extreme(const Strided& x, const dims& size, tt::detail::AxisSet axes, std::byte* extreme,
                   std::byte* gradient, std::byte* to, Workspace&& workspace, const MapGrid& grid = {}) {
  if (size.count() == 0) return;
  using leaf = prog::copy;
  using reached = prog::op<detail::reaches, leaf, leaf>;
  using shared = prog::op<ops::add, leaf, prog::op<detail::share, reached, leaf, leaf>>;
  Strided result{extreme, x.type, false, {}};
  const index_t out_count = tt::detail::reduced_strides(result.stride, size, axes);
  Strided ties = result;
  ties.type = dtype_of<Compute>;
  ties.data = static_cast<std::byte*>(static_cast<void*>(workspace(std::size_t(out_count) * sizeof(Compute))));
  Strided compared[] = {x, result};
  Region count{size, 2, compared, ties, nullptr};
  reduce<ops::sum, reached, Compute>(count, 0, out_count, 1, workspace, grid);

  Strided sum{to, x.type, false, {}}, slope = result;
  tt::detail::reduced_strides(sum.stride, size, 0);
  slope.data = gradient;
  Strided operands[] = {sum, x, result, slope, ties};
  Region add{size, 5, operands, sum, nullptr};
  index_t* stride[6];
  for (int k = 0; k < 5; ++k) stride[k] = operands[k].stride;
  stride[5] = add.out.stride;
  tt::detail::coalesce(add.size, stride, 6, 5);
  if (fits_32_bits(add.size, stride, 6)) detail::map_by_elements<shared, Compute, std::uint32_t>(add, 0, grid);
  else detail::map_by_elements<shared, Compute, std::uint64_t>(add, 0, grid);
}

#endif

}  // namespace tt::gpu
