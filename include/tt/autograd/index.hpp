// The node of gather and index_select: gradients are added where the elements came from, in order, so always the same bits.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/index.hpp>

namespace tt::detail {

struct IndexNode final : Node {
  Ref<Node> source;
  Positions from;

  int inputs() const override { return released ? 0 : 1; }
  Node* input(int) const override { return source.get(); }
  void release() override {
    released = true;
    source = {};
    from = {};
  }
  void backward(Engine& engine) override {
    Node* to = source.get();
    const auto [data, full] = engine.target(to);
    if (!full) std::memset(data, 0, std::size_t(to->size.count()) * size_of(type));
    const auto* position = reinterpret_cast<const index_t*>(from->data);
    const auto add = [&](auto* a, const auto* g) {
      for (index_t i = 0, n = size.count(); i < n; ++i) a[position[i]] += g[i];
    };
    if (type == dtype::float32) add(reinterpret_cast<float*>(data), reinterpret_cast<const float*>(gradient->data));
    else add(reinterpret_cast<double*>(data), reinterpret_cast<const double*>(gradient->data));
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
