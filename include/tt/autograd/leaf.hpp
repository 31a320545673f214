// Leaves: where gradients gather.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/core/copy.hpp>

#include <sched.h>

#include <atomic>

namespace tt {

/// The node of a leaf. Takes the arriving buffer over if nobody else holds it.
struct LeafNode final : Node {
  detail::Ref<Storage> grad;
  std::atomic_flag busy;  // two threads may run backward into one leaf; <mutex> costs each translation unit 30 ms

  LeafNode() { is_leaf = true; }

  int inputs() const { return 0; }
  Node* input(int) const { return nullptr; }
  void release() {}
  void backward(Engine& engine) { LeafNode::take(std::exchange(gradient, {}), engine); }
  void take(const detail::Ref<Storage>& arrived, const Engine& engine) {
    struct Lock {
      std::atomic_flag& flag;
      explicit Lock(std::atomic_flag& f) : flag(f) {
        while (flag.test_and_set(std::memory_order_acquire)) sched_yield();
      }
      ~Lock() { flag.clear(std::memory_order_release); }
    } lock(busy);
    if (grad) {
      engine.add(*this, grad->data, arrived->data);
      ++grad->version;
    } else if (arrived->refs.value() == 1) {
      grad = arrived;
    } else {
      const std::size_t bytes = std::size_t(size.count()) * size_of(type);
      grad = detail::make_storage(bytes, memory);
      detail::copy_bytes(memory, grad->data, arrived->data, bytes);
    }
  }
};

namespace detail {
inline LeafNode* leaf_of(const AnyTensor& t) {
  if (!t.defined()) no_elements("tt: this gradient");
  Node* node = t.node().get();
  return node && node->is_leaf ? static_cast<LeafNode*>(node) : nullptr;
}
/// Puts the elements of a leaf, and its gradient, into another memory; all its handles see them there.
TT_NOINLINE inline void move_leaf(const AnyTensor& x, const Memory* memory) {
  if (!x.defined() || x.memory() == memory) return;
  const AnyTensor moved = in_memory(x.detach(), memory);
  if (LeafNode* leaf = leaf_of(x)) {
    if (leaf->grad) leaf->grad = in_memory(gradient_tensor(*leaf, leaf->grad), memory).storage();
    leaf->memory = memory;
  }
  TensorBody& body = *x.body();
  row_major(body.size, body.stride);
  body.storage = moved.storage();
  body.data = moved.device_ptr();
}
}  // namespace detail

TT_NOINLINE inline void AnyTensor::requires_grad_(bool on) const {
  if (!defined()) detail::no_elements("tt::requires_grad_");
  if (on && !is_differentiable(dtype()))
    fail({"tt::requires_grad_: only floating tensors can be differentiated, not ", name_of(dtype())});
  if (on == bool(node())) return;
  if (!is_leaf()) fail("tt::requires_grad_: the tensor is the result of a recorded operation; detach() it first");
  on ? detail::attach(*this, detail::make_node<LeafNode>(), "leaf") : set_node({});
}
TT_NOINLINE inline AnyTensor AnyTensor::grad() const {
  const LeafNode* leaf = detail::leaf_of(*this);
  const detail::Ref<Storage> gathered = leaf ? leaf->grad : detail::retained_gradient(node().get());
  return gathered ? detail::gradient_tensor(*node(), gathered) : AnyTensor();
}
TT_NOINLINE inline void AnyTensor::set_grad(const AnyTensor& g) const {
  LeafNode* leaf = detail::leaf_of(*this);
  if (!leaf) fail("tt::set_grad: only a leaf that requires a gradient has one");
  if (!g.defined()) {
    leaf->grad = {};
    return;
  }
  if (g.memory() != memory()) fail("tt::set_grad: the gradient must lie where the tensor lies");
  if (g.dtype() != dtype() || !(g.sizes() == sizes()) || !g.is_contiguous() || g.storage_offset() != 0)
    fail("tt::set_grad: the gradient must be contiguous and of the tensor's dtype and extents");
  leaf->grad = g.storage();
}

}  // namespace tt
