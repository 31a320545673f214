// Arithmetic: + - * / neg abs sign square reciprocal pow minimum maximum.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>

namespace tt::ops {
struct add; struct sub; struct mul; struct div; struct neg; struct abs; struct sign;
struct square; struct reciprocal; struct pow; struct minimum; struct maximum;
}  // namespace tt::ops

namespace tt {

/// At least one of two operands is an expression; the other may be a number.
template <class Left, class Right>
concept operands = operand<Left> && operand<Right> && (expression<Left> || expression<Right>);

template <class X, class Y>
  requires operands<X, Y>
auto operator+(X&& x, Y&& y) { return map_of<ops::add>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator-(X&& x, Y&& y) { return map_of<ops::sub>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto operator*(X&& x, Y&& y) { return map_of<ops::mul>(std::forward<X>(x), std::forward<Y>(y)); }
/// True division: integers give float.
template <class X, class Y>
  requires operands<X, Y>
auto operator/(X&& x, Y&& y) { return map_of<ops::div>(std::forward<X>(x), std::forward<Y>(y)); }
template <expression X> auto operator-(X&& x) { return map_of<ops::neg>(std::forward<X>(x)); }
template <expression X> auto operator+(X&& x) { return std::forward<X>(x); }

template <expression X> auto abs(X&& x) { return map_of<ops::abs>(std::forward<X>(x)); }
/// -1, 0 or 1 in the dtype of x; 0 for NaN. https://pytorch.org/docs/stable/generated/torch.sign.html
template <expression X> auto sign(X&& x) { return map_of<ops::sign>(std::forward<X>(x)); }
/// 1 / x; integers give float. https://pytorch.org/docs/stable/generated/torch.reciprocal.html
template <expression X> auto reciprocal(X&& x) { return map_of<ops::reciprocal>(std::forward<X>(x)); }
template <expression X> auto square(X&& x) { return map_of<ops::square>(std::forward<X>(x)); }
/// x to the power y. Integers stay integers. https://pytorch.org/docs/stable/generated/torch.pow.html
template <class X, class Y>
  requires operands<X, Y>
auto pow(X&& x, Y&& y) { return map_of<ops::pow>(std::forward<X>(x), std::forward<Y>(y)); }
/// The smaller (larger) of each pair; NaN if one is NaN. Where they are equal each receives half the gradient, where
/// one is NaN each receives all of it.
template <class X, class Y>
  requires operands<X, Y>
auto minimum(X&& x, Y&& y) { return map_of<ops::minimum>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
  requires operands<X, Y>
auto maximum(X&& x, Y&& y) { return map_of<ops::maximum>(std::forward<X>(x), std::forward<Y>(y)); }

template <typed_tensor X> X neg_(const X& x) { return x.template map_<ops::neg>(); }
template <typed_tensor X> X abs_(const X& x) { return x.template map_<ops::abs>(); }
template <typed_tensor X> X sign_(const X& x) { return x.template map_<ops::sign>(); }
template <typed_tensor X> X reciprocal_(const X& x) { return x.template map_<ops::reciprocal>(); }
template <typed_tensor X> X square_(const X& x) { return x.template map_<ops::square>(); }
template <typed_tensor X, operand Y> X pow_(const X& x, const Y& y) { return x.template map_<ops::pow>(y); }

}  // namespace tt

namespace tt::ops {

struct add {
  static constexpr std::string_view name = "add", onnx = "Add";
  static constexpr bool on_complex = true;
  static constexpr unsigned passes = 0b11;
  template <class V> TT_HD static V apply(V a, V b) { using math::plus; return plus(a, b); }
};

struct sub {
  static constexpr std::string_view name = "sub", onnx = "Sub";
  static constexpr bool on_complex = true;
  static constexpr unsigned passes = 0b01;
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  static constexpr bool accepts_each = true;
  template <int> static constexpr unsigned reads = 0;
  template <class V> TT_HD static V apply(V a, V b) { using math::minus; return minus(a, b); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto&, const auto&) { return -g; }
};

struct mul {
  static constexpr std::string_view name = "mul", onnx = "Mul";
  static constexpr bool on_complex = true;
  template <int Operand> static constexpr unsigned reads = Operand == 0 ? 0b10 : 0b01;
  template <class V> TT_HD static V apply(V a, V b) { using math::times; return times(a, b); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto& a, const auto& b) {
    if constexpr (Operand == 0) return g * b;
    else return g * a;
  }
};

struct div {
  static constexpr std::string_view name = "div", onnx = "Div";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <int Operand> static constexpr unsigned reads = Operand == 0 ? 0b10 : 0b11;
  template <class V> TT_HD static V apply(V a, V b) { return a / b; }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto& y, const auto&, const auto& b) {
    if constexpr (Operand == 0) return g / b;
    else return -g * y / b;
  }
};

struct neg {
  static constexpr std::string_view name = "neg", onnx = "Neg";
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  template <int> static constexpr unsigned reads = 0;
  template <class V> TT_HD static V apply(V x) {
    using math::minus;
    if constexpr (requires { requires std::is_integral_v<V>; }) return minus(V(0), x);
    else return -x;
  }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto&) { return -g; }
};

/// The slope at 0 and at NaN is 0.
struct abs {
  static constexpr std::string_view name = "abs", onnx = "Abs";
  static constexpr result_rule result = result_rule::real;
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  template <class V> TT_HD static V apply(V x) { using math::abs; return abs(x); }
  template <int Operand, class V> TT_HD static V pullback(V g, V y, V x) {
    using math::choose, math::conj, math::equal, math::less;
    if constexpr (requires { less(x, x); }) return choose(less(x, V(0)), V(-g), choose(less(V(0), x), g, V(0)));
    else return choose(equal(y, V(0)), V(0), g * conj(x) / y);
  }
};

/// A bool is its own sign.
struct sign {
  static constexpr std::string_view name = "sign", onnx = "Sign";
  template <int> static constexpr unsigned reads = 0;
  template <class V> TT_HD static V apply(V x) { using math::less; return less(V(0), x) - less(x, V(0)); }
  template <int Operand, class V> TT_HD static V pullback(const V&, const V&, const V&) { return V(0); }
};

struct square {
  static constexpr std::string_view name = "square", onnx = "Mul";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::number;
  template <class V> TT_HD static V apply(V x) { using math::times; return times(x, x); }
  TT_HD static auto derivative(const auto& x) { return x + x; }
};

struct reciprocal {
  static constexpr std::string_view name = "reciprocal", onnx = "Reciprocal";
  static constexpr bool on_complex = true;
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { return V(1) / x; }
  TT_HD static auto derivative_from_output(const auto& y) { return -(y * y); }
};

/// y * x^(y-1) towards the base, 0 where y is 0; x^y log x towards the exponent, 0 where x is 0 and y is not negative.
struct pow {
  static constexpr std::string_view name = "pow", onnx = "Pow";
  static constexpr int flops = 60;
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  template <class V> TT_HD static V apply(V a, V b) { using math::pow; return pow(a, b); }
  template <int Operand, class V> TT_HD static V pullback(V g, V y, V a, V b) {
    using math::choose, math::equal, math::less, math::pow, math::log;
    if constexpr (Operand == 0) return choose(equal(b, V(0)), V(0), g * (b * pow(a, b - V(1))));
    else if constexpr (requires { less(b, b); })
      return choose(equal(a, V(0)) * (V(1) - less(b, V(0))), V(0), g * (y * log(a)));
    else return choose(equal(a, V(0)), V(0), g * (y * log(a)));
  }
};

struct minimum {
  static constexpr std::string_view name = "minimum", onnx = "Min";
  template <class V> TT_HD static V apply(V a, V b) {
    using math::choose, math::equal, math::less;
    return choose(less(a, b) + (V(1) - equal(a, a)), a, b);
  }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V a, V b) {
    using math::choose, math::equal, math::less;
    return choose(equal(a, b), g * V(0.5), choose(Operand == 0 ? less(b, a) : less(a, b), V(0), g));
  }
};

struct maximum {
  static constexpr std::string_view name = "maximum", onnx = "Max";
  template <class V> TT_HD static V apply(V a, V b) {
    using math::choose, math::equal, math::less;
    return choose(less(b, a) + (V(1) - equal(a, a)), a, b);
  }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V a, V b) {
    using math::choose, math::equal, math::less;
    return choose(equal(a, b), g * V(0.5), choose(Operand == 0 ? less(a, b) : less(b, a), V(0), g));
  }
};

/// The only list of this file's ops. Registry, tests, docs and profiler names all read it.
using arithmetic = op_list<add, sub, mul, div, neg, abs, sign, square, reciprocal, pow, minimum, maximum>;

}  // namespace tt::ops
