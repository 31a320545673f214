// tanh.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>

namespace tt::ops { struct tanh; }

namespace tt {
template <expression X> auto tanh(X&& x) { return map_of<ops::tanh>(std::forward<X>(x)); }
template <typed_tensor X> X tanh_(const X& x) { return x.template map_<ops::tanh>(); }
}  // namespace tt

namespace tt::ops {

/// Written with the output, so that a node of its own keeps y and lets x go.
struct tanh {
  static constexpr std::string_view name = "tanh", onnx = "Tanh";
  static constexpr int flops = 20;
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { using math::tanh; return tanh(x); }
  template <class V> TT_HD static V derivative_from_output(const V& y) { return V(1) - y * y; }
};

using hyperbolic = op_list<tanh>;

}  // namespace tt::ops
