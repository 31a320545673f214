// A program: what is left of an elementwise region once shapes, ranks and dtypes of leaves are gone. Kernels are typed on
// it and on the compute type, so that one kernel serves every shape.
#pragma once
#include <tt/expr/map.hpp>

namespace tt::prog {

/// Leaf or literal; Tracked says whether backward code has to be made for it. Bit k of a program's `wants` says so of its
/// leaf k, bit k of `passes` that the leaf's gradient is the incoming one unchanged.
template <bool Tracked>
struct leaf {
  static constexpr bool tracked = Tracked;
  static constexpr int leaves = 1;
  static constexpr unsigned wants = Tracked ? 1 : 0, passes = wants;
};

/// Bit k of Op::passes: the slope towards operand k is 1, so its gradient is the incoming one unchanged.
template <class Op>
inline constexpr unsigned passes_of = [] {
  if constexpr (requires { Op::passes; }) return Op::passes;
  else return 0u;
}();

template <class Op, class... Child>
struct op;
template <class Op, class A>
struct op<Op, A> {
  static constexpr bool tracked = A::tracked;
  static constexpr int leaves = A::leaves;
  static constexpr unsigned wants = A::wants;
  static constexpr unsigned passes = passes_of<Op> & 1 ? A::passes : 0;
};
template <class Op, class A, class B>
struct op<Op, A, B> {
  static constexpr bool tracked = A::tracked || B::tracked;
  static constexpr int leaves = A::leaves + B::leaves;
  static constexpr unsigned wants = A::wants | B::wants << A::leaves;
  static constexpr unsigned passes =
      (passes_of<Op> & 1 ? A::passes : 0) | (passes_of<Op> & 2 ? B::passes << A::leaves : 0);
};
template <class Op, class A, class B, class C>
struct op<Op, A, B, C> {
  static constexpr bool tracked = A::tracked || B::tracked || C::tracked;
  static constexpr int leaves = A::leaves + B::leaves + C::leaves;
  static constexpr unsigned wants = A::wants | B::wants << A::leaves | C::wants << (A::leaves + B::leaves);
  static constexpr unsigned passes = 0;
};

/// The program of a tree. Track = false gives the forward program, one and the same for plain, frozen and tracked operands.
template <class E, dtype Compute, bool Track, bool Fused = true>
struct of {
  using type = leaf<Track && (E::order > 0)>;
};
template <class Op, class... Child, dtype Compute, bool Track>
  requires(detail::fuses<Map<Op, Child...>, Compute>)
struct of<Map<Op, Child...>, Compute, Track, true> {
  using type = op<Op, typename of<Child, Compute, Track && (Map<Op, Child...>::order > 0), Map<Op, Child...>::fused>::type...>;
};
/// The root is part of its own region whatever its result type is.
template <class E, bool Track>
struct root;
template <class Op, class... Child, bool Track>
struct root<Map<Op, Child...>, Track> {
  using type = op<Op, typename of<Child, Map<Op, Child...>::compute, Track, Map<Op, Child...>::fused>::type...>;
};

template <class E>
using forward_program = typename root<E, false>::type;
template <class E>
using backward_program = typename root<E, true>::type;

/// A bare leaf: copies and conversions.
using copy = leaf<false>;

/// Bit k: leaf k of the region is a number of the program's text.
template <class E, dtype Compute, bool Fused = true>
inline constexpr unsigned numbers = detail::is_literal<E> ? 1u : 0u;
template <dtype Compute, bool Fused>
constexpr unsigned numbers_of() { return 0; }
template <dtype Compute, bool Fused, class A, class... Rest>
constexpr unsigned numbers_of() {
  constexpr int leaves = Fused ? detail::region_leaves<A, Compute>() : 1;
  return numbers<A, Compute, Fused> | numbers_of<Compute, Fused, Rest...>() << leaves;
}
template <class Op, class... Child, dtype Compute>
  requires(detail::fuses<Map<Op, Child...>, Compute>)
inline constexpr unsigned numbers<Map<Op, Child...>, Compute, true> =
    numbers_of<Compute, Map<Op, Child...>::fused, Child...>();
/// The region under an elementwise root, which is part of it whatever its result type is.
template <class E>
inline constexpr unsigned root_numbers = detail::is_literal<E> ? 1u : 0u;
template <class Op, class... Child>
inline constexpr unsigned root_numbers<Map<Op, Child...>> = numbers_of<Map<Op, Child...>::compute, Map<Op, Child...>::fused, Child...>();

/// One of several programs that run in one pass.
template <class Program, unsigned Numbers>
struct assigned {
  using program = Program;
  static constexpr unsigned numbers = Numbers;
};

}  // namespace tt::prog
