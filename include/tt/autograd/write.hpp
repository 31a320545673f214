// Writing on the tape: what is written through a tensor, or through a view of it, takes the place of what was there.
#pragma once
#include <tt/autograd/view.hpp>
#include <tt/core/copy.hpp>
#include <tt/dispatch/write.hpp>

namespace tt::detail {

/// A tensor after some of its elements were written: their gradient goes to what was written, that of the others to what the
/// tensor was before.
struct WriteNode final : Node {
  Ref<Node> before, value;  ///< either may be null
  ViewLayout layout;        ///< of what was written, in the tensor

  int inputs() const { return released ? 0 : 2; }
  Node* input(int i) const { return (i == 0 ? before : value).get(); }
  void release() {
    released = true;
    before = value = {};
  }
  void backward(Engine& engine) {
    if (Node* to = value.get()) {
      if (layout.whole && !engine.reached(to)) engine.pass(to, gradient);
      else take_part(engine.zeroed_target(to));
    }
    if (Node* to = before.get()) {
      std::byte* data = engine.zeroed_target(to);
      if (!layout.whole) take_rest(data);
    }
  }

 private:
  void take_part(std::byte* to) const {
    if (memory) return memory->add(*memory, part(), to, gradient->data, type);
    const index_t item = index_t(size_of(type)), length = layout.size.rank ? layout.size[-1] : 1;
    const index_t step = layout.size.rank ? layout.stride[layout.size.rank - 1] : 0;
    walk(layout.size, layout.size.rank - 1, layout.stride, [&](index_t row) {
      if (length == 0) return;
      add_gradient(to, gradient->data + (layout.offset + row) * item, type, length, 1, step);
      to += length * item;
    });
  }
  void take_rest(std::byte* to) const {
    const std::size_t item = size_of(type), bytes = std::size_t(size.count()) * item;
    const auto rest = make_storage(bytes, memory);
    copy_bytes(memory, rest->data, gradient->data, bytes);
    if (memory) zero_part(rest->data);
    else
      walk(layout.size, layout.size.rank, layout.stride,
           [&](index_t at) { std::memset(rest->data + (layout.offset + at) * index_t(item), 0, item); });
    add_whole(*this, to, rest->data);
  }
  /// From the elements that were written to a row-major copy of them.
  Move part() const {
    index_t packed[max_rank];
    row_major(layout.size, packed);
    Move m;
    m.from_at = layout.offset;
    for (int i = 0; i < layout.size.rank; ++i) m.push_back(layout.size.extent[i], layout.stride[i], packed[i]);
    return merged(m);
  }
  TT_NOINLINE void zero_part(std::byte* rest) const {
    const auto zero = make_storage(size_of(type), memory);
    zero_bytes(memory, zero->data, size_of(type));
    Move m;
    m.to_at = layout.offset;
    for (int i = 0; i < layout.size.rank; ++i) m.push_back(layout.size.extent[i], 0, layout.stride[i]);
    memory->move(*memory, merged(m), rest, type, zero->data, type);
  }
};

[[noreturn]] TT_NOINLINE inline void leaf_written(const AnyTensor& leaf, const char* what) {
  fail({"tt: ", what, " with the extents ", leaf.sizes(), " requires a gradient and cannot be written while that is recorded: write "
        "into it under no_grad or through detach(), or rebind it, w = w - g"});
}

/// What a tensor is a view of, or itself.
inline AnyTensor base_of(const AnyTensor& t) { return t.body()->view ? AnyTensor(t.body()->view->base) : t; }

/// Where `out` lies in its base. Refuses what cannot be written while writes are recorded.
TT_NOINLINE inline ViewLayout place_written(const AnyTensor& base, const AnyTensor& out) {
  if (out.requires_grad() && out.is_leaf()) leaf_written(out, "a leaf");
  if (base.requires_grad() && base.is_leaf()) leaf_written(base, "the leaf of this view");
  if (base.requires_grad() && !out.requires_grad())
    fail({"tt: a view with the extents ", out.sizes(), " was made without recording and is written while recording: make the view where it is written"});
  ViewLayout layout;
  if (out.body() == base.body()) {
    layout.size = out.sizes();
    row_major(layout.size, layout.stride);
    layout.whole = true;
  } else if (!layout_within(base, *out.body(), layout)) {
    fail({"tt: what is written on the tape must lie within a row-major base: clone() the tensor with the extents ", base.sizes(), " first"});
  }
  return layout;
}
/// What was written into `base` there has the history `value`, which may be null. Views of the base notice when they are
/// asked for their node.
TT_NOINLINE inline void record_write(const AnyTensor& base, const ViewLayout& layout, const Ref<Node>& value) {
  auto* node = make_node<WriteNode>();
  node->before = base.node();
  node->value = value;
  node->layout = layout;
  node->after(node->before.get());
  node->after(node->value.get());
  if (Node* before = node->before.get(); before && before->extras) before->extras->written(*before, *node);
  attach(base, node, "copy_");
}

/// A tensor in another dtype; its gradient is cast back.
struct CastNode final : Node {
  Ref<Node> from;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return from.get(); }
  void release() {
    released = true;
    from = {};
  }
  void backward(Engine& engine) {
    Node* const to = from.get();
    const AnyTensor back = copied_as(gradient_tensor(*this, gradient), to->type);
    engine.give(to, back.storage());
  }
};
TT_NOINLINE inline AnyTensor recorded_cast(const AnyTensor& x, dtype type) {
  const AnyTensor out = copied_as(x, type);
  if (!x.requires_grad()) return out;
  auto* node = make_node<CastNode>();
  node->from = x.node();
  node->after(node->from.get());
  attach(out, node, "to");
  return out;
}

/// Puts `value`, which broadcasts to out and is cast, into it. Recorded unless no_grad is on or out is of integers.
inline void write_tracked(const AnyTensor& out, const AnyTensor& value) {
  check_written(out, value);
  const AnyTensor base = base_of(out);
  const auto tracked = [&] { return value.requires_grad() || out.requires_grad() || base.requires_grad(); };
  if (!recording || !is_differentiable(out.dtype()) || !tracked())
    return copy_elements(out, value);
  if (value.memory() != out.memory())
    fail({"tt::copy_: a tensor on ", name_of(out.device()), " is written on the tape with one on ", name_of(value.device()),
          ": copy that with to<Device>(x) first"});
  const ViewLayout layout = place_written(base, out);
  const AnyTensor own = value.dtype() == out.dtype() ? value : recorded_cast(value, out.dtype());
  const AnyTensor spread = own.sizes() == out.sizes() ? own : expand_view(own, out.sizes(), record_view);
  copy_elements(out, spread);
  record_write(base, layout, spread.node());
}

}  // namespace tt::detail

namespace tt {

inline const AnyTensor& AnyTensor::copy_(const AnyTensor& from, const place& where) const {
  const detail::Noted noted(where);
  detail::write_tracked(*this, from);
  return *this;
}

}  // namespace tt
