// The node of a view: its gradient is laid into the base's.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/core/walk.hpp>
#include <tt/dispatch/view.hpp>

namespace tt::detail {

struct ViewNode final : Node {
  Ref<Node> base;
  ViewLayout layout;

  int inputs() const override { return released ? 0 : 1; }
  Node* input(int) const override { return base.get(); }
  void release() override {
    released = true;
    base = {};
  }
  void backward(Engine& engine) override {
    Node* to = base.get();
    if (layout.whole && !engine.reached(to)) return engine.pass(to, gradient);
    std::byte* data = engine.zeroed_target(to);
    const index_t n = size.count();
    if (n == 0) return;
    if (layout.whole) return add_gradient(data, gradient->data, type, n);
    const index_t length = size.rank ? size[-1] : 1, step = size.rank ? layout.stride[size.rank - 1] : 0;
    visit_floating(type, [&]<class Number>(Number) {
      const auto* g = reinterpret_cast<const Number*>(gradient->data);
      auto* first = reinterpret_cast<Number*>(data) + layout.offset;
      walk(size, size.rank - 1, layout.stride, [&](index_t offset) {
        for (index_t i = 0; i < length; ++i) first[offset + i * step] += *g++;
      });
    });
  }
};

inline void record_view(const AnyTensor& out, const AnyTensor& base, const ViewLayout& layout, std::string_view name) {
  auto* node = make_block<ViewNode>();
  node->base = base.node();
  node->layout = layout;
  node->after(base.node().get());
  attach(out, node, name.data());
}

}  // namespace tt::detail
