// Views: another layout over the same storage. O(1); on the tape a node that lays the gradient into the base's. Here are
// those that change the order or the number of axes.
#pragma once
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/expr/view.hpp>

namespace tt::detail {

/// A view with this memory layout and this place in the base's gradient.
TT_NOINLINE inline AnyTensor run_view(std::string_view name, const AnyTensor& base, const index_t* stride, index_t offset,
                                      const ViewLayout& logical, RecordView record) {
  const AnyTensor* input = &base;
  return dispatched({"view", {&name, 1}, {&input, 1}}, [&] {
    AnyTensor out = base.with_layout(logical.size, stride, offset);
    if (record) record(out, base, logical, name);
    return out;
  });
}

/// Views that keep, drop or add axes of the base: `rewrite` changes extents and strides; the same for memory and gradient.
TT_NOINLINE inline AnyTensor run_strided_view(std::string_view name, const AnyTensor& base, RecordView record,
                                              void (*rewrite)(ViewLayout&, const void*), const void* context) {
  ViewLayout memory, logical;
  memory.size = logical.size = base.sizes();
  std::copy_n(base.strides(), base.rank(), memory.stride);
  row_major(base.sizes(), logical.stride);
  rewrite(memory, context);
  rewrite(logical, context);
  return run_view(name, base, memory.stride, memory.offset, logical, record);
}
template <class Rewrite>
AnyTensor strided_view(std::string_view name, const AnyTensor& base, RecordView record, const Rewrite& rewrite) {
  return run_strided_view(name, base, record, [](ViewLayout& v, const void* f) { (*static_cast<const Rewrite*>(f))(v); }, &rewrite);
}
inline void drop_axes(ViewLayout& v, AxisSet axes) {
  int kept = 0;
  for (int i = 0; i < v.size.rank; ++i) {
    if (axes >> i & 1) continue;
    v.size.extent[kept] = v.size.extent[i];
    v.stride[kept++] = v.stride[i];
  }
  v.size.rank = kept;
}
inline void append_axis(ViewLayout& v, index_t extent, index_t stride) {
  v.size.push_back(extent);
  v.stride[v.size.rank - 1] = stride;
}
/// Axis k becomes what axis order[k] was.
inline void reorder_axes(ViewLayout& v, const int* order) {
  const ViewLayout before = v;
  for (int i = 0; i < v.size.rank; ++i) {
    v.size.extent[i] = before.size.extent[order[i]];
    v.stride[i] = before.stride[order[i]];
  }
}

inline AnyTensor transpose_view(const AnyTensor& x, index_t a, index_t b, RecordView record) {
  const int i = view_axis("transpose", a, x.rank()), j = view_axis("transpose", b, x.rank());
  return strided_view("transpose", x, record, [&](ViewLayout& v) {
    std::swap(v.size.extent[i], v.size.extent[j]);
    std::swap(v.stride[i], v.stride[j]);
  });
}

inline AnyTensor permute_view(const AnyTensor& x, std::span<const index_t> axes, RecordView record) {
  if (int(axes.size()) != x.rank()) fail({"tt::permute: ", axes.size(), " axes for a tensor with ", x.rank()});
  unsigned seen = 0;
  int order[max_rank];
  for (int i = 0; i < x.rank(); ++i) seen |= 1u << (order[i] = view_axis("permute", axes[std::size_t(i)], x.rank()));
  if (seen != (1u << x.rank()) - 1) fail("tt::permute: each axis must be named once");
  return strided_view("permute", x, record, [&](ViewLayout& v) { reorder_axes(v, order); });
}

inline AnyTensor reversed_view(const AnyTensor& x, RecordView record) {
  int order[max_rank];
  for (int i = 0; i < x.rank(); ++i) order[i] = x.rank() - 1 - i;
  return strided_view("T", x, record, [&](ViewLayout& v) { reorder_axes(v, order); });
}

inline AnyTensor movedim_view(const AnyTensor& x, std::span<const index_t> from, std::span<const index_t> to,
                                          RecordView record) {
  if (from.size() != to.size()) fail({"tt::movedim: ", from.size(), " axes and ", to.size(), " places for them"});
  unsigned sources = 0, places = 0;
  int order[max_rank];
  for (std::size_t k = 0; k < from.size(); ++k) {
    const int source = view_axis("movedim", from[k], x.rank()), place = view_axis("movedim", to[k], x.rank());
    if ((sources >> source & 1) || (places >> place & 1)) fail("tt::movedim: an axis is named twice");
    sources |= 1u << source, places |= 1u << place;
    order[place] = source;
  }
  int next = 0;  // the others keep their order
  for (int place = 0; place < x.rank(); ++place) {
    if (places >> place & 1) continue;
    while (sources >> next & 1) ++next;
    order[place] = next++;
  }
  return strided_view("movedim", x, record, [&](ViewLayout& v) { reorder_axes(v, order); });
}

inline AnyTensor squeeze_view(const AnyTensor& x, AxisSet axes, bool must, RecordView record) {
  for (int i = 0; i < x.rank(); ++i) {
    const index_t n = x.sizes()[i];
    if (n == 1 || !(axes >> i & 1)) continue;
    if (must) fail({"tt::squeeze: axis ", i, " has the extent ", n, ", and only an axis of 1 can go"});
    axes &= ~(AxisSet(1) << i);
  }
  return strided_view("squeeze", x, record, [&](ViewLayout& v) {
    drop_axes(v, axes);
    v.whole = true;
  });
}

inline AnyTensor unsqueeze_view(const AnyTensor& x, index_t axis, RecordView record) {
  const int at = view_axis("unsqueeze", axis, x.rank() + 1);
  return strided_view("unsqueeze", x, record, [&](ViewLayout& v) {
    append_axis(v, 1, 1);
    for (int i = v.size.rank - 1; i > at; --i) {
      v.size.extent[i] = v.size.extent[i - 1];
      v.stride[i] = v.stride[i - 1];
    }
    v.size.extent[at] = 1;
    if (at < x.rank()) v.stride[at] = v.size.extent[at + 1] * v.stride[at + 1];
    v.whole = true;
  });
}

inline AnyTensor expand_view(const AnyTensor& x, dims to, RecordView record) {
  const dims& from = x.sizes();
  const int more = to.rank - from.rank;
  bool fit = more >= 0;
  for (int i = 0; fit && i < to.rank; ++i) {
    const bool there = i >= more;
    if (to.extent[i] == -1 && there) to.extent[i] = from.extent[i - more];
    fit = to.extent[i] >= 0 && (!there || from.extent[i - more] == 1 || from.extent[i - more] == to.extent[i]);
  }
  if (!fit)
    fail({"tt::expand: ", from, " does not expand to ", to, ": each extent must be 1 or stay, -1 keeps it, new axes come first"});
  index_t count = 1;  // a view takes no memory, but its elements must be counted
  for (const index_t extent : to)
    if (__builtin_mul_overflow(count, (std::max)(extent, index_t(1)), &count))
      fail({"tt::expand: the number of elements of ", to, " overflows 64 bits"});
  return strided_view("expand", x, record, [&](ViewLayout& v) {
    const ViewLayout before = v;
    v.size = to;
    lay_over(v.stride, to, before.size, before.stride);
  });
}

}  // namespace tt::detail
