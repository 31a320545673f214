// Sums, products, extrema and logarithms of sums up to each place of an axis, and where the extrema are.
#pragma once
#include <tt/expr/scan.hpp>
#include <tt/ops/casts.hpp>  // clone
#include <tt/ops/indexing.hpp>
#include <tt/ops/reductions.hpp>

namespace tt {

namespace ops {
/// A scan joins as a reduction does: `accumulator`, `identity` and `join` are sum's.
struct cumsum : sum {
  static constexpr std::string_view name = "cumsum", onnx = "CumSum";
};

/// `has_slopes`: the gradient of element i is share * T(i), where T(i) = gradient(i) + carry * T(i + 1). Of a product
/// share is that of the elements before and carry the element after, so that zeros among the factors do no harm.
struct cumprod {
  static constexpr std::string_view name = "cumprod", onnx = "CumProd";
  static constexpr bool on_complex = true, has_slopes = true;
  static constexpr dtype result(dtype t) { return sum::result(t); }
  static constexpr dtype accumulator(dtype compute) { return accumulate_dtype(compute); }
  template <class V> static constexpr V identity() { return V(1); }
  template <class V> TT_HD static V join(V a, V b) { return mul::apply(a, b); }
  template <class V> TT_HD static V carry(V x_after, V, V) { return x_after; }
  template <class V> TT_HD static V share(V, V y_before, V) { return y_before; }
};

/// The larger of two is taken out of the sum of two, so that no exp overflows; results only grow, so neither does
/// carry.
struct logcumsumexp {
  static constexpr std::string_view name = "logcumsumexp", onnx = "Log(CumSum(Exp))";
  static constexpr bool has_slopes = true;
  static constexpr bool accepts(dtype t) { return is_floating(t); }
  static constexpr dtype result(dtype t) { return t; }
  static constexpr dtype accumulator(dtype compute) { return accumulate_dtype(compute); }
  template <class V> static constexpr V identity() { return -std::numeric_limits<V>::infinity(); }
  template <class V> TT_HD static V join(V a, V b) {
    if (a == b && std::isinf(a)) return a;
    const V more = a < b ? b : a, less = a < b ? a : b;
    return more + std::log1p(std::exp(less - more));
  }
  template <class V> TT_HD static V carry(V, V y, V y_after) { return y == y_after ? V(1) : std::exp(y - y_after); }
  template <class V> TT_HD static V share(V x, V, V y) { return std::exp(x - y); }
};

/// The last of equal elements is reported, and NaN stays the best from its place on, as in PyTorch.
struct cummax {
  static constexpr std::string_view name = "cummax", onnx = "CumMax";
  template <class Number> TT_HD static bool takes_over(Number a, Number best) {
    return a != a || (best == best && a >= best);
  }
};
struct cummin {
  static constexpr std::string_view name = "cummin", onnx = "CumMin";
  template <class Number> TT_HD static bool takes_over(Number a, Number best) {
    return a != a || (best == best && a <= best);
  }
};

using scans = op_list<cumsum, cumprod, logcumsumexp>;
}  // namespace ops

namespace detail {
template <class Op, class X>
consteval void check_scan() {
  static_assert(accepts<Op>(dtype_of<value_t<X>>) || error::wrong_dtype<error::operands<Op, value_t<X>>>,
                "tt: this scan is not defined for the dtype of its operand: cast it with to<T>()");
}
template <class Op, class X>
auto scanned(const X& x, int axis) {
  check_scan<Op, X>();
  constexpr dtype value = Op::result(dtype_of<value_t<X>>);
  using result = Tensor<tt::element_of<value>, shape_t<X>, device_t<X>, map_order(value, order_of<X>)>;
  constexpr const ScanKernel& k = backend<device_t<X>>::template scan<Op, compute_dtype(value)>();
  return result(run_scan(k, evaluate(x), axis, value, false, result::order > 0 ? record_scan : nullptr));
}
template <class Op, class X>
auto best_so_far(const X& e, int axis) {
  check_scan<Op, X>();
  const auto x = eval(e);
  constexpr const PositionScanKernel& k = backend<device_t<X>>::template position_scan<Op, dtype_of<value_t<X>>>();
  const Tensor<std::int64_t, shape_t<X>, device_t<X>> at(run_position_scan(k, x, axis));
  return std::pair(gather(x, axis, at), at);
}
}  // namespace detail

/// The sums of the elements up to each place along an axis, in the extents of x. Integers and bools give int64, which
/// wraps; floats are added up in double and rounded at each place. The dtype to compute in, PyTorch's dtype=, is that
/// of x: cast it. https://pytorch.org/docs/stable/generated/torch.cumsum.html
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
template <int Axis, typed_tensor X>
X cumsum_(const X& x, const place& where = place::current()) {
  return x.copy_(cumsum<Axis>(x, where), where);
}
template <typed_tensor X>
X cumsum_(const X& x, int axis, const place& where = place::current()) {
  return x.copy_(cumsum(x, axis, where), where);
}

/// The products of the elements up to each place, as cumsum their sums. Right gradients with zeros among the factors,
/// once: the gradient cannot be differentiated again. https://pytorch.org/docs/stable/generated/torch.cumprod.html
template <int Axis, expression X>
auto cumprod(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  return detail::scanned<ops::cumprod>(x, Axis);
}
template <expression X>
auto cumprod(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::scanned<ops::cumprod>(x, axis);
}
/// Written into x. Backward reads what is overwritten, so that it is copied first.
template <int Axis, typed_tensor X>
X cumprod_(const X& x, const place& where = place::current()) {
  return x.copy_(cumprod<Axis>(clone(x), where), where);
}
template <typed_tensor X>
X cumprod_(const X& x, int axis, const place& where = place::current()) {
  return x.copy_(cumprod(clone(x), axis, where), where);
}

/// log(cumsum(exp(x))) of a floating tensor: finite wherever the exact value is. Can be differentiated once.
/// https://pytorch.org/docs/stable/generated/torch.logcumsumexp.html
template <int Axis, expression X>
auto logcumsumexp(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  return detail::scanned<ops::logcumsumexp>(x, Axis);
}
template <expression X>
auto logcumsumexp(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::scanned<ops::logcumsumexp>(x, axis);
}

/// The largest (smallest) elements up to each place, and their positions: a pair. NaN is both from its place on; of
/// equal elements the last one has the gradient. https://pytorch.org/docs/stable/generated/torch.cummax.html
template <int Axis, expression X>
auto cummax(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  return detail::best_so_far<ops::cummax>(x, Axis);
}
template <expression X>
auto cummax(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::best_so_far<ops::cummax>(x, axis);
}
template <int Axis, expression X>
auto cummin(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  return detail::best_so_far<ops::cummin>(x, Axis);
}
template <expression X>
auto cummin(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::best_so_far<ops::cummin>(x, axis);
}

}  // namespace tt
