// Gives gather, index_select and what is made of them to all files of the program for tensors on CUDA. No part of the
// door: nvcc takes long over the sorting of gradients.
//
// A kernel cannot throw: an index out of range gives zeros, and gpu::check_index_errors(stream) throws.
#pragma once
#include <tt/cuda/index.hpp>
#include <tt/cuda/index_add.hpp>
#include <tt/cuda/index_positions.hpp>
#include <tt/cuda/workspace.hpp>
#include <tt/dispatch/index.hpp>

namespace tt::gpu::detail {

#if TT_CUDA_KERNELS

inline DeviceView view_of(const AnyTensor& t) {
  DeviceView view{t.device_ptr(), t.dtype(), t.sizes(), {}};
  std::copy_n(t.strides(), t.rank(), view.stride);
  return view;
}

/// In each file that has kernels: they are of that file alone.
static const bool indexing_is_there = [] {
  tt::detail::device_indexing.take = [](const AnyTensor& x, int axis, const AnyTensor& index, const AnyTensor& out) {
    gather(view_of(x), axis, view_of(index), view_of(out), current_stream());
  };
  tt::detail::device_indexing.positions = [](const dims& size, int axis, const AnyTensor& index, std::byte* to) {
    gather_positions(size, axis, view_of(index), reinterpret_cast<index_t*>(to), current_stream());
  };
  tt::detail::device_indexing.add = [](std::byte* sums, index_t count, const index_t* to, const std::byte* gradient,
                                       index_t n, dtype type) {
    Workspace workspace;
    add_by_positions({sums, type, count}, to, gradient, nullptr, n, type, workspace, current_stream());
  };
  return true;
}();

#endif

}  // namespace tt::gpu::detail
