// cumsum: sums up to each place of an axis.
#pragma once
#include <tt/expr/scan.hpp>
#include <tt/ops/reductions.hpp>

namespace tt {

namespace ops {
/// A scan joins as a reduction does: `accumulator`, `identity` and `join` are sum's.
struct cumsum : sum {
  static constexpr std::string_view name = "cumsum", onnx = "CumSum";
};

using scans = op_list<cumsum>;
}  // namespace ops

namespace detail {
template <class Op, class X>
auto scanned(const X& x, int axis) {
  constexpr dtype value = Op::result(dtype_of<value_t<X>>);
  using result = Tensor<tt::element_of<value>, shape_t<X>, device_t<X>, map_order(value, order_of<X>)>;
  constexpr const ScanKernel& k = backend<device_t<X>>::template scan<Op, compute_dtype(value)>();
  return result(run_scan(k, evaluate(x), axis, value, false, scan_record<result::order>));
}
}  // namespace detail

/// The sums of the elements up to each place along an axis, in the extents of x. Integers and bools give int64, which
/// wraps; floats are added up in double and rounded at each place. The dtype to compute in, PyTorch's dtype=, is that of
/// x: cast it.
/// https://pytorch.org/docs/stable/generated/torch.cumsum.html
template <int Axis, expression X>
auto cumsum(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  return detail::scanned<ops::cumsum>(x, Axis);
}
template <expression X>
auto cumsum(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::scanned<ops::cumsum>(x, axis);
}
/// Written into x.
template <int Axis, typed_tensor X> X cumsum_(const X& x) { return x.copy_(cumsum<Axis>(x)); }
template <typed_tensor X> X cumsum_(const X& x, int axis) { return x.copy_(cumsum(x, axis)); }

}  // namespace tt
