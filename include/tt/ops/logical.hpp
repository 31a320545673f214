// Truth values of elements of any dtype: what is not 0 is true, NaN too. The results are bool. Whether all are true, or
// any is, and how many are.
#pragma once
#include <tt/core/math.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/reductions.hpp>

namespace tt::ops {
struct logical_and; struct logical_or; struct logical_xor; struct logical_not; struct all; struct any;
}  // namespace tt::ops

namespace tt {

/// https://pytorch.org/docs/stable/generated/torch.logical_and.html, and so on. Numbers are not taken, as in PyTorch.
template <expression X, expression Y>
auto logical_and(X&& x, Y&& y) {
  return map_of<ops::logical_and>(std::forward<X>(x), std::forward<Y>(y));
}
template <expression X, expression Y>
auto logical_or(X&& x, Y&& y) {
  return map_of<ops::logical_or>(std::forward<X>(x), std::forward<Y>(y));
}
template <expression X, expression Y>
auto logical_xor(X&& x, Y&& y) {
  return map_of<ops::logical_xor>(std::forward<X>(x), std::forward<Y>(y));
}
template <expression X> auto logical_not(X&& x) { return map_of<ops::logical_not>(std::forward<X>(x)); }

template <typed_tensor X, expression Y>
X logical_and_(const X& x, const Y& y) {
  return x.template map_<ops::logical_and>(y);
}
template <typed_tensor X, expression Y>
X logical_or_(const X& x, const Y& y) {
  return x.template map_<ops::logical_or>(y);
}
template <typed_tensor X, expression Y>
X logical_xor_(const X& x, const Y& y) {
  return x.template map_<ops::logical_xor>(y);
}
template <typed_tensor X> X logical_not_(const X& x) { return x.template map_<ops::logical_not>(); }

/// Whether all elements are true, of nothing too; over axes as in ops/reductions.hpp. Bool, but uint8 of uint8, as in
/// PyTorch. https://pytorch.org/docs/stable/generated/torch.all.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto all(X&& x, Keep...) {
  return detail::reduce_static<ops::all, (sizeof...(Keep) > 0), Axes...>(std::forward<X>(x));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto all(X&& x, detail::one_axis axis, Keep...) {
  return detail::reduce_dynamic<ops::all, (sizeof...(Keep) > 0)>(std::forward<X>(x), {axis});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto all(X&& x, const int (&axes)[Count], Keep...) {
  return detail::reduce_dynamic<ops::all, (sizeof...(Keep) > 0)>(std::forward<X>(x), axes);
}
/// Whether an element is true, of nothing not. https://pytorch.org/docs/stable/generated/torch.any.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto any(X&& x, Keep...) {
  return detail::reduce_static<ops::any, (sizeof...(Keep) > 0), Axes...>(std::forward<X>(x));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto any(X&& x, detail::one_axis axis, Keep...) {
  return detail::reduce_dynamic<ops::any, (sizeof...(Keep) > 0)>(std::forward<X>(x), {axis});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto any(X&& x, const int (&axes)[Count], Keep...) {
  return detail::reduce_dynamic<ops::any, (sizeof...(Keep) > 0)>(std::forward<X>(x), axes);
}
/// How many elements are not 0, as int64. https://pytorch.org/docs/stable/generated/torch.count_nonzero.html
template <int... Axes, expression X>
auto count_nonzero(X&& x) {
  return sum<Axes...>(std::forward<X>(x) != 0);
}
template <expression X>
auto count_nonzero(X&& x, detail::one_axis axis) {
  return sum(std::forward<X>(x) != 0, axis);
}
template <expression X, std::size_t Count>
auto count_nonzero(X&& x, const int (&axes)[Count]) {
  return sum(std::forward<X>(x) != 0, axes);
}

}  // namespace tt

namespace tt::ops {

struct truth {
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::boolean;
};

struct logical_and : truth {
  static constexpr std::string_view name = "logical_and", onnx = "And";
  template <class V> TT_HD static V apply(V a, V b) {
    using math::choose;
    return choose(a, choose(b, V(1), V(0)), V(0));
  }
};
struct logical_or : truth {
  static constexpr std::string_view name = "logical_or", onnx = "Or";
  template <class V> TT_HD static V apply(V a, V b) {
    using math::choose;
    return choose(a, V(1), choose(b, V(1), V(0)));
  }
};
struct logical_xor : truth {
  static constexpr std::string_view name = "logical_xor", onnx = "Xor";
  template <class V> TT_HD static V apply(V a, V b) {
    using math::choose, math::equal;
    return choose(a, equal(b, V(0)), choose(b, V(1), V(0)));
  }
};
struct logical_not : truth {
  static constexpr std::string_view name = "logical_not", onnx = "Not";
  template <class V> TT_HD static V apply(V x) { using math::equal; return equal(x, V(0)); }
};

/// The last step of the join is what makes 0 or 1 of an element.
struct all {
  static constexpr std::string_view name = "all", onnx = "ReduceMin";
  static constexpr bool on_complex = true;
  static constexpr dtype result(dtype t) { return t == dtype::uint8 ? t : dtype::boolean; }
  static constexpr dtype accumulator(dtype compute) { return compute; }
  template <class V> static constexpr V identity() { return V(1); }
  template <class V> TT_HD static V join(V a, V b) { return logical_and::apply(a, b); }
};
struct any {
  static constexpr std::string_view name = "any", onnx = "ReduceMax";
  static constexpr bool on_complex = true;
  static constexpr dtype result(dtype t) { return t == dtype::uint8 ? t : dtype::boolean; }
  static constexpr dtype accumulator(dtype compute) { return compute; }
  template <class V> static constexpr V identity() { return V(0); }
  template <class V> TT_HD static V join(V a, V b) { return logical_or::apply(a, b); }
};

using logical = op_list<logical_and, logical_or, logical_xor, logical_not>;

}  // namespace tt::ops
