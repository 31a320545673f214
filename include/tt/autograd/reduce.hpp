// Nodes of reductions. A sum is the elementwise node with a gradient that stands still along the reduced axes; an
// extremum shares its gradient among the elements that reached it.
#pragma once
#include <tt/autograd/map.hpp>
#include <tt/core/walk.hpp>
#include <tt/dispatch/reduce.hpp>

namespace tt::detail {

/// Sum or mean of a region: MapNode does the work on a gradient that is divided first.
struct SumNode final : MapNode {
  double divisor = 1;
  AxisSet axes = 0;
  void backward(Engine& engine) {
    if (divisor != 1) {
      const index_t n = size.count() * parts_of(type);
      auto divided = make_storage(std::size_t(size.count()) * size_of(type));
      visit_floating(real_dtype(type), [&]<class Number>(Number) {
        auto* to = reinterpret_cast<Number*>(divided->data);
        const auto* from = reinterpret_cast<const Number*>(gradient->data);
        const auto by = converted<compute_t<Number>>(divisor);
        for (index_t i = 0; i < n; ++i) to[i] = Number(compute_t<Number>(from[i]) / by);
      });
      gradient = std::move(divided);
    }
    MapNode::backward(engine);
  }
};

inline void record_sum(const AnyTensor& out, const MapKernel& map, const ReduceKernel& k, const Entry* entry, int count,
                       const dims& space, AxisSet axes) {
  auto* node = make_map_node<SumNode>(map, entry, count, {space});
  if (k.divides) node->divisor = double(reduced_count(space, axes));
  node->axes = axes;
  reduced_strides(node->gradient_stride, space, axes);
  attach(out, node, k.name.data());
}

/// amax, amin: keeps x and y.
struct ExtremeNode final : Node {
  Saved x, y;
  AnyTensor input_values, output_values;  // views without history
  AxisSet axes = 0;

  void visit_saved(SavedVisitor& visitor) { visitor.visit(input_values, x), visitor.visit(output_values, y); }
  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return x.node.get(); }
  void release() {
    released = true;
    x = y = {};
    input_values = output_values = {};
  }

  void backward(Engine& engine) {
    x.check(*this), y.check(*this);
    if (!x.node) return;
    std::byte* data = engine.zeroed_target(x.node.get());
    visit_floating(type, [&]<class Number>(Number) { share(reinterpret_cast<Number*>(data), reinterpret_cast<const Number*>(gradient->data)); });
  }

  /// to[i] += g / (number of ties) where x[i] is the extremum.
  template <class Number>
  void share(Number* to, const Number* g) const {
    using compute = compute_t<Number>;
    const AnyTensor flat = input_values.packed();
    const auto* values = reinterpret_cast<const Number*>(flat.data_ptr());
    const auto* extreme = reinterpret_cast<const Number*>(output_values.data_ptr());
    const dims& space = input_values.sizes();
    index_t stride[max_rank];
    const index_t out_count = reduced_strides(stride, space, axes);
    const auto ties = make_storage(std::size_t(out_count) * sizeof(index_t));
    auto* tie = reinterpret_cast<index_t*>(ties->data);
    std::fill_n(tie, out_count, 0);
    const auto each = [&](auto&& f) {
      index_t i = 0;
      walk(space, space.rank, stride, [&](index_t o) { f(i++, o); });
    };
    const auto reached = [&](index_t i, index_t o) { return values[i] == extreme[o] || (values[i] != values[i] && extreme[o] != extreme[o]); };
    each([&](index_t i, index_t o) { tie[o] += reached(i, o); });
    each([&](index_t i, index_t o) {
      if (reached(i, o)) to[i] = Number(compute(to[i]) + compute(g[o]) / compute(tie[o]));
    });
  }
};

inline void record_extreme(const AnyTensor& out, const MapKernel&, const ReduceKernel& k, const Entry* entry, int,
                           const dims&, AxisSet axes) {
  auto* node = make_node<ExtremeNode>();
  node->x = Saved(*entry[0].tensor);
  node->y = Saved(out);
  node->input_values = entry[0].tensor->detach();
  node->output_values = out.detach();
  node->axes = axes;
  node->after(node->x.node.get());
  attach(out, node, k.name.data());
}

}  // namespace tt::detail
