// Derivatives of derivatives: Tensor<.., 2> and 3. Here are the kinds of nodes whose backward can be recorded, and the run.
#pragma once
#include <tt/autograd/batched.hpp>
#include <tt/autograd/grad.hpp>
#include <tt/autograd/index.hpp>
#include <tt/autograd/move.hpp>
#include <tt/autograd/recorded.hpp>
#include <tt/autograd/scan.hpp>
#include <tt/autograd/watched.hpp>
#include <tt/autograd/write.hpp>
#include <tt/ops/matmul.hpp>

namespace tt {

template <>
inline constexpr bool order_is_included<2> = true;
template <>
inline constexpr bool order_is_included<3> = true;

namespace detail {

inline AnyTensor reshaped_gradient(const AnyTensor& g, const dims& size) {
  return g.sizes() == size ? g : reshape_view(g, size, record_view);
}
/// Along the axes that a reduction took away, repeated.
inline AnyTensor spread(const AnyTensor& g, const dims& space, AxisSet axes) {
  return expand_view(reshaped_gradient(g, reduced(space, axes, true)), space, record_view);
}

/// A product of two stored matrices.
template <class Number, int Order>
AnyTensor recorded_product(const AnyTensor& a, const AnyTensor& b) {
  return run_contract(*make_contract_block(&backend<cpu>::contract<Number, false, false, Order>(), a, b), nullptr, nullptr);
}
template <class Number, int Order>
void recorded_contract(Node& n, RecordedRun& run, const AnyTensor& gradient) {
  auto& node = static_cast<ContractNode&>(n);
  const bool lt = node.kernel->left_transposed, rt = node.kernel->right_transposed;
  const auto transposed = [](const AnyTensor& t, bool on = true) { return on ? transpose_view(t, 0, 1, record_view) : t; };
  // An operand of other than two axes was taken as a matrix: its history is that of its own extents.
  const auto with_history = [](const AnyTensor& matrix, const Ref<Node>& from) {
    if (!from) return matrix;
    if (from->size == matrix.sizes()) {
      AnyTensor t = matrix;
      t.set_node(from);
      return t;
    }
    AnyTensor own = matrix.with_layout(from->size, matrix.strides(), 0);
    row_major(from->size, own.body()->stride);
    own.set_node(from);
    return reshape_view(own, matrix.sizes(), record_view);
  };
  const auto product = [](const AnyTensor& a, const AnyTensor& b) { return recorded_product<Number, Order - 1>(a, b); };
  const AnyTensor g = reshape_view(gradient, {node.m, node.n}, record_view);
  const AnyTensor left = transposed(with_history(node.left_matrix(), node.left.node), lt);     // [m, k]
  const AnyTensor right = transposed(with_history(node.right_matrix(), node.right.node), rt);  // [k, n]
  if (Node* to = node.left.node.get(); run.wants(to))
    run.give(to, reshaped_gradient(transposed(product(g, transposed(right)), lt), to->size));
  if (Node* to = node.right.node.get(); run.wants(to))
    run.give(to, reshaped_gradient(transposed(product(transposed(left), g), rt), to->size));
}

/// A product of stacks of matrices: what was broadcast is summed where it is given.
template <class Number, int Order>
void recorded_batched(Node& n, RecordedRun& run, const AnyTensor& gradient) {
  auto& node = static_cast<BatchedNode&>(n);
  const auto product = [](const AnyTensor& a, const AnyTensor& b) {
    const auto block = make_contract_block(&backend<cpu>::contract<Number, false, false, Order - 1>(), a, b);
    block->batch = &batched_product<Order - 1, std::conditional_t<(Order > 2), Number, void>>;
    return run_contract(*block, nullptr, nullptr);
  };
  const auto turned = [](const AnyTensor& t) { return transpose_view(t, -2, -1, record_view); };
  AnyTensor left = node.left_stack.detach(), right = node.right_stack.detach();
  left.set_node(node.left.node), right.set_node(node.right.node);
  if (left.rank() == 1) left = reshape_view(left, {1, node.k}, record_view);
  dims size = node.batch;
  size.push_back(node.m), size.push_back(node.n);
  const AnyTensor g = reshaped_gradient(gradient, size);
  if (Node* to = node.left.node.get(); run.wants(to)) run.give(to, product(g, turned(right)));
  if (Node* to = node.right.node.get(); run.wants(to)) run.give(to, product(turned(left), g));
}

/// What scatter() made: its gradient is read where the layout says.
struct ScatterNode final : Node {
  Ref<Node> from;
  ViewLayout layout;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return from.get(); }
  void release() {
    released = true;
    from = {};
  }
  void backward(Engine& engine) {
    engine.give(from.get(), gather(gradient_tensor(*this, gradient)).copied().storage());
  }
  void backward_recorded(RecordedRun& run, const AnyTensor& g) const {
    const AnyTensor flat = reshaped_gradient(g, {g.numel()});  // row-major, whatever g is
    run.give(from.get(), run_view("scatter", flat, layout.stride, layout.offset, layout, record_view));
  }

 private:
  AnyTensor gather(const AnyTensor& g) const { return g.with_layout(layout.size, layout.stride, layout.offset); }
};

/// What scatter() returns.
inline AnyTensor scatter(const AnyTensor& gradient, const ViewLayout& layout, const dims& size) {
  const AnyTensor out = AnyTensor::empty(gradient.dtype(), size), flat = gradient.packed();
  const index_t n = out.numel();
  const auto sums = make_storage(std::size_t(n) * sizeof(double));
  auto* sum = reinterpret_cast<double*>(sums->data);
  std::fill_n(sum, n, 0.);
  const Doubles g(flat.data_ptr(), gradient.dtype(), flat.numel());
  if (flat.numel()) sum_laid_out(sum, g.data(), 1, layout);
  if (n) std::memset(out.data_ptr(), 0, std::size_t(n) * size_of(out.dtype()));
  add_doubles(out.data_ptr(), out.dtype(), 1, sum, n);
  if (!gradient.requires_grad()) return out;
  auto* node = make_node<ScatterNode>();
  node->from = gradient.node();
  node->layout = layout;
  node->after(gradient.node().get());
  attach(out, node, "scatter");
  return out;
}

// ---- kinds of nodes ----

inline void view_recorded(const ViewNode& node, RecordedRun& run, const AnyTensor& g) {
  Node* const to = node.base.get();
  run.give(to, node.layout.whole ? reshaped_gradient(g, to->size) : scatter(g, node.layout, to->size));
}
/// Linear in the gradient: the written part of it goes one way, the rest the other.
inline void write_recorded(const WriteNode& node, RecordedRun& run, const AnyTensor& g) {
  const ViewLayout& part = node.layout;
  if (Node* const to = node.value.get(); to && run.wants(to)) {
    const AnyTensor flat = reshaped_gradient(g, {g.numel()});
    run.give(to, part.whole ? g : run_view("copy_", flat, part.stride, part.offset, part, record_view));
  }
  Node* const to = node.before.get();
  if (!to || !run.wants(to)) return;
  const AnyTensor rest = AnyTensor::empty(node.type, node.size);
  visit_recorded(node.type, [&]<class Number>(Number) {
    auto* p = reinterpret_cast<Number*>(rest.data_ptr());
    std::fill_n(p, node.size.count(), Number(1));
    walk(part.size, part.size.rank, part.stride, [&](index_t at) { p[part.offset + at] = Number(0); });
  });
  run.give(to, run.multiply(g, rest));
}
inline void map_recorded(MapNode& node, RecordedRun& run, const AnyTensor& g) {
  if (!node.kernel->recorded) differentiated_once(node);
  node.kernel->recorded(node, run, g);
}
inline void sum_recorded(SumNode& node, RecordedRun& run, const AnyTensor& g) {
  const AnyTensor whole = spread(g, node.space.size, node.axes);
  if (node.divisor == 1) return map_recorded(node, run, whole);
  AnyTensor share = AnyTensor::empty(node.type, {});
  visit_recorded(node.type, [&]<class Number>(Number) { *reinterpret_cast<Number*>(share.data_ptr()) = Number(1 / node.divisor); });
  map_recorded(node, run, run.multiply(whole, share));
}
/// Linear in the gradient: the shares themselves do not change with x but where it jumps.
inline void extreme_recorded(const ExtremeNode& node, RecordedRun& run, const AnyTensor& g) {
  node.check();
  const dims& space = node.input_values.sizes();
  AnyTensor shares = AnyTensor::empty(node.type, space), ones = AnyTensor::empty(node.type, node.size);
  std::memset(shares.data_ptr(), 0, std::size_t(space.count()) * size_of(node.type));
  visit_recorded(node.type, [&]<class Number>(Number) {
    std::fill_n(reinterpret_cast<Number*>(ones.data_ptr()), node.size.count(), Number(1));
  });
  node.share(shares.data_ptr(), ones.data_ptr());
  run.give(node.x.node.get(), run.multiply(spread(g, space, node.axes), shares));
}
inline void contract_recorded(ContractNode& node, RecordedRun& run, const AnyTensor& g) {
  if (!node.kernel->recorded || node.act || node.bias) differentiated_once(node);
  node.left.check(node), node.right.check(node);
  node.kernel->recorded(node, run, g);
}
inline void batched_recorded(BatchedNode& node, RecordedRun& run, const AnyTensor& g) {
  if (!node.product->recorded) differentiated_once(node);
  node.left.check(node), node.right.check(node);
  node.product->recorded(node, run, g);
}
inline void triangle_recorded(const TriangleNode& node, RecordedRun& run, const AnyTensor& g) {
  run.give(node.to.get(), run_triangle(g, node.diagonal, node.part, record_triangle));
}
inline void scan_recorded(const ScanNode& node, RecordedRun& run, const AnyTensor& g) {
  run.give(node.to.get(), run_scan(*node.kernel, g, node.axis, node.type, !node.from_end, record_scan));
}
/// The moves backwards are moves as well, of which several may end in one element.
inline void move_recorded(const MoveNode& node, RecordedRun& run, const AnyTensor& g) {
  const AnyTensor flat = g.packed();
  for (int i = 0; i < node.count; ++i) {
    Node* const to = node.to[i].get();
    if (!to || !run.wants(to)) continue;
    const AnyTensor out = AnyTensor::empty(node.type, to->size);
    if (out.numel()) std::memset(out.data_ptr(), 0, std::size_t(out.numel()) * size_of(node.type));
    MoveList back;
    back.entries = make_storage(std::size_t(node.moves.count) * sizeof(MoveList::Entry));
    for (const MoveList::Entry& e : node.moves) {
      if (e.input != i) continue;
      MoveNode::add_moved_back(e.move, out.data_ptr(), index_t(size_of(node.type)), flat.data_ptr(), node.type);
      new (back.begin() + back.count++) MoveList::Entry{0, reversed(e.move)};
    }
    if (g.requires_grad()) record_move(out, {&g, 1}, back, node.name);
    run.give(to, out);
  }
}
/// What index_recorded() gives: the gradient is read where the elements went.
struct IndexAddNode final : Node {
  Ref<Node> from;
  Positions at;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return from.get(); }
  void release() {
    released = true;
    from = {};
    at = {};
  }
  void backward(Engine& engine) {
    engine.give(from.get(), take(gradient_tensor(*this, gradient), from->size, at, name, nullptr).storage());
  }
  void backward_recorded(RecordedRun& run, const AnyTensor& g) const {
    run.give(from.get(), take(g, from->size, at, "index", record_index));
  }
};
inline void index_recorded(const IndexNode& node, RecordedRun& run, const AnyTensor& g) {
  Node* const to = node.source.get();
  const AnyTensor out = AnyTensor::empty(node.type, to->size), flat = g.packed();
  const auto* position = reinterpret_cast<const index_t*>(node.from->data);
  visit_recorded(node.type, [&]<class Number>(Number) {
    auto* sum = reinterpret_cast<Number*>(out.data_ptr());
    const auto* part = reinterpret_cast<const Number*>(flat.data_ptr());
    std::fill_n(sum, out.numel(), Number(0));
    for (index_t i = 0, n = flat.numel(); i < n; ++i) sum[position[i]] += part[i];
  });
  if (g.requires_grad()) {
    auto* adds = make_node<IndexAddNode>();
    adds->from = g.node();
    adds->at = node.from;
    adds->after(g.node().get());
    attach(out, adds, "index_add");
  }
  run.give(to, out);
}
/// The user's backward runs on a gradient with a history, and finds what it saved with theirs.
template <class Kind>
void function_recorded(Kind& node, RecordedRun& run, const AnyTensor& gradient) {
  std::vector<AnyTensor> results;
  {
    struct Lend {
      Kind& to;
      explicit Lend(Kind& n) : to(n) { to.lend_histories(true); }
      Lend(const Lend&) = delete;
      Lend& operator=(const Lend&) = delete;
      ~Lend() { to.lend_histories(false); }
    } lend(node);
    node.backward_with_history(gradient, results);
  }
  node.check_results(results);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].defined() && node.input_nodes[i]) run.give(node.input_nodes[i].get(), results[i]);
}

/// By the table of the node's kind: what is never differentiated twice holds nothing of this.
TT_NOINLINE inline void backward_recorded(Node& node, RecordedRun& run, const AnyTensor& g) {
  const NodeKind* const kind = node.kind;
  if (kind == &node_kind<MapNode>) map_recorded(static_cast<MapNode&>(node), run, g);
  else if (kind == &node_kind<SumNode>) sum_recorded(static_cast<SumNode&>(node), run, g);
  else if (kind == &node_kind<ExtremeNode>) extreme_recorded(static_cast<ExtremeNode&>(node), run, g);
  else if (kind == &node_kind<ContractNode>) contract_recorded(static_cast<ContractNode&>(node), run, g);
  else if (kind == &node_kind<BatchedNode>) batched_recorded(static_cast<BatchedNode&>(node), run, g);
  else if (kind == &node_kind<MoveNode>) move_recorded(static_cast<MoveNode&>(node), run, g);
  else if (kind == &node_kind<TriangleNode>) triangle_recorded(static_cast<TriangleNode&>(node), run, g);
  else if (kind == &node_kind<ScanNode>) scan_recorded(static_cast<ScanNode&>(node), run, g);
  else if (kind == &node_kind<ViewNode>) view_recorded(static_cast<ViewNode&>(node), run, g);
  else if (kind == &node_kind<WriteNode>) write_recorded(static_cast<WriteNode&>(node), run, g);
  else if (kind == &node_kind<CastNode>) run.give(static_cast<CastNode&>(node).from.get(), g);
  else if (kind == &node_kind<IndexNode>) index_recorded(static_cast<IndexNode&>(node), run, g);
  else if (kind->recorded) kind->recorded(node, run, g);
  else differentiated_once(node);
}

template <int Order>
struct RecordedRunOf final : RecordedRun {
  Selection& selection;
  explicit RecordedRunOf(Selection& s) : selection(s) {}

  bool wants(Node* node) const override { return selection.find(node) != nullptr; }
  void give(Node* to, const AnyTensor& gradient) override {
    Selection::Entry* const e = selection.find(to);
    if (!e) return;
    visit_recorded(to->type, [&]<class Number>(Number) {
      const AnyTensor part = fitted<Number>(gradient, to->size);
      using V = Recorded<Number, Order>;
      e->gradient = e->gradient.defined() ? (V(e->gradient) + V(part)).tensor() : part;
    });
  }
  AnyTensor multiply(const AnyTensor& a, const AnyTensor& b) override {
    AnyTensor result;
    visit_recorded(a.dtype(), [&]<class Number>(Number) {
      result = (Recorded<Number, Order>(a) * Recorded<Number, Order>(b)).tensor();
    });
    return result;
  }

 private:
  /// Summed over the axes that were broadcast, repeated along those that are missing.
  template <class Number>
  AnyTensor fitted(const AnyTensor& gradient, const dims& size) {
    constexpr dtype type = dtype_of<Number>;
    const AnyTensor g = gradient.dtype() == type ? gradient : cast<Number>(gradient);
    if (g.sizes() == size) return g;
    AxisSet axes = 0;
    const int more = g.rank() - size.rank;
    for (int i = 0; i < g.rank(); ++i)
      if (i < more || (size.extent[i - more] == 1 && g.sizes()[i] != 1)) axes |= AxisSet(1) << i;
    AnyTensor sum = g;
    if (axes) {
      const Entry entry{&g, g.version(), {}};
      sum = run_reduce(bare_kernel<cpu, type, true, Order>(), backend<cpu>::reduce<ops::sum, type>(), &entry, 1, axes, true, type, false,
                       record_sum);
    }
    if (more > 0) {
      dims kept;
      for (int i = more; i < sum.rank(); ++i) kept.push_back(sum.sizes()[i]);
      sum = reshaped_gradient(sum, kept);
    }
    return sum.sizes() == size ? sum : expand_view(sum, size, record_view);
  }
  template <class Number>
  static AnyTensor cast(const AnyTensor& g) {
    AnyTensor out;
    visit_recorded(g.dtype(), [&]<class From>(From) {
      const Entry entry{&g, g.version(), {}};
      out = run_map(backend<cpu>::map<dtype_of<From>, dtype_of<Number>, prog::leaf<false>, prog::leaf<true>, Order>(), &entry, 1);
    });
    return out;
  }
};

template <int Order>
void recorded_gradients(Selection& selection, const AnyTensor& y, const AnyTensor& seed) {
  const enable_grad on;
  RecordedRunOf<Order> run(selection);
  Selection::Entry* const root = selection.find(y.node().get());
  if (!root) return;
  root->gradient = seed;
  for (Selection::Entry& e : selection.entries) {
    if (!e.gradient.defined()) continue;
    Node& node = *e.node;
    auto* extras = static_cast<Extras*>(node.extras);
    if (extras) e.gradient = shown_to_hooks(node, *extras, e.gradient);
    if (!e.further) continue;
    if (node.released) graph_was_freed(node);
    const bool packed = extras && !extras->packed.empty();
    if (packed) unpack(node, extras->packed);
    backward_recorded(node, run, e.gradient);
    if (packed) take_out(node);
    if (!e.wanted) e.gradient = {};
  }
}

}  // namespace detail

/// The same tensor and history under another order: fewer derivatives are asked for. What an order 2 and a first derivative
/// of order 1 make together is of order 2 by its type, and can be differentiated once: grad(with_order<1>(y), x).
template <int Order, expression E>
auto with_order(const E& e) {
  static_assert(Order <= order_of<E> && order_of<E> > 0, "tt::with_order: a tensor's order can only be made less");
  return Tensor<value_t<E>, shape_t<E>, device_t<E>, Order>(evaluate(e));
}

}  // namespace tt
