// Nodes of reductions. A sum is the elementwise node with a gradient that stands still along the reduced axes; an
// extremum shares its gradient among the elements that reached it.
#pragma once
#include <tt/autograd/map.hpp>
#include <tt/autograd/sums.hpp>
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
      auto divided = make_storage(std::size_t(size.count()) * size_of(type), memory);
      if (memory) memory->divide(*memory, divided->data, gradient->data, type, size.count(), divisor);
      else visit_floating(real_dtype(type), [&]<class Number>(Number) {
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
struct ExtremeNode final : OperandAndResult {
  AxisSet axes = 0;
  decltype(ReduceKernel::share) share_on_device = nullptr;

  void backward(Engine& engine) {
    check();
    if (!x.node) return;
    if (share_on_device) {
      Strided in;
      lower_tensor(in, input_values, {input_values.sizes()});
      return share_on_device(in, input_values.sizes(), axes, output_values.device_ptr(), gradient->data,
                             engine.zeroed_target(x.node.get()));
    }
    share(engine.zeroed_target(x.node.get()), gradient->data);
  }

  /// to[i] += g / (number of ties) where x[i] is the extremum.
  TT_NOINLINE void share(std::byte* to, const std::byte* gradients) const {
    const dims& space = input_values.sizes();
    const index_t n = space.count();
    index_t stride[max_rank];
    const index_t out_count = reduced_strides(stride, space, axes);
    const AnyTensor flat = input_values.packed();
    const Doubles values(flat.data_ptr(), type, n), extreme(output_values.data_ptr(), type, out_count), g(gradients, type, out_count);
    const auto scratch = make_storage(std::size_t(out_count + n) * sizeof(double));
    auto *ties = reinterpret_cast<double*>(scratch->data), *mine = ties + out_count;
    std::fill_n(ties, out_count, 0.);
    index_t i = 0;
    walk(space, space.rank, stride, [&](index_t o) {
      mine[i] = values[i] == extreme[o] || (values[i] != values[i] && extreme[o] != extreme[o]);
      ties[o] += mine[i++];
    });
    i = 0;
    walk(space, space.rank, stride, [&](index_t o) {
      if (mine[i] != 0) mine[i] = g[o] / ties[o];
      ++i;
    });
    add_doubles(to, type, 1, mine, n);
  }
};

inline void record_extreme(const AnyTensor& out, const MapKernel&, const ReduceKernel& k, const Entry* entry, int,
                           const dims&, AxisSet axes) {
  auto* node = make_node<ExtremeNode>();
  node->share_on_device = k.share;
  node->keep(*entry[0].tensor, out);
  node->axes = axes;
  attach(out, node, k.name.data());
}

}  // namespace tt::detail
