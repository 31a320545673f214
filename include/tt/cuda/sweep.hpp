// The backward sweep of a program for one element, derived as cpu/lanes.hpp derives it for a packet: forward values are
// computed again, then gradients go down to the leaves.
#pragma once
#include <tt/cuda/element.hpp>
#include <tt/expr/pull.hpp>
#include <tt/expr/reads.hpp>

namespace tt::gpu {

/// First is the index of the program's first leaf. `taken` says whether the element is in the branches that lead here:
/// the slope in the others may be infinite, and 0 times infinity is NaN.
template <class Number, class Program, int First = 0>
struct Sweep;

template <class Number, bool Tracked, int First>
struct Sweep<Number, prog::leaf<Tracked>, First> {
  Number value;
  TT_HD void forward(const Number* leaf) { value = leaf[First]; }
  TT_HD void backward(Number g, bool taken, Number* gradient) const { gradient[First] = taken ? g : Number(0); }
};

template <class Number, class Op, class A, int First>
struct Sweep<Number, prog::op<Op, A>, First> {
  Sweep<Number, A, First> a;
  Number value;
  TT_HD void forward(const Number* leaf) {
    a.forward(leaf);
    value = Op::apply(a.value);
  }
  TT_HD void backward(Number g, bool taken, Number* gradient) const {
    if constexpr (A::tracked) a.backward(prog::pull<Op, 0>(g, value, a.value), taken, gradient);
  }
};

template <class Number, class Op, class A, class B, int First>
struct Sweep<Number, prog::op<Op, A, B>, First> {
  Sweep<Number, A, First> a;
  Sweep<Number, B, First + A::leaves> b;
  Number value;
  TT_HD void forward(const Number* leaf) {
    a.forward(leaf);
    b.forward(leaf);
    value = Op::apply(a.value, b.value);
  }
  TT_HD void backward(Number g, bool taken, Number* gradient) const {
    if constexpr (A::tracked) a.backward(prog::pull<Op, 0>(g, value, a.value, b.value), taken, gradient);
    if constexpr (B::tracked) b.backward(prog::pull<Op, 1>(g, value, a.value, b.value), taken, gradient);
  }
};

template <class Number, class Op, class A, class B, class C, int First>
struct Sweep<Number, prog::op<Op, A, B, C>, First> {
  Sweep<Number, A, First> a;
  Sweep<Number, B, First + A::leaves> b;
  Sweep<Number, C, First + A::leaves + B::leaves> c;
  Number value;
  TT_HD void forward(const Number* leaf) {
    a.forward(leaf);
    b.forward(leaf);
    c.forward(leaf);
    value = Op::apply(a.value, b.value, c.value);
  }
  TT_HD void backward(Number g, bool taken, Number* gradient) const {
    [[maybe_unused]] bool second = taken, third = taken;
    if constexpr (tt::detail::has_condition<Op>) {
      const bool condition = element_from<bool>(a.value);
      second = taken && condition;
      third = taken && !condition;
    } else {
      if constexpr (A::tracked) a.backward(prog::pull<Op, 0>(g, value, a.value, b.value, c.value), taken, gradient);
    }
    if constexpr (B::tracked) b.backward(prog::pull<Op, 1>(g, value, a.value, b.value, c.value), second, gradient);
    if constexpr (C::tracked) c.backward(prog::pull<Op, 2>(g, value, a.value, b.value, c.value), third, gradient);
  }
};

/// What enters and leaves a sweep: of complex numbers the conjugate, see cpu/complex.hpp.
template <class Number>
TT_HD Number swept(Number g) {
  if constexpr (is_complex_number<Number>) return conj(g);
  else return g;
}

/// From the output, which is the leaf.
template <class Number, class Op, int First>
struct Sweep<Number, prog::undo<Op>, First> {
  Number value;
  TT_HD void forward(const Number* leaf) { value = leaf[First]; }
  TT_HD void backward(Number g, bool taken, Number* gradient) const {
    gradient[First] = taken ? prog::pull<Op, 0>(g, value, value) : Number(0);
  }
};

}  // namespace tt::gpu
