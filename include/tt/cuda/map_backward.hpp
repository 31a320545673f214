// The driver of backward maps on a device: gradients of all leaves in one pass over the space; those that many elements
// share are stored by element and added up in a second, in one fixed order.
#pragma once
#include <tt/cuda/map.hpp>
#include <tt/cuda/map_backward_kernel.hpp>

namespace tt::gpu {

namespace detail {

/// Whether several elements of the space add to one of the gradient.
inline bool is_shared(const GradientSlot& slot, const dims& size) {
  if (!slot.to.data) return false;
  for (int axis = 0; axis < size.rank; ++axis)
    if (size.extent[axis] != 1 && slot.to.stride[axis] == 0) return true;
  return false;
}

#if TT_CUDA_KERNELS

/// Adds up a gradient that was stored by element, row-major over the space.
template <class Number, class Index>
void sum_gradient(const dims& size, void* parts, const GradientSlot& slot, const MapGrid& grid) {
  SharedSum<Index> sum{};
  sum.from = static_cast<std::byte*>(parts);
  sum.to = {slot.to.data, slot.to.type, slot.first};
  sum.outputs = sum.length = 1;
  const auto append = [](auto& axes, index_t extent, auto... stride) {
    axes.extent[axes.rank] = Divisor<Index>(extent);
    int operand = 0;
    ((axes.stride[axes.rank][operand++] = std::make_signed_t<Index>(stride)), ...);
    ++axes.rank;
  };
  index_t step[max_rank], unit = 1;
  for (int axis = size.rank - 1; axis >= 0; --axis) step[axis] = unit, unit *= size.extent[axis];
  for (int axis = 0; axis < size.rank; ++axis) {
    const index_t extent = size.extent[axis];
    if (slot.to.stride[axis] == 0) {
      append(sum.reduced, extent, step[axis]);
      sum.length *= Index(extent);
    } else {
      append(sum.kept, extent, step[axis], slot.to.stride[axis]);
      sum.outputs *= Index(extent);
    }
  }
  if (sum.kept.rank == 0) append(sum.kept, 1, 0, 0);
  if (sum.reduced.rank == 0) append(sum.reduced, 1, 0);
  sum.lanes = 1;
  while (sum.lanes < sum_threads && Index(sum.lanes) < sum.length) sum.lanes *= 2;
  const unsigned blocks = blocks_for(index_t(sum.outputs), sum_threads / sum.lanes, grid.most_blocks);
  launch(sum_shared<Number, Index>, blocks, sum_threads, 0, current_stream(), sum);
}

template <class Program, class Number, class Index>
void run_gradients(const Region& r, unsigned numbers, const bool* shared, void* const* parts, const MapGrid& grid) {
  constexpr int leaves = Program::leaves;
  using axes = Axes<Index, 2 * leaves + 1>;
  BackwardMap<Number, Index, leaves> map;
  set_leaves(map.leaf, r, numbers);
  map.count = Index(r.size.count());
  map.axes.rank = r.size.rank;
  index_t unit = 1;
  for (int axis = r.size.rank - 1; axis >= 0; --axis) {
    map.axes.extent[axis] = Divisor<Index>(r.size.extent[axis]);
    for (int k = 0; k <= leaves; ++k) map.axes.stride[axis][k] = typename axes::Offset(r.leaf[k].stride[axis]);
    for (int k = 0; k < leaves; ++k) {
      const GradientSlot& slot = r.gradient[k];
      const index_t stride = !slot.to.data ? 0 : shared[k] ? unit : slot.to.stride[axis];
      map.axes.stride[axis][leaves + 1 + k] = typename axes::Offset(stride);
    }
    unit *= r.size.extent[axis];
  }
  for (int k = 0; k < leaves; ++k) {
    const GradientSlot& slot = r.gradient[k];
    map.gradient[k] = {};  // of a slot that is not wanted nothing else is set
    if (slot.to.data) map.gradient[k] = {slot.to.data, slot.to.type, slot.first};
    if (shared[k]) map.gradient[k] = {static_cast<std::byte*>(parts[k]), stored_dtype<Number>, true};
  }
  static_assert(std::is_trivially_copyable_v<decltype(map)> && sizeof(map) <= 8192);
  const unsigned blocks = grid.blocks(index_t(map.count));
  launch(map_gradients<Program, Number, Index>, blocks, grid.threads, 0, current_stream(), map);
  for (int k = 0; k < leaves; ++k)
    if (shared[k]) sum_gradient<Number, Index>(r.size, parts[k], r.gradient[k], grid);
}

#endif

}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues what a CPU's MapKernel::drive_back computes on the current stream: the gradient of each leaf whose slot has
/// data, from the incoming one, which is the leaf after the last. Pointers are the device's, but for `numbers`, as in
/// map. Program is the backward program: slots of leaves that it does not want are left alone. Sums are joined in an
/// order that follows from the shape alone. `workspace(bytes)` gives device memory that lives until the work queued
/// here is done; it is called once for each leaf that is broadcast.
/// @pre slots are contiguous buffers; no two of them overlap
/// @throws CudaError if CUDA refuses a launch
template <class Program, class Compute, class Workspace>
void map_backward(Region& r, unsigned numbers, Workspace&& workspace, const MapGrid& grid = {}) {
  using Number = typename device_number<Compute>::type;
  constexpr int leaves = Program::leaves;
  const index_t count = r.size.count();
  bool shared[leaves];
  bool any = false;
  index_t* stride[2 * leaves + 1];
  int operands = 0;
  for (int k = 0; k <= leaves; ++k) stride[operands++] = r.leaf[k].stride;
  for (int k = 0; k < leaves; ++k) {
    GradientSlot& slot = r.gradient[k];
    if ((Program::wants >> k & 1) == 0) slot.to.data = nullptr;
    any |= slot.to.data != nullptr;
    shared[k] = detail::is_shared(slot, r.size);
    if (slot.to.data && slot.first && count == 0) {
      const std::size_t bytes = std::size_t(slot.count) * size_of(slot.to.type);
      check(cudaMemsetAsync(slot.to.data, 0, bytes, current_stream()), "map_backward");
    }
    stride[operands++] = slot.to.data ? slot.to.stride : r.leaf[k].stride;
  }
  if (!any || count == 0) return;
  tt::detail::coalesce(r.size, stride, operands, leaves + 1);
  void* parts[leaves] = {};
  for (int k = 0; k < leaves; ++k)
    if (shared[k]) parts[k] = workspace(std::size_t(count) * sizeof(Number));
  if (fits_32_bits(r.size, stride, operands)) {
    detail::run_gradients<Program, Number, std::uint32_t>(r, numbers, shared, parts, grid);
  } else {
    detail::run_gradients<Program, Number, std::uint64_t>(r, numbers, shared, parts, grid);
  }
}

#endif

}  // namespace tt::gpu
