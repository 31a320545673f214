// The gradient that an operand of an op receives, from the op's own words: one rule for packets, for elements on a
// device and for tensors.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/program.hpp>

namespace tt::prog {

/// `pullback`, or g times the slope. Where that may be infinite, no gradient stays none: 0 times infinity would be NaN.
template <class Op, int Which, class V>
TT_HD TT_INLINE V pull(V g, V y, V x) {
  using math::choose;
  if constexpr (requires { Op::steep; }) return choose(g, V(Op::template pullback<Which>(g, y, x)), V(0));
  else if constexpr (requires { Op::template pullback<Which>(g, y, x); }) return Op::template pullback<Which>(g, y, x);
  else if constexpr (requires { Op::gradient_from_output(g, y); }) return Op::gradient_from_output(g, y);
  else if constexpr (requires { Op::derivative_from_output(y); }) return g * Op::derivative_from_output(y);
  else return g * Op::derivative(x);
}
template <class Op, int Which, class V, class... Operands>
TT_HD TT_INLINE V pull(V g, V y, V a, V b, Operands... rest) {
  if constexpr ((passes_of<Op> >> Which & 1) != 0) return g;
  else return Op::template pullback<Which>(g, y, a, b, rest...);
}

}  // namespace tt::prog
