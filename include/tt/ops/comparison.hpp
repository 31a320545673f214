// Comparisons, which give bool and have no derivative, and where, which chooses.
#pragma once
#include <tt/core/math.hpp>
#include <tt/ops/arithmetic.hpp>

namespace tt::ops {
struct eq; struct ne; struct lt; struct le; struct gt; struct ge; struct where;
}  // namespace tt::ops

namespace tt {

// == is elementwise; equal(a, b) compares whole tensors.
template <class X, class Y>
  requires operands<X, Y>
auto operator==(X&& x, Y&& y) { return map_of<ops::eq>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator!=(X&& x, Y&& y) { return map_of<ops::ne>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator<(X&& x, Y&& y) { return map_of<ops::lt>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator<=(X&& x, Y&& y) { return map_of<ops::le>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator>(X&& x, Y&& y) { return map_of<ops::gt>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator>=(X&& x, Y&& y) { return map_of<ops::ge>(std::forward<X>(x), std::forward<Y>(y)); }

namespace error {
template <class>
inline constexpr bool condition_is_not_bool = false;
}
/// x where the condition (bool) is true, else y. The branch not taken gets gradient 0, whatever its slope would be.
/// https://pytorch.org/docs/stable/generated/torch.where.html
template <expression C, class X, class Y>
  requires operand<X> && operand<Y>
auto where(C&& condition, X&& x, Y&& y) {
  static_assert(std::is_same_v<value_t<C>, bool> || error::condition_is_not_bool<error::operands<value_t<C>>>,
                "tt::where: the condition must be bool: write x != 0");
  return map_of<ops::where>(std::forward<C>(condition), std::forward<X>(x), std::forward<Y>(y));
}

}  // namespace tt

namespace tt::ops {

struct eq {
  static constexpr std::string_view name = "eq", onnx = "Equal";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::boolean;
  template <class V> TT_HD static V apply(V a, V b) { using math::equal; return equal(a, b); }
};
struct ne {
  static constexpr std::string_view name = "ne", onnx = "Not(Equal)";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::boolean;
  template <class V> TT_HD static V apply(V a, V b) { using math::equal; return V(1) - equal(a, b); }
};
struct lt {
  static constexpr std::string_view name = "lt", onnx = "Less";
  static constexpr result_rule result = result_rule::boolean;
  template <class V> TT_HD static V apply(V a, V b) { using math::less; return less(a, b); }
};
struct le {
  static constexpr std::string_view name = "le", onnx = "LessOrEqual";
  static constexpr result_rule result = result_rule::boolean;
  template <class V> TT_HD static V apply(V a, V b) { using math::less_equal; return less_equal(a, b); }
};
struct gt {
  static constexpr std::string_view name = "gt", onnx = "Greater";
  static constexpr result_rule result = result_rule::boolean;
  template <class V> TT_HD static V apply(V a, V b) { using math::less; return less(b, a); }
};
struct ge {
  static constexpr std::string_view name = "ge", onnx = "GreaterOrEqual";
  static constexpr result_rule result = result_rule::boolean;
  template <class V> TT_HD static V apply(V a, V b) { using math::less_equal; return less_equal(b, a); }
};

struct where {
  static constexpr std::string_view name = "where", onnx = "Where";
  static constexpr bool on_complex = true;
  static constexpr bool condition = true;
  template <int> static constexpr unsigned reads = 0b001;
  template <class V> TT_HD static V apply(V c, V a, V b) { using math::choose; return choose(c, a, b); }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V c, V, V) {
    using math::choose;
    if constexpr (Operand == 1) return choose(c, g, V(0));
    else return choose(c, V(0), g);
  }
};

using comparison = op_list<eq, ne, lt, le, gt, ge>;
using selection = op_list<where>;

}  // namespace tt::ops
