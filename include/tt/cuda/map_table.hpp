// The MapKernel of a program on CUDA: the drivers of its kernels, for the current stream.
#pragma once
#include <tt/cuda/map_backward.hpp>
#include <tt/cuda/workspace.hpp>
#include <tt/dispatch/map.hpp>
#include <tt/expr/names.hpp>
#include <tt/expr/reads.hpp>

namespace tt::gpu {

#if TT_CUDA_KERNELS

namespace detail {

/// Never called: their addresses say which of a kernel's ways back is meant.
inline void from_operands(const Operand*, void*, index_t) {}
inline void from_output(const Operand*, void*, index_t) {}

template <class Number, class Program>
void drive(RowFunction, Region& r) {
  map<Program, Number>(r, r.numbers);
}
template <class Number, class Program>
void drive_back(RowFunction way, Region& r) {
  Workspace workspace;
  if constexpr (prog::undo_of<Program>::exists) {
    if (way == from_output) return map_backward<typename prog::undo_of<Program>::type, Number>(r, r.numbers, workspace);
  }
  map_backward<Program, Number>(r, r.numbers, workspace);
}

template <dtype Compute, dtype Value, class Forward, class Backward>
constexpr MapKernel make_map_kernel() {
  using Number = element_of<Compute>;
  MapKernel k{Compute,  Value,   Backward::wants, Backward::passes, prog::reads<Backward>, nullptr, nullptr, nullptr,
              drive<Number, Forward>, nullptr, nullptr, tt::detail::names_of<Forward>.name,
              (std::max)(tt::detail::op_names<Forward>::count, 1), nullptr, device::cuda};
  if constexpr (Backward::tracked) {
    k.backward = from_operands;
    if constexpr (prog::undo_of<Backward>::exists) k.undo = from_output;
    k.drive_back = drive_back<Number, Backward>;
    k.record = tt::detail::record_map;
  }
  return k;
}

}  // namespace detail

template <dtype Compute, dtype Value, class Forward, class Backward>
inline constexpr MapKernel map_kernel = detail::make_map_kernel<Compute, Value, Forward, Backward>();

#endif

}  // namespace tt::gpu
