// Activations of networks: sigmoid, relu.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>

namespace tt::ops { struct sigmoid; struct relu; }

namespace tt {
/// 1 / (1 + exp(-x)).
template <expression X> auto sigmoid(X&& x) { return map_of<ops::sigmoid>(std::forward<X>(x)); }
/// max(x, 0); NaN stays. The slope at 0 is 0.
template <expression X> auto relu(X&& x) { return map_of<ops::relu>(std::forward<X>(x)); }
template <typed_tensor X> X sigmoid_(const X& x) { return x.template map_<ops::sigmoid>(); }
template <typed_tensor X> X relu_(const X& x) { return x.template map_<ops::relu>(); }
}  // namespace tt

namespace tt::ops {

struct sigmoid {
  static constexpr std::string_view name = "sigmoid", onnx = "Sigmoid";
  static constexpr int flops = 25;
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { using math::exp; return V(1) / (V(1) + exp(V(-x))); }
  template <class V> TT_HD static V derivative_from_output(const V& y) { return y * (V(1) - y); }
};

/// The gradient goes through where the output is positive; a product with 0 would turn an infinite one into NaN.
struct relu {
  static constexpr std::string_view name = "relu", onnx = "Relu";
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  template <class V>
  TT_HD static V apply(V x) {
    using math::choose, math::less;
    return choose(less(x, V(0)), V(0), x);
  }
  template <class V> TT_HD static V gradient_from_output(const V& g, const V& y) {
    using math::choose, math::less_equal;
    return choose(less_equal(y, V(0)), V(0), g);
  }
};

using activation = op_list<sigmoid, relu>;

}  // namespace tt::ops
