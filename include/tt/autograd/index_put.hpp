// The node of index_put: the values' gradients are taken from their places, x receives the rest, or all if it was added
// to.
#pragma once
#include <tt/autograd/sums.hpp>
#include <tt/dispatch/index_put.hpp>

namespace tt::detail {

struct PutNode final : Node {
  Ref<Node> x, values;
  Placement placement;

  int inputs() const { return released ? 0 : 2; }
  Node* input(int i) const { return i ? values.get() : x.get(); }
  void release() {
    released = true;
    x = values = {};
    placement = {};
  }
  void backward(Engine& engine) {
    const auto* to = reinterpret_cast<const index_t*>(placement.to->data);
    const auto* from = reinterpret_cast<const index_t*>(placement.from->data);
    if (values) {
      const Sums sums(engine, values.get());
      add_by_positions(sums, from, gradient->data, to, placement.count, type);
      sums.store();
    }
    if (!x) return;
    const index_t n = size.count();
    const std::size_t item = size_of(type);
    const auto rest = make_storage(std::size_t(n) * item);
    std::copy_n(gradient->data, std::size_t(n) * item, rest->data);
    for (index_t i = 0; !placement.accumulate && i < placement.count; ++i)
      std::fill_n(rest->data + to[i] * index_t(item), item, std::byte(0));
    add_gradient(engine.zeroed_target(x.get()), rest->data, type, n);
  }
};
inline void record_put(const AnyTensor& out, const AnyTensor& x, const AnyTensor& values, const Placement& placement) {
  auto* node = make_node<PutNode>();
  node->x = x.node();
  node->values = values.node();
  node->placement = placement;
  node->after(node->x.get());
  node->after(node->values.get());
  attach(out, node, "index_put");
}

}  // namespace tt::detail
