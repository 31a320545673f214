// The node of a view: its gradient is laid into the base's.
#pragma once
#include <tt/autograd/engine.hpp>
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
    const auto [data, full] = engine.target(to);
    if (!full) std::memset(data, 0, std::size_t(to->size.count()) * size_of(type));
    const index_t item = index_t(size_of(type)), n = size.count();
    if (n == 0) return;
    if (layout.whole) return add_gradient(data, gradient->data, type, n);
    const index_t length = size.rank ? size[-1] : 1, step = size.rank ? layout.stride[size.rank - 1] : 0;
    index_t at[max_rank]{}, offset = layout.offset;
    for (index_t row = 0; row < n / length; ++row) {
      add_strided(data + offset * item, step, gradient->data + row * length * item, length);
      for (int axis = size.rank - 2; axis >= 0; --axis) {
        offset += layout.stride[axis];
        if (++at[axis] < size.extent[axis]) break;
        offset -= at[axis] * layout.stride[axis];
        at[axis] = 0;
      }
    }
  }

 private:
  void add_strided(std::byte* to, index_t step, const std::byte* from, index_t n) const {
    const auto add = [&](auto* a, const auto* b) {
      for (index_t i = 0; i < n; ++i) a[i * step] += b[i];
    };
    if (type == dtype::float32) add(reinterpret_cast<float*>(to), reinterpret_cast<const float*>(from));
    else add(reinterpret_cast<double*>(to), reinterpret_cast<const double*>(from));
  }
};

inline void record_view(const AnyTensor& out, const AnyTensor& base, const ViewLayout& layout, std::string_view name) {
  auto* node = make_node<ViewNode>();
  node->base = base.node();
  node->layout = layout;
  node->after(base.node().get());
  attach(out, node, name.data());
}

}  // namespace tt::detail
