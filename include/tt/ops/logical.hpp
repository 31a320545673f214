// Truth values of elements of any dtype: what is not 0 is true, NaN too. The results are bool.
#pragma once
#include <tt/core/math.hpp>
#include <tt/ops/comparison.hpp>

namespace tt::ops { struct logical_and; struct logical_or; struct logical_xor; struct logical_not; }

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

using logical = op_list<logical_and, logical_or, logical_xor, logical_not>;

}  // namespace tt::ops
