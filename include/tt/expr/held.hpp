// The operands of a tree as they are held. The type of an expression names its op, dtypes and extents; what is held
// names none of them, so that all trees of one form share the code that moves, collects and destroys them.
#pragma once
#include <tt/expr/leaf.hpp>

namespace tt::detail {

/// Evaluates an operand, which enters the region as one tensor.
template <class E>
void collect_stored(const E& e, Sink& sink) {
  *sink.own = evaluate(e);
  *sink.entry++ = {sink.own, sink.own->version(), {}};
  ++sink.own;
}
/// An operand that enters a region as one tensor, evaluated first: a sum, a product, a tree that computes in another
/// type.
template <class E>
struct Apart {
  static constexpr int leaves = 1, stored = 1;
  E e;

  void collect(Sink& sink) const { collect_stored(e, sink); }
};

/// Refuses two operands whose axes of one name differ, be it by an extent of 1. The operands' entries are [a, b) and
/// [b, end) (dispatch/map.hpp).
inline void check_names(const Entry* a, const Entry* b, const Entry* end, unsigned names);

/// One to three operands. Each Part is a LeafData, a LiteralData, Held itself or Apart. Bit j of Names: the last axis
/// but j has one name in the first two operands; bit 16 + j: in what these broadcast to and in the third.
template <unsigned Names, class... Part>
struct Held;
template <unsigned Names, class A>
struct Held<Names, A> {
  static constexpr int leaves = A::leaves, stored = A::stored;
  A a;

  void collect(Sink& sink) const { a.collect(sink); }
};
template <unsigned Names, class A, class B>
struct Held<Names, A, B> {
  static constexpr int leaves = A::leaves + B::leaves, stored = A::stored + B::stored;
  A a;
  B b;

  void collect(Sink& sink) const {
    a.collect(sink);
    b.collect(sink);
    if constexpr (Names != 0) check_names(sink.entry - leaves, sink.entry - B::leaves, sink.entry, Names);
  }
};
template <unsigned Names, class A, class B, class C>
struct Held<Names, A, B, C> {
  static constexpr int leaves = A::leaves + B::leaves + C::leaves, stored = A::stored + B::stored + C::stored;
  A a;
  B b;
  C c;

  void collect(Sink& sink) const {
    a.collect(sink);
    b.collect(sink);
    c.collect(sink);
    const Entry *const third = sink.entry - C::leaves, *const first = sink.entry - leaves;
    if constexpr ((Names & 0xffff) != 0) check_names(first, third - B::leaves, third, Names & 0xffff);
    if constexpr (Names >> 16 != 0) check_names(first, third, sink.entry, Names >> 16);
  }
};

template <class Part>
inline constexpr bool is_held = false;
template <unsigned Names, class... Part>
inline constexpr bool is_held<Held<Names, Part...>> = true;
template <class Part>
inline constexpr bool is_apart = false;
template <class E>
inline constexpr bool is_apart<Apart<E>> = true;

/// How a node is held below one that it is fused into, or is not.
template <class Node, bool Fused>
struct part_of { using type = Apart<Node>; };
template <class Node>
  requires(is_leaf<Node>)
struct part_of<Node, false> { using type = std::conditional_t<is_literal<Node>, LiteralData, LeafData>; };
template <class Node>
struct part_of<Node, true> { using type = typename Node::held_type; };

/// An operand as such a part.
template <class Part, class X>
Part hold(X&& x) {
  if constexpr (number<X>) return {Constant(x)};
  else if constexpr (std::is_base_of_v<AnyTensor, std::remove_cvref_t<X>>) return Part(std::forward<X>(x), order_of<X> > 0);
  else if constexpr (is_held<Part>) return std::forward<X>(x).held;
  else if constexpr (is_apart<Part>) return {std::forward<X>(x)};
  else return std::forward<X>(x);  // a leaf or literal without its types
}

}  // namespace tt::detail
