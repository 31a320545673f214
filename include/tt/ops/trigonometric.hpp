// sin, cos, atan2. Integers give float.
#pragma once
#include <tt/core/math.hpp>
#include <tt/ops/arithmetic.hpp>

namespace tt::ops {
struct sin;
struct cos;
struct atan2;
}  // namespace tt::ops

namespace tt {
template <expression X>
auto sin(X&& x) {
  return map_of<ops::sin>(std::forward<X>(x));
}
template <expression X>
auto cos(X&& x) {
  return map_of<ops::cos>(std::forward<X>(x));
}
/// The angle of the point (x, y) in (-pi, pi]. https://pytorch.org/docs/stable/generated/torch.atan2.html
template <class Y, class X>
requires operands<Y, X>
auto atan2(Y&& y, X&& x) { return map_of<ops::atan2>(std::forward<Y>(y), std::forward<X>(x)); }

template <typed_tensor X> X sin_(const X& x) { return x.template map_<ops::sin>(); }
template <typed_tensor X> X cos_(const X& x) { return x.template map_<ops::cos>(); }
template <typed_tensor Y, operand X> Y atan2_(const Y& y, const X& x) { return y.template map_<ops::atan2>(x); }
}  // namespace tt

namespace tt::ops {

struct sin {
  static constexpr std::string_view name = "sin", onnx = "Sin";
  static constexpr int flops = 40;
  static constexpr result_rule result = result_rule::floating;
  template <class V>
  TT_HD static V apply(V x) {
    using math::sin;
    return sin(x);
  }
  template <class V>
  TT_HD static V derivative(const V& x) {
    using math::cos;
    return cos(x);
  }
};

struct cos {
  static constexpr std::string_view name = "cos", onnx = "Cos";
  static constexpr int flops = 40;
  static constexpr result_rule result = result_rule::floating;
  template <class V>
  TT_HD static V apply(V x) {
    using math::cos;
    return cos(x);
  }
  template <class V>
  TT_HD static V derivative(const V& x) {
    using math::sin;
    return -sin(x);
  }
};

/// The angle of the point (b, a). In the origin there is no slope: NaN, as in PyTorch.
struct atan2 {
  static constexpr std::string_view name = "atan2", onnx = "Atan2";
  static constexpr int flops = 40;
  static constexpr result_rule result = result_rule::floating;
  template <class V>
  TT_HD static V apply(V a, V b) {
    using math::atan2;
    return atan2(a, b);
  }
  template <int Operand>
  TT_HD static auto pullback(const auto& g, const auto&, const auto& a, const auto& b) {
    if constexpr (Operand == 0) return g * b / (a * a + b * b);
    else return -g * a / (a * a + b * b);
  }
};

using trigonometric = op_list<sin, cos, atan2>;

}  // namespace tt::ops
