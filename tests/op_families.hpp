// The elementwise ops as one family: how many operands each has, what it accepts, where it is smooth, how to call it.
#pragma once
#include "tensors.hpp"

namespace tests {

template <class Op>
inline constexpr int arity = [] {
  if constexpr (requires { Op::apply(1.); }) return 1;
  else if constexpr (requires { Op::apply(1., 1.); }) return 2;
  else return 3;
}();

/// f(Op{}) for every elementwise op of the library.
template <class Function>
void for_each_map_op(Function&& f) {
  using namespace tt::ops;
  tt::for_each_op(arithmetic{}, f);
  tt::for_each_op(exponential{}, f);
  tt::for_each_op(hyperbolic{}, f);
  tt::for_each_op(trigonometric{}, f);
  tt::for_each_op(rounding{}, f);
  tt::for_each_op(activation{}, f);
  tt::for_each_op(comparison{}, f);
  tt::for_each_op(selection{}, f);
  tt::for_each_op(logical{}, f);
  tt::for_each_op(division{}, f);
}

using tt::detail::accepts;
/// Where integers stay integers, so that int64 kernels exist.
template <class Op>
inline constexpr bool keeps_integers = tt::detail::rule_of<Op> != tt::result_rule::floating;
template <class Op>
inline constexpr bool compares = tt::detail::rule_of<Op> == tt::result_rule::boolean;

/// Whether vector and scalar may differ in the last bits: their functions are not the same code.
template <class Op>
inline constexpr bool approximate = std::is_same_v<Op, tt::ops::exp> || std::is_same_v<Op, tt::ops::log> ||
                                    std::is_same_v<Op, tt::ops::tanh> || std::is_same_v<Op, tt::ops::sigmoid>;

/// Whether an integer divisor of 0 is refused.
template <class Op>
inline constexpr bool divides = requires { Op::refuses_zero; };

/// Operand k of Op: numbers where the op is defined (and, for gradients, smooth).
template <class Op>
constexpr double low_of(int k) {
  if constexpr (std::is_same_v<Op, tt::ops::log> || std::is_same_v<Op, tt::ops::log2> ||
                std::is_same_v<Op, tt::ops::sqrt> || std::is_same_v<Op, tt::ops::pow>)
    return k ? -2 : 0.1;
  else if constexpr (std::is_same_v<Op, tt::ops::div>) return k ? 0.5 : -3;
  else if constexpr (std::is_same_v<Op, tt::ops::reciprocal>) return 0.5;
  else if constexpr (divides<Op>) return k ? 1 : -3;  // and no 0 among integers
  else return -3;
}
template <class Op, class Number, class ShapeType>
auto operand_of(const tt::dims& size, int k) {
  // Integer powers of negative exponents are no numbers, so those start at 0.
  const double low = std::is_integral_v<Number> && std::is_same_v<Op, tt::ops::pow> ? 0 : low_of<Op>(k);
  return numbers<Number, ShapeType>(size, low, 3, std::uint64_t(k + 1));
}

/// Op over as many of a, b, c as it takes; a becomes a condition where it must.
template <class Op, class A, class B, class C>
auto call(const A& a, const B& b, const C& c) {
  if constexpr (arity<Op> == 1) return tt::map_of<Op>(a);
  else if constexpr (arity<Op> == 2) return tt::map_of<Op>(a, b);
  else return tt::where(a > 0, b, c);
}
/// The same of single numbers.
template <class Op, class Number>
auto scalar_call(Number a, Number b, Number c) {
  if constexpr (arity<Op> == 1) return Op::apply(a);
  else if constexpr (arity<Op> == 2) return Op::apply(a, b);
  else return a > 0 ? b : c;
}

}  // namespace tests
