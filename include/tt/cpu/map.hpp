// The CPU's kernels of the map kind: one table for each program and compute type.
#pragma once
#include <tt/cpu/lanes.hpp>
#include <tt/cpu/map_backward.hpp>
#include <tt/cpu/map_forward.hpp>
#include <tt/dispatch/map.hpp>
#include <tt/expr/names.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

template <dtype Compute, dtype Value, class Forward, class Backward, int Order>
constexpr MapKernel make_map_kernel() {
  using number = element_of<Compute>;
  MapKernel k{Compute, Value, Backward::wants, Backward::passes, prog::reads<Backward>, row_forward<number, Forward>, nullptr, nullptr,
              drive_forward<number>, nullptr, nullptr, detail::names_of<Forward>.name, (std::max)(detail::op_names<Forward>::count, 1), nullptr};
  if constexpr (Backward::tracked) {
    k.backward = row_backward<number, Backward>;
    if constexpr (prog::undo_of<Backward>::exists) k.undo = row_backward<number, typename prog::undo_of<Backward>::type>;
    k.drive_back = drive_backward<number>;
    k.record = detail::record_map;
    if constexpr (Order > 1) k.recorded = detail::recorded_map<number, Backward, Order>;
  }
  return k;
}
template <dtype Compute, dtype Value, class Forward, class Backward, int Order = 1>
inline constexpr MapKernel map_kernel = make_map_kernel<Compute, Value, Forward, Backward, Order>();

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
