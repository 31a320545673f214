// The registers of one packet of a program: compute forward, sweep back. This is where backward kernels are derived.
#pragma once
#include <tt/cpu/complex.hpp>
#include <tt/dispatch/kernel.hpp>
#include <tt/expr/pull.hpp>
#include <tt/expr/reads.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// Which lanes of a gradient count. Below the branches of a where only those that took the branch do: the slope of the
/// others may be infinite, and 0 times infinity is NaN.
struct Everywhere {};
template <class V>
struct Under {
  V taken;
};
template <class V>
TT_INLINE V taken_by(Everywhere) { return V(1); }
template <class V>
TT_INLINE V taken_by(Under<V> u) { return u.taken; }

/// First is the index of the program's first leaf.
template <class V, class Program, int First>
struct Lanes;

template <class Number, bool Tracked, int First>
struct Lanes<simd<Number>, prog::leaf<Tracked>, First> {
  using V = simd<Number>;
  V value;
  TT_INLINE void forward(const auto& o, index_t i) { value = o.template load<Number>(First, i); }
  template <class Where = Everywhere>
  TT_INLINE void backward(const auto& o, index_t i, V g, [[maybe_unused]] Where where = {}) const {
    if constexpr (!std::is_same_v<Where, Everywhere>) g = choose(where.taken, g, V(0));
    o.template add<Number>(First, i, swept(g));
  }
};

template <class V, class Op, class A, int First>
struct Lanes<V, prog::op<Op, A>, First> {
  Lanes<V, A, First> a;
  V value;
  TT_INLINE void forward(const auto& o, index_t i) {
    a.forward(o, i);
    value = Op::apply(a.value);
  }
  template <class Where = Everywhere>
  TT_INLINE void backward(const auto& o, index_t i, V g, Where where = {}) const {
    if constexpr (A::tracked) a.backward(o, i, prog::pull<Op, 0>(g, value, a.value), where);
  }
};

template <class V, class Op, class A, class B, int First>
struct Lanes<V, prog::op<Op, A, B>, First> {
  Lanes<V, A, First> a;
  Lanes<V, B, First + A::leaves> b;
  V value;
  TT_INLINE void forward(const auto& o, index_t i) {
    a.forward(o, i);
    b.forward(o, i);
    value = Op::apply(a.value, b.value);
  }
  template <class Where = Everywhere>
  TT_INLINE void backward(const auto& o, index_t i, V g, Where where = {}) const {
    if constexpr (A::tracked) a.backward(o, i, prog::pull<Op, 0>(g, value, a.value, b.value), where);
    if constexpr (B::tracked) b.backward(o, i, prog::pull<Op, 1>(g, value, a.value, b.value), where);
  }
};

template <class V, class Op, class A, class B, class C, int First>
struct Lanes<V, prog::op<Op, A, B, C>, First> {
  Lanes<V, A, First> a;
  Lanes<V, B, First + A::leaves> b;
  Lanes<V, C, First + A::leaves + B::leaves> c;
  V value;
  TT_INLINE void forward(const auto& o, index_t i) {
    a.forward(o, i);
    b.forward(o, i);
    c.forward(o, i);
    value = Op::apply(a.value, b.value, c.value);
  }
  template <class Where = Everywhere>
  TT_INLINE void backward(const auto& o, index_t i, V g, Where where = {}) const {
    if constexpr (detail::has_condition<Op>) {
      const V all = taken_by<V>(where);
      if constexpr (B::tracked) b.backward(o, i, prog::pull<Op, 1>(g, value, a.value, b.value, c.value), Under<V>{choose(a.value, all, V(0))});
      if constexpr (C::tracked) c.backward(o, i, prog::pull<Op, 2>(g, value, a.value, b.value, c.value), Under<V>{choose(a.value, V(0), all)});
    } else {
      if constexpr (A::tracked) a.backward(o, i, prog::pull<Op, 0>(g, value, a.value, b.value, c.value), where);
      if constexpr (B::tracked) b.backward(o, i, prog::pull<Op, 1>(g, value, a.value, b.value, c.value), where);
      if constexpr (C::tracked) c.backward(o, i, prog::pull<Op, 2>(g, value, a.value, b.value, c.value), where);
    }
  }
};

template <class V, class Op, int First>
struct Lanes<V, prog::undo<Op>, First> {
  Lanes<V, prog::leaf<true>, First> y;
  TT_INLINE void forward(const auto& o, index_t i) { y.forward(o, i); }
  TT_INLINE void backward(const auto& o, index_t i, V g) const { y.backward(o, i, prog::pull<Op, 0>(g, y.value, y.value)); }
};

/// Operands of any kind: broadcast, unwanted, added to.
struct AnyOperands {
  const Operand* o;
  template <class Number>
  TT_INLINE simd<Number> load(int k, index_t i) const {
    return simd<Number>::load(static_cast<const Number*>(o[k].read) + (i & o[k].read_mask));
  }
  template <class Number>
  TT_INLINE void add(int k, index_t i, simd<Number> g) const {
    (simd<Number>::load(static_cast<const Number*>(o[k].base) + (i & o[k].base_mask)) + g)
        .store(static_cast<Number*>(o[k].write) + (i & o[k].write_mask));
  }
};
/// All contiguous, gradients all wanted and the first ones: bare pointers, which stay in registers. With the others the
/// compiler must expect each store to change an Operand, and reads them all again.
template <int Reads, int Writes>
struct ContiguousOperands {
  const void* read[Reads];
  void* write[Writes + 1];
  TT_INLINE explicit ContiguousOperands(const Operand* o) {
    for (int k = 0; k < Reads; ++k) read[k] = o[k].read;
    for (int k = 0; k < Writes; ++k) write[k] = o[k].write;
  }
  template <class Number>
  TT_INLINE simd<Number> load(int k, index_t i) const {
    return simd<Number>::load(static_cast<const Number*>(read[k]) + i);
  }
  template <class Number>
  TT_INLINE void add(int k, index_t i, simd<Number> g) const {
    g.store(static_cast<Number*>(write[k]) + i);
  }
};

template <class Number, class Program>
TT_INLINE void forward_packets(const auto& o, void* out, index_t n) {
  for (index_t i = 0; i < n; i += simd<Number>::width) {
    Lanes<simd<Number>, Program, 0> lanes;
    lanes.forward(o, i);
    lanes.value.store(static_cast<Number*>(out) + i);
  }
}
template <class Number, class Program>
TT_INLINE void backward_packets(const auto& o, index_t n) {
  for (index_t i = 0; i < n; i += simd<Number>::width) {
    Lanes<simd<Number>, Program, 0> lanes;
    lanes.forward(o, i);
    lanes.backward(o, i, swept(o.template load<Number>(Program::leaves, i)));
  }
}

// Flat: a call of Eigen's tanh or exp in each packet would spill every register.
template <class Number, class Program>
__attribute__((flatten)) void row_forward(const Operand* o, void* out, index_t n) {
  index_t contiguous = -1;
  for (int k = 0; k < Program::leaves; ++k) contiguous &= o[k].read_mask;
  if (contiguous == -1) forward_packets<Number, Program>(ContiguousOperands<Program::leaves, 0>(o), out, n);
  else forward_packets<Number, Program>(AnyOperands{o}, out, n);
}
template <class Number, class Program>
__attribute__((flatten)) void row_backward(const Operand* o, void*, index_t n) {
  index_t contiguous = o[Program::leaves].read_mask;
  for (int k = 0; k < Program::leaves; ++k) contiguous &= o[k].read_mask & o[k].write_mask & ~o[k].base_mask;
  if (contiguous == -1) backward_packets<Number, Program>(ContiguousOperands<Program::leaves + 1, Program::leaves>(o), n);
  else backward_packets<Number, Program>(AnyOperands{o}, n);
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
