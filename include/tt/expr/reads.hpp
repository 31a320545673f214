// Which operands' values backward reads: the tape keeps no others, so those may be written to after they were used.
#pragma once
#include <tt/expr/program.hpp>

namespace tt {

namespace detail {

/// Whether an op's slope needs nothing but the output.
template <class Op>
inline constexpr bool undone_from_output = requires(double y) { Op::derivative_from_output(y); } ||
                                           requires(double y) { Op::gradient_from_output(y, y); };

}  // namespace detail

namespace prog {

/// Op's backward on its own: its one leaf is the output.
template <class Op>
struct undo {
  static constexpr bool tracked = true;
  static constexpr int leaves = 1;
  static constexpr unsigned wants = 1;
};
template <class Program>
struct undo_of {
  static constexpr bool exists = false;
};
template <class Op>
  requires(detail::undone_from_output<Op>)
struct undo_of<op<Op, leaf<true>>> {
  static constexpr bool exists = true;
  using type = undo<Op>;
};

/// Bit j: the gradient towards operand Which of Op needs the value of operand j. An op that says nothing needs all; it says
/// so as `template <int Operand> static constexpr unsigned reads`.
template <class Op, int Which>
inline constexpr unsigned operand_reads = [] {
  if constexpr ((passes_of<Op> >> Which & 1) != 0) return 0u;
  else if constexpr (requires { Op::template reads<Which>; }) return Op::template reads<Which>;
  else return ~0u;
}();

/// Bit k: the backward kernel of a program needs the value of its leaf k.
template <class Program>
inline constexpr unsigned reads = 0;

template <unsigned Operands, int First, int Operand>
constexpr unsigned all_leaves() { return 0; }
template <unsigned Operands, int First, int Operand, class A, class... Rest>
constexpr unsigned all_leaves() {
  constexpr unsigned mine = (Operands >> Operand & 1) ? ((1u << A::leaves) - 1) << First : 0u;
  return mine | all_leaves<Operands, First + A::leaves, Operand + 1, Rest...>();
}
template <int First>
constexpr unsigned inner_reads() { return 0; }
template <int First, class A, class... Rest>
constexpr unsigned inner_reads() { return reads<A> << First | inner_reads<First + A::leaves, Rest...>(); }

template <class Op, class A>
inline constexpr unsigned reads<op<Op, A>> = !A::tracked ? 0u : all_leaves<operand_reads<Op, 0>, 0, 0, A>() | reads<A>;
template <class Op, class A, class B>
inline constexpr unsigned reads<op<Op, A, B>> =
    all_leaves<(A::tracked ? operand_reads<Op, 0> : 0) | (B::tracked ? operand_reads<Op, 1> : 0), 0, 0, A, B>() | inner_reads<0, A, B>();
template <class Op, class A, class B, class C>
inline constexpr unsigned reads<op<Op, A, B, C>> =
    all_leaves<(A::tracked ? operand_reads<Op, 0> : 0) | (B::tracked ? operand_reads<Op, 1> : 0) | (C::tracked ? operand_reads<Op, 2> : 0),
               0, 0, A, B, C>() | inner_reads<0, A, B, C>();

}  // namespace prog
}  // namespace tt
