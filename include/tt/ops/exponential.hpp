// exp, log, log2, sqrt. Integers give float.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>

namespace tt::ops { struct exp; struct log; struct log2; struct sqrt; }

namespace tt {
template <expression X> auto exp(X&& x) { return map_of<ops::exp>(std::forward<X>(x)); }
template <expression X> auto log(X&& x) { return map_of<ops::log>(std::forward<X>(x)); }
template <expression X> auto log2(X&& x) { return map_of<ops::log2>(std::forward<X>(x)); }
template <expression X> auto sqrt(X&& x) { return map_of<ops::sqrt>(std::forward<X>(x)); }
template <typed_tensor X> X exp_(const X& x) { return x.template map_<ops::exp>(); }
template <typed_tensor X> X log_(const X& x) { return x.template map_<ops::log>(); }
template <typed_tensor X> X log2_(const X& x) { return x.template map_<ops::log2>(); }
template <typed_tensor X> X sqrt_(const X& x) { return x.template map_<ops::sqrt>(); }
}  // namespace tt

namespace tt::ops {

/// `steep`: the slope is infinite where the op's domain begins. An element that has no share in the result, its
/// gradient being 0, gets 0 there and not NaN.

struct exp {
  static constexpr std::string_view name = "exp", onnx = "Exp";
  static constexpr int flops = 20;
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { using math::exp; return exp(x); }
  TT_HD static auto derivative_from_output(const auto& y) { return y; }
};

struct log {
  static constexpr std::string_view name = "log", onnx = "Log";
  static constexpr int flops = 20;
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  static constexpr bool steep = true;
  template <class V> TT_HD static V apply(V x) { using math::log; return log(x); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto& x) { return g / x; }
};

struct log2 {
  static constexpr std::string_view name = "log2", onnx = "Log";
  static constexpr int flops = 20;
  static constexpr result_rule result = result_rule::floating;
  static constexpr bool steep = true;
  template <class V> TT_HD static V apply(V x) { using math::log2; return log2(x); }
  template <int Operand, class V> TT_HD static V pullback(const V& g, const V&, const V& x) {
    using math::log;
    return g / (x * log(V(2)));
  }
};

struct sqrt {
  static constexpr std::string_view name = "sqrt", onnx = "Sqrt";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  static constexpr bool steep = true;
  template <class V> TT_HD static V apply(V x) { using math::sqrt; return sqrt(x); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto& y, const auto&) { return g / (y + y); }
};

using exponential = op_list<exp, log, log2, sqrt>;

}  // namespace tt::ops
