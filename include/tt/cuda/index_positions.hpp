// Positions on the device: for each element of an operation by indices, the element of a row-major tensor that it takes
// or goes to, as dispatch/index.hpp finds them on the CPU. What scatters and gradients begin with.
#pragma once
#include <tt/cuda/index_errors.hpp>
#include <tt/cuda/index_view.hpp>
#include <tt/dispatch/lower.hpp>

#include <span>

namespace tt::gpu {

namespace detail {

/// Operands of a space of positions: an index, the target without the index's axis, the source, and the position of the
/// index in its tensor.
enum place_operand { place_index, place_target, place_source, place_position };
using PlaceSpace = IndexSpace<4>;

#if TT_CUDA_KERNELS

/// One of the indices of an operation.
struct IndexOfAxis {
  IndexSource index;
  index_t step;   ///< of the target along the axis
  bool first;     ///< of several
  bool from_end;  ///< -1 is the last one
  IndexCheck check;
};

/// to[i] = or += chosen * step; -1 from where an index is outside. from[i] = the source's element, unless it is null.
template <class Index>
__global__ void __launch_bounds__(256) place_kernel(IndexOfAxis axis, Axes<Index, 4> axes, Index count, index_t* to,
                                                    index_t* from) {
  const Index threads = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    std::make_signed_t<Index> at[4];
    axes.locate(i, at);
    const index_t chosen = axis.index.at(at[place_index]);
    const bool inside = axis.check.admits(chosen, at[place_position], axis.from_end);
    const index_t base = axis.first ? index_t(at[place_target]) : to[i];
    to[i] = inside && base >= 0 ? base + (chosen < 0 ? chosen + axis.check.extent : chosen) * axis.step : -1;
    if (from) from[i] = at[place_source];
  }
}

TT_NOINLINE inline void run_places(PlaceSpace space, const IndexOfAxis& axis, index_t* to, index_t* from,
                                   const StreamRef& stream) {
  const index_t count = space.size.count();
  if (count == 0) return;
  const DeviceGuard guard(stream.device());
  const unsigned threads = index_threads(count), blocks = blocks_for(count, threads);
  space.merge();
  const auto run = [&]<class Index>(Index n) {
    launch(place_kernel<Index>, blocks, threads, 0, stream, axis, space.axes<Index>(), n, to, from);
  };
  if (space.fits_32_bits()) run(std::uint32_t(count));
  else run(std::uint64_t(count));
}

/// Of operations along one axis of a tensor with extents `size`, in the order of the index; `from` counts elements of
/// `source` as it lies in memory.
TT_NOINLINE inline void axis_positions(const char* op, const dims& size, index_t along, const DeviceView& index,
                                       const index_t* source, index_t* to, index_t* from, const StreamRef& stream) {
  const int axis = index_axis(op, along, size.rank);
  require_index(op, index);
  if (index.size.count() == 0) return;
  if ((std::max)(index.size.rank, 1) != (std::max)(size.rank, 1))
    fail({"tt::", op, ": the index ", index.size, " must have as many axes as the tensor ", size});
  const DeviceView target = DeviceView::packed(nullptr, dtype::int64, size);
  const DeviceView positions = DeviceView::packed(nullptr, dtype::int64, index.size);
  PlaceSpace space{};
  for (int i = 0; i < index.size.rank; ++i) {
    const bool is_along = i == axis || size.rank == 0;
    if (!is_along && index.size.extent[i] > size.extent[i])
      fail({"tt::", op, ": the index ", index.size, " is larger than the tensor ", size, " along axis ", i});
    space.push_back(index.size.extent[i], index.stride[i], is_along ? 0 : target.stride[i], source ? source[i] : 0,
                    positions.stride[i]);
  }
  const IndexCheck check = index_check(stream.device(), op, size.rank ? size.extent[axis] : 1);
  const index_t step = size.rank ? target.stride[axis] : 0;
  run_places(space, {{index.data, index.type}, step, true, false, check}, to, from, stream);
}

#endif

}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues what gather keeps for its gradient: for each element of the index, in row-major order, the element of a
/// row-major tensor with extents `size` that it takes; -1 where the index is outside of the axis: see
/// check_index_errors. `to` has room for index.size.count().
/// @throws Error for extents and dtypes that do not fit, IndexError for the axis, CudaError if CUDA refuses the launch
inline void gather_positions(const dims& size, index_t axis, const DeviceView& index, index_t* to,
                             const StreamRef& stream) {
  detail::axis_positions("gather", size, axis, index, nullptr, to, nullptr, stream);
}

/// The extents of x[index[0], index[1], ..] for x of extents `size`: the indices' extents, broadcast, and then the axes
/// that no index stands for.
/// @throws Error for extents that do not fit
inline dims put_places(const dims& size, std::span<const DeviceView> index) {
  const int axes = int(index.size());
  if (axes == 0 || axes > size.rank) fail({"tt::index_put: ", axes, " indices for a tensor with ", size.rank, " axes"});
  dims places;
  for (const DeviceView& one : index) tt::detail::broadcast_into(places, one.size);
  for (int i = axes; i < size.rank; ++i) places.push_back(size.extent[i]);
  return places;
}

/// Queues, for each place in row-major order, the element of a row-major tensor with extents `size` that is there (-1
/// where an index is outside of its axis), and the element of `values`, which broadcast to the places, as they lie in
/// memory. Negative indices count from the end. `to` and `from` have room for put_places(..).count().
/// @throws Error for extents and dtypes that do not fit, CudaError if CUDA refuses a launch
TT_NOINLINE inline void put_positions(const dims& size, std::span<const DeviceView> index, const DeviceView& values,
                                      index_t* to, index_t* from, const StreamRef& stream) {
  static constexpr const char* name = "index_put";
  const dims places = put_places(size, index);
  dims both = places;
  tt::detail::broadcast_into(both, values.size);
  if (!(both == places))
    fail({"tt::index_put: values ", values.size, " do not broadcast to the places ", places});
  const int axes = int(index.size()), head = places.rank - (size.rank - axes);
  dims target = places;
  target.rank = head;
  const DeviceView packed = DeviceView::packed(nullptr, dtype::int64, size);
  index_t source[max_rank];
  tt::detail::lay_over(source, places, values.size, values.stride);
  for (int k = 0; k < axes; ++k) {
    const DeviceView& one = index[std::size_t(k)];
    detail::require_index(name, one);
    const DeviceView own = DeviceView::packed(nullptr, dtype::int64, one.size);
    index_t step[max_rank], position[max_rank];
    tt::detail::lay_over(step, target, one.size, one.stride);
    tt::detail::lay_over(position, target, one.size, own.stride);
    detail::PlaceSpace space{};
    for (int i = 0; i < places.rank; ++i) {
      const bool in_head = i < head;
      space.push_back(places.extent[i], in_head ? step[i] : 0, in_head ? 0 : packed.stride[axes + i - head], source[i],
                      in_head ? position[i] : 0);
    }
    const detail::IndexOfAxis axis{{one.data, one.type}, packed.stride[k], k == 0, true,
                                   detail::index_check(stream.device(), name, size.extent[k])};
    detail::run_places(space, axis, to, k == 0 ? from : nullptr, stream);
  }
}

#endif

}  // namespace tt::gpu
