// The CPU's kernels of the map kind: one table for each program and compute type.
#pragma once
#include <tt/cpu/lanes.hpp>
#include <tt/cpu/map_backward.hpp>
#include <tt/cpu/map_forward.hpp>

namespace tt {

namespace detail {
/// Depth-first names of a program's ops, for profiler, errors and modes.
template <class Program>
struct op_names {
  static constexpr int count = 0;
  static constexpr void write(std::string_view*&) {}
};
template <class Op, class... Child>
struct op_names<prog::op<Op, Child...>> {
  static constexpr int count = (op_names<Child>::count + ... + 1);
  static constexpr void write(std::string_view*& to) {
    *to++ = Op::name;
    (op_names<Child>::write(to), ...);
  }
};
template <class Program>
inline constexpr auto names_of = [] {
  struct Names {
    std::string_view name[std::size_t(op_names<Program>::count + 1)];
  } names{};
  std::string_view* to = names.name;
  op_names<Program>::write(to);
  *to = "copy";
  return names;
}();

inline void record_map(const AnyTensor& out, const MapKernel&, const Entry*, int count, const Space& space);  // autograd/map.hpp
}  // namespace detail

namespace cpu_kernels::inline TT_KERNEL_BUILD {

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

}  // namespace cpu_kernels::inline TT_KERNEL_BUILD
}  // namespace tt
