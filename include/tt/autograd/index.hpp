// The node of gather and index_select: gradients are added where the elements came from, in order, so always the same bits.
#pragma once
#include <tt/autograd/engine.hpp>
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
    std::byte* data = engine.zeroed_target(source.get());
    const auto* position = reinterpret_cast<const index_t*>(from->data);
    const int parts = parts_of(type);
    visit_floating(real_dtype(type), [&]<class Number>(Number) {
      auto* a = reinterpret_cast<Number*>(data);
      const auto* g = reinterpret_cast<const Number*>(gradient->data);
      for (index_t i = 0, n = size.count(); i < n; ++i)
        for (int part = 0; part < parts; ++part) a[position[i] * parts + part] += g[i * parts + part];
    });
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
