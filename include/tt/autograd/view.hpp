// The nodes of views: a view's gradient is laid into its base's.
#pragma once
#include <tt/autograd/sums.hpp>
#include <tt/core/overlap.hpp>
#include <tt/core/walk.hpp>
#include <tt/dispatch/view_extents.hpp>
#include <tt/dispatch/view_parts.hpp>

#include <sched.h>

#include <atomic>

namespace tt::detail {

/// sum[offset + the place of each element under the strides] += g, in order. Every `parts`-th number of g is one.
TT_NOINLINE inline void sum_laid_out(double* sum, const double* g, index_t parts, const ViewLayout& layout) {
  const dims& size = layout.size;
  const index_t length = size.rank ? size[-1] : 1, step = size.rank ? layout.stride[size.rank - 1] : 0;
  walk(size, size.rank - 1, layout.stride, [&](index_t row) {
    double* const first = sum + layout.offset + row;
    for (index_t i = 0; i < length; ++i, g += parts) first[i * step] += *g;
  });
}

struct ViewNode final : Node {
  Ref<Node> base;
  ViewLayout layout;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return base.get(); }
  void release() {
    released = true;
    base = {};
  }
  void backward(Engine& engine) {
    Node* to = base.get();
    if (layout.whole) return engine.give(to, gradient);
    std::byte* data = engine.zeroed_target(to);
    if (size.count() == 0) return;
    if (memory) return spread_on_device(data);
    shows_twice(layout.size, layout.stride) ? gather(data, to->size.count()) : spread(data);
  }

 private:
  void spread(std::byte* data) const {
    const index_t length = size.rank ? size[-1] : 1, step = size.rank ? layout.stride[size.rank - 1] : 0;
    const index_t item = index_t(size_of(type));
    const std::byte* g = gradient->data;
    walk(size, size.rank - 1, layout.stride, [&](index_t row) {
      add_gradient(data + (layout.offset + row) * item, g, type, length, step);
      g += length * item;
    });
  }
  TT_NOINLINE void spread_on_device(std::byte* data) const {
    if (windows_overlap(layout.size, layout.stride)) require_host(*this);
    index_t packed[max_rank];
    row_major(size, packed);
    Move m;
    m.to_at = layout.offset;
    for (int i = 0; i < size.rank; ++i) m.push_back(size.extent[i], packed[i], layout.stride[i]);
    memory->add(*memory, merged(m), data, gradient->data, type);
  }
  /// An element of the base has many places in the view: their sum is gathered in double.
  TT_NOINLINE void gather(std::byte* data, index_t n) const {
    const auto sums = make_storage(std::size_t(n) * sizeof(double));
    auto* sum = reinterpret_cast<double*>(sums->data);
    const Doubles g(gradient->data, type, size.count());
    const index_t parts = parts_of(type);
    for (index_t part = 0; part < parts; ++part, data += size_of(real_dtype(type))) {
      std::fill_n(sum, n, 0.);
      sum_laid_out(sum, g.data() + part, parts, layout);
      add_doubles(data, type, parts, sum, n);
    }
  }
};

/// as_strided() of a base whose elements do not lie in a row, or beyond them: the gradient is laid out as the storage is, and
/// read from there as the base lies in it. Elements of the base at one place share what arrives there; the rest is nobody's.
struct StridedNode final : Node {
  Ref<Node> base;
  ViewLayout from, to;  ///< of the base and of the view, over the part of the storage that the two span
  index_t span = 0;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return base.get(); }
  void release() {
    released = true;
    base = {};
  }
  void backward(Engine& engine) {
    require_host(*this);
    std::byte* data = engine.zeroed_target(base.get());
    const index_t n = from.size.count();
    if (n == 0) return;
    const index_t parts = parts_of(type);
    const auto places = make_storage((2 * std::size_t(span) + std::size_t(n)) * sizeof(double));
    auto *sum = reinterpret_cast<double*>(places->data), *owners = sum + span, *share = owners + span;
    std::fill_n(owners, span, 0.);
    walk(from.size, from.size.rank, from.stride, [&](index_t at) { owners[from.offset + at] += 1; });
    const Doubles g(gradient->data, type, size.count());
    for (index_t part = 0; part < parts; ++part, data += size_of(real_dtype(type))) {
      std::fill_n(sum, span, 0.);
      sum_laid_out(sum, g.data() + part, parts, to);
      index_t i = 0;
      walk(from.size, from.size.rank, from.stride, [&](index_t at) {
        const index_t place = from.offset + at;
        share[i++] = sum[place] / owners[place];
      });
      add_doubles(data, type, parts, share, n);
    }
  }
};

/// Positions between the first and the last element, that included.
inline index_t reach_of(const dims& size, const index_t* stride) {
  index_t last = 0;
  for (int i = 0; i < size.rank; ++i) last += (size.extent[i] - 1) * stride[i];
  return last + 1;
}
TT_NOINLINE inline void record_strided(const AnyTensor& out, const AnyTensor& base, const ViewLayout& layout, std::string_view name) {
  auto* node = make_node<StridedNode>();
  node->base = base.node();
  node->from.size = base.sizes();
  std::copy_n(base.strides(), base.rank(), node->from.stride);
  node->to = layout;
  const index_t own = base.storage_offset(), first = (std::min)(own, layout.offset);
  node->from.offset = own - first;
  node->to.offset = layout.offset - first;
  node->span = layout.offset - first + reach_of(layout.size, layout.stride);
  if (base.numel()) node->span = (std::max)(node->span, node->from.offset + reach_of(base.sizes(), base.strides()));
  node->after(base.node().get());
  attach(out, node, name.data());
}

TT_NOINLINE inline void make_view_node(const AnyTensor& out, const Ref<Node>& base, const ViewLayout& layout, const char* name) {
  auto* node = make_node<ViewNode>();
  node->base = base;
  node->layout = layout;
  node->after(base.get());
  attach(out, node, name);
}

/// Where a view lies in a row-major base, if it lies within.
inline bool layout_within(const AnyTensor& base, const TensorBody& view, ViewLayout& layout) {
  layout.size = view.size;
  std::copy_n(view.stride, view.size.rank, layout.stride);
  layout.offset = (view.data - base.device_ptr()) / index_t(size_of(view.type));
  if (view.size.count() == 0) layout.offset = 0;
  else if (layout.offset < 0 || layout.offset + reach_of(layout.size, layout.stride) > base.numel()) return false;
  return base.is_contiguous();
}

/// After a write on the tape the base has another node: the view's is made again, of the same place. A view that was made a
/// leaf itself stays one.
TT_NOINLINE inline void rederive_view(TensorBody& view) {
  static constinit std::atomic_flag busy;
  while (busy.test_and_set(std::memory_order_acquire)) sched_yield();
  struct Unlock {
    ~Unlock() { busy.clear(std::memory_order_release); }
  } unlock;
  ViewOf& link = *view.view;
  const AnyTensor base(link.base), out(Ref<TensorBody>::share(&view));
  const Ref<Node>& now = link.base->node;
  if (link.seen.load(std::memory_order_relaxed) == now.get()) return;
  if (now && !now->is_leaf && !(view.node && view.node->is_leaf)) {
    ViewLayout layout;
    if (layout_within(base, view, layout)) {
      make_view_node(out, now, layout, "view");
    } else {
      layout.offset = out.storage_offset();
      record_strided(out, base, layout, "view");
    }
  }
  link.kept = now;
  link.seen.store(now.get(), std::memory_order_release);
}

inline void record_view(const AnyTensor& out, const AnyTensor& base, const ViewLayout& layout, std::string_view name) {
  if (!is_differentiable(base.dtype())) return;
  if (recording && base.requires_grad()) {
    if (layout.in_storage) record_strided(out, base, layout, name);
    else make_view_node(out, base.node(), layout, name.data());
  }
  if (!(out.storage() == base.storage())) return;  // reshape() had to copy
  auto* link = make_block<ViewOf>();
  out.body()->view = Ref<ViewOf>(link);
  link->base = base.body()->view ? base.body()->view->base : base.body_ref();
  link->kept = link->base->node;
  link->seen.store(link->kept.get(), std::memory_order_relaxed);
  link->rederive = rederive_view;
}

}  // namespace tt::detail
