// to<Device>(x): copies between devices, on the tape.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/core/copy.hpp>
#include <tt/core/tensor.hpp>
#include <tt/dispatch/grad_mode.hpp>

namespace tt {

namespace detail {

/// The gradient goes back to where the operand lies.
struct TransferNode final : Node {
  Ref<Node> from;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return from.get(); }
  void release() {
    released = true;
    from = {};
  }
  void backward(Engine& engine) {
    engine.give(from.get(), in_memory(gradient_tensor(*this, gradient), from->memory).storage());
  }
};

TT_NOINLINE inline AnyTensor transferred(const AnyTensor& x, const Memory* memory) {
  if (!x.defined()) no_elements("tt::to");
  if (x.memory() == memory) return x;
  const AnyTensor out = in_memory(x, memory);
  if (!recording || !x.requires_grad()) return out;
  auto* node = make_node<TransferNode>();
  node->from = x.node();
  node->after(node->from.get());
  attach(out, node, "to");
  return out;
}

}  // namespace detail

/// x on another device; itself where it is there already. To CUDA: on the current device, as gpu::current_device() says.
/// A copy from CUDA waits until it is there. Gradients come back.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.to.html
template <device_tag Device, expression X>
auto to(const X& x) {
  using result = Tensor<value_t<X>, shape_t<X>, Device, order_of<X>>;
  return result(detail::transferred(evaluate(x), detail::new_memory<Device>::get()));
}

/// The same for a tensor whose type says nothing.
template <device_tag Device>
AnyTensor to(const AnyTensor& x) {
  return detail::transferred(x, detail::new_memory<Device>::get());
}

}  // namespace tt
