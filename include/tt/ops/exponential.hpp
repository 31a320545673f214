// exp, log, sqrt. Integers give float.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>

namespace tt::ops { struct exp; struct log; struct sqrt; }

namespace tt {
template <expression X> auto exp(X&& x) { return map_of<ops::exp>(std::forward<X>(x)); }
template <expression X> auto log(X&& x) { return map_of<ops::log>(std::forward<X>(x)); }
template <expression X> auto sqrt(X&& x) { return map_of<ops::sqrt>(std::forward<X>(x)); }
}  // namespace tt

namespace tt::ops {

struct exp {
  static constexpr std::string_view name = "exp", onnx = "Exp";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { using math::exp; return exp(x); }
  TT_HD static auto derivative_from_output(const auto& y) { return y; }
};

struct log {
  static constexpr std::string_view name = "log", onnx = "Log";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { using math::log; return log(x); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto& x) { return g / x; }
};

/// The slope at 0 is infinite.
struct sqrt {
  static constexpr std::string_view name = "sqrt", onnx = "Sqrt";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { using math::sqrt; return sqrt(x); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto& y, const auto&) { return g / (y + y); }
};

using exponential = op_list<exp, log, sqrt>;

}  // namespace tt::ops
