// Reductions on tensors whose dtypes are known at run time only.
#pragma once
#include <tt/dispatch/any_map.hpp>
#include <tt/dispatch/evaluate.hpp>

#include <utility>

namespace tt {

namespace detail {

/// One reduction's kernels by the dtype of its operand; null where it is not defined.
struct AnyReduce {
  struct Kernels {
    const MapKernel* map;
    const ReduceKernel* reduce;
    dtype result;
    RecordReduce record;
  };
  std::string_view name;
  bool selects;
  Kernels of[dtype_count];
};
struct AnyArg {
  std::string_view name;
  const ArgKernel* of[dtype_count];
};

[[noreturn]] TT_NOINLINE inline void no_such_reduction(std::string_view op, dtype t) {
  fail({"tt::", op, ": it is not defined for the dtype ", name_of(t), ": cast it"});
}

template <class Op, class Device, dtype Type>
constexpr AnyReduce::Kernels any_reduce_kernels() {
  if constexpr (!accepts<Op>(Type)) return {};
  else {
    constexpr dtype compute = compute_dtype(Type);
    constexpr bool tracked = is_differentiable(Op::result(Type)), keeps_region = tracked && !selects<Op>;
    constexpr const MapKernel& region = bare_kernel<Device, compute, keeps_region>();
    constexpr RecordReduce record = !tracked ? nullptr : selects<Op> ? record_extreme : record_sum;
    return {&region, &backend<Device>::template reduce<Op, compute>(), Op::result(Type), record};
  }
}
template <class Op, class Device, std::size_t... Type>
constexpr AnyReduce make_any_reduce(std::index_sequence<Type...>) {
  return {Op::name, selects<Op>, {any_reduce_kernels<Op, Device, dtype(Type)>()...}};
}
template <class Op, class Device>
inline constexpr AnyReduce any_reduce_of =
    make_any_reduce<Op, Device>(std::make_index_sequence<std::size_t(dtype_count)>{});

template <class Op, class Device, dtype Type>
constexpr const ArgKernel* any_arg_kernel() {
  if constexpr (!accepts<Op>(Type)) return nullptr;
  else return &backend<Device>::template arg<Op, Type>();
}
template <class Op, class Device, std::size_t... Type>
constexpr AnyArg make_any_arg(std::index_sequence<Type...>) {
  return {Op::name, {any_arg_kernel<Op, Device, dtype(Type)>()...}};
}
template <class Op, class Device>
inline constexpr AnyArg any_arg_of = make_any_arg<Op, Device>(std::make_index_sequence<std::size_t(dtype_count)>{});

/// As any_map_elsewhere.
template <class Op>
inline constinit const AnyReduce* any_reduce_elsewhere = nullptr;
template <class Op>
inline constinit const AnyArg* any_arg_elsewhere = nullptr;

TT_NOINLINE inline AnyTensor run_any_reduce(const AnyReduce& op, const AnyTensor& x, AxisSet axes, bool keep) {
  if (!x.defined()) no_elements(op.name.data());
  const AnyReduce::Kernels& k = op.of[int(x.dtype())];
  if (!k.map) no_such_reduction(op.name, x.dtype());
  const Entry entry{&x, x.version(), {}};
  return run_reduce(*k.map, *k.reduce, &entry, 1, axes, keep, k.result, op.selects, k.record);
}
TT_NOINLINE inline AnyTensor run_any_arg(const AnyArg& op, const AnyTensor& x, AxisSet axes, bool keep) {
  if (!x.defined()) no_elements(op.name.data());
  if (!op.of[int(x.dtype())]) no_such_reduction(op.name, x.dtype());
  return run_arg(*op.of[int(x.dtype())], x, axes, keep);
}

}  // namespace detail

/// Op over a set of axes: any_reduce<ops::sum>(x, axes, keep).
template <class Op, class Device = cpu>
AnyTensor any_reduce(const AnyTensor& x, detail::AxisSet axes, bool keep) {
  const detail::AnyReduce* op = &detail::any_reduce_of<Op, Device>;
  if (detail::any_reduce_elsewhere<Op> && detail::lies_elsewhere(x)) op = detail::any_reduce_elsewhere<Op>;
  return detail::run_any_reduce(*op, x, axes, keep);
}
/// The position of the best element along one axis, or of all.
template <class Op, class Device = cpu>
AnyTensor any_arg(const AnyTensor& x, detail::AxisSet axes, bool keep) {
  const detail::AnyArg* op = &detail::any_arg_of<Op, Device>;
  if (detail::any_arg_elsewhere<Op> && detail::lies_elsewhere(x)) op = detail::any_arg_elsewhere<Op>;
  return detail::run_any_arg(*op, x, axes, keep);
}

}  // namespace tt
