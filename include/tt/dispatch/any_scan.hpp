// Scans on tensors whose dtypes are known at run time only.
#pragma once
#include <tt/dispatch/scan.hpp>

#include <utility>

namespace tt {

namespace detail {

/// One scan's kernels by the dtype of its operand; null where it is not defined.
struct AnyScan {
  struct Kernel {
    const ScanKernel* scan;
    dtype result;
  };
  Kernel of[dtype_count];
};
template <class Op, class Device, dtype Type>
constexpr AnyScan::Kernel any_scan_kernel() {
  if constexpr (!accepts<Op>(Type)) return {};
  else return {&backend<Device>::template scan<Op, compute_dtype(Op::result(Type))>(), Op::result(Type)};
}
template <class Op, class Device, std::size_t... Type>
constexpr AnyScan make_any_scan(std::index_sequence<Type...>) {
  return {{any_scan_kernel<Op, Device, dtype(Type)>()...}};
}
template <class Op, class Device>
inline constexpr AnyScan any_scan_of =
    make_any_scan<Op, Device>(std::make_index_sequence<std::size_t(dtype_count)>{});

template <class Op, class Device, dtype Type>
constexpr const PositionScanKernel* any_position_scan_kernel() {
  if constexpr (!accepts<Op>(Type)) return nullptr;
  else return &backend<Device>::template position_scan<Op, Type>();
}
struct AnyPositionScan {
  const PositionScanKernel* of[dtype_count];
};
template <class Op, class Device, std::size_t... Type>
constexpr AnyPositionScan make_any_position_scan(std::index_sequence<Type...>) {
  return {{any_position_scan_kernel<Op, Device, dtype(Type)>()...}};
}
template <class Op, class Device>
inline constexpr AnyPositionScan any_position_scan_of =
    make_any_position_scan<Op, Device>(std::make_index_sequence<std::size_t(dtype_count)>{});

[[noreturn]] TT_NOINLINE inline void no_such_scan(std::string_view op, dtype t) {
  fail({"tt::", op, ": it is not defined for the dtype ", name_of(t), ": cast it"});
}

}  // namespace detail

/// Op along one axis: any_scan<ops::cumsum>(x, 0).
template <class Op, class Device = cpu>
AnyTensor any_scan(const AnyTensor& x, index_t axis) {
  if (!x.defined()) detail::no_elements(Op::name.data());
  const detail::AnyScan::Kernel& k = detail::any_scan_of<Op, Device>.of[int(x.dtype())];
  if (!k.scan) detail::no_such_scan(Op::name, x.dtype());
  const detail::RecordScan record = is_differentiable(k.result) ? detail::record_scan : nullptr;
  return detail::run_scan(*k.scan, x, axis, k.result, false, record);
}
/// The positions of the best elements up to each place: any_position_scan<ops::cummax>(x, 0).
template <class Op, class Device = cpu>
AnyTensor any_position_scan(const AnyTensor& x, index_t axis) {
  if (!x.defined()) detail::no_elements(Op::name.data());
  const PositionScanKernel* const k = detail::any_position_scan_of<Op, Device>.of[int(x.dtype())];
  if (!k) detail::no_such_scan(Op::name, x.dtype());
  return detail::run_position_scan(*k, x, axis);
}

}  // namespace tt
