// A program's value for one element: the formulas of its ops, the same that run on packets in cpu/lanes.hpp.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/program.hpp>

namespace tt::gpu {

/// First is the index of the program's first leaf.
template <class Program, int First = 0>
struct Formula;

template <bool Tracked, int First>
struct Formula<prog::leaf<Tracked>, First> {
  template <class Number>
  TT_HD static Number value(const Number* leaf) {
    return leaf[First];
  }
};

template <class Op, class A, int First>
struct Formula<prog::op<Op, A>, First> {
  template <class Number>
  TT_HD static Number value(const Number* leaf) {
    return Op::apply(Formula<A, First>::value(leaf));
  }
};

template <class Op, class A, class B, int First>
struct Formula<prog::op<Op, A, B>, First> {
  template <class Number>
  TT_HD static Number value(const Number* leaf) {
    return Op::apply(Formula<A, First>::value(leaf), Formula<B, First + A::leaves>::value(leaf));
  }
};

template <class Op, class A, class B, class C, int First>
struct Formula<prog::op<Op, A, B, C>, First> {
  template <class Number>
  TT_HD static Number value(const Number* leaf) {
    return Op::apply(Formula<A, First>::value(leaf), Formula<B, First + A::leaves>::value(leaf),
                     Formula<C, First + A::leaves + B::leaves>::value(leaf));
  }
};

}  // namespace tt::gpu
