// The node of gather and index_select: gradients are added where the elements came from, in order, so always the same bits.
#pragma once
#include <tt/autograd/sums.hpp>
#include <tt/dispatch/index.hpp>

namespace tt::detail {

struct IndexNode final : Node {
  Ref<Node> source;
  Positions from;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return source.get(); }
  void release() {
    released = true;
    source = {};
    from = {};
  }
  void backward(Engine& engine) {
    if (memory) {
      std::byte* const sums = engine.zeroed_target(source.get());
      return device_indexing.add(sums, source->size.count(), reinterpret_cast<const index_t*>(from->data), gradient->data,
                                 size.count(), type);
    }
    const Sums sums(engine, source.get());
    add_by_positions(sums, reinterpret_cast<const index_t*>(from->data), gradient->data, nullptr, size.count(), type);
    sums.store();
  }
};
inline void record_index(const AnyTensor& out, const AnyTensor& input, const Positions& from, std::string_view name) {
  auto* node = make_node<IndexNode>();
  node->source = input.node();
  node->from = from;
  node->after(input.node().get());
  attach(out, node, name.data());
}

}  // namespace tt::detail
