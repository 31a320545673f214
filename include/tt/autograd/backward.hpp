// backward(): the gradients of one value towards all leaves.
#pragma once
#include <tt/autograd/leaf.hpp>
#include <tt/core/tensor.hpp>
#include <tt/dispatch/grad_mode.hpp>

namespace tt {

namespace detail {
TT_NOINLINE inline void backward_from(const AnyTensor& y, const AnyTensor& seed, bool retain_graph) {
  if (!y.requires_grad()) fail("tt::backward: nothing was recorded: no operand required a gradient, or no_grad was on");
  if (seed.memory() != y.memory())
    fail({"tt::backward: the gradient is on ", name_of(seed.device()), ", the tensor on ", name_of(y.device())});
  if (seed.dtype() != y.dtype() || !(seed.sizes() == y.sizes()))
    fail({"tt::backward: the gradient has the extents ", seed.sizes(), ", the tensor ", y.sizes()});
  Engine engine;
  engine.retain = retain_graph;
  engine.run(y.node().get(), gradient_storage(seed));
}
TT_NOINLINE inline AnyTensor one_like(const AnyTensor& y) {
  if (y.numel() != 1)
    fail({"tt::backward: the tensor has the extents ", y.sizes(), "; give the gradient it receives, or reduce it to one element"});
  if (is_complex(y.dtype()))
    fail({"tt::backward: a tensor of ", name_of(y.dtype()), " has no slope of its own; give the gradient it receives, or make it real"});
  AnyTensor one = AnyTensor::empty(y.dtype(), y.sizes());
  visit_floating(y.dtype(), [&]<class Number>(Number) { *reinterpret_cast<Number*>(one.data_ptr()) = Number(1); });
  const Memory* const memory = y.memory();
  if (!memory) return one;
  const AnyTensor there = AnyTensor::empty(y.dtype(), y.sizes(), memory);
  memory->fill(*memory, {}, there.device_ptr(), y.dtype(), one.data_ptr(), y.dtype());
  return there;
}
}  // namespace detail

/// Whether a graph survives a backward run, so that another can follow.
enum class graph : bool { free, retain };
inline constexpr graph retain_graph = graph::retain;

namespace detail {
TT_NOINLINE inline void backward_stored(const AnyTensor& y, const AnyTensor& seed, graph keep, const place& where) {
  const Noted noted(where);
  if (!y.defined() || !seed.defined()) no_elements("tt");
  backward_from(y, seed, keep == graph::retain);
}
}  // namespace detail

namespace error {
template <class Operands>
inline constexpr bool nothing_is_tracked = false;
}
namespace detail {
template <class E>
consteval void check_tracked() {
  static_assert(order_of<E> > 0 || error::nothing_is_tracked<error::operands<error::order<order_of<E>>>>,
                "tt::backward: nothing in this expression is tracked: some operand must be a Variable (and none frozen)");
}
}  // namespace detail

/// Adds dy/dx to x.grad() for every leaf x that y was computed from. y has one element.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.backward.html
template <expression E>
void backward(const E& y, graph keep = graph::free, const place& where = place::current()) {
  detail::check_tracked<E>();
  const detail::Noted noted(where);
  if constexpr (order_of<E> > 0) {
    const AnyTensor value = evaluate(y);
    detail::backward_from(value, detail::one_like(value), keep == graph::retain);
  }
}
/// The same for a y of any shape that receives the gradient `seed`.
template <expression E, expression G>
void backward(const E& y, const G& seed, graph keep = graph::free, const place& where = place::current()) {
  detail::check_tracked<E>();
  static_assert(std::is_same_v<value_t<E>, value_t<G>>, "tt::backward: the gradient must have the dtype of the tensor");
  if constexpr (order_of<E> <= 0) return;
  else if constexpr (std::is_base_of_v<AnyTensor, E> && std::is_base_of_v<AnyTensor, G>) detail::backward_stored(y, seed, keep, where);
  else detail::backward_stored(eval(y, where), eval(seed, where), keep, where);
}

}  // namespace tt
