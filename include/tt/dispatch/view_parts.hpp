// Views of some of the elements: one position, a range, a diagonal, windows, any strides; and an axis shared out among views.
#pragma once
#include <tt/dispatch/view.hpp>

namespace tt::detail {

inline int parted_axis(const char* op, index_t axis, const AnyTensor& x) {
  const int i = view_axis(op, axis, x.rank());
  if (x.rank() == 0) fail({"tt::", op, ": a tensor without axes has none to take a part of"});
  return i;
}

inline AnyTensor part_view(const AnyTensor& x, int axis, index_t start, index_t length, RecordView record) {
  return strided_view("narrow", x, record, [&](ViewLayout& v) {
    v.offset += start * v.stride[axis];
    v.size.extent[axis] = length;
  });
}

/// A position as Python's slices take it.
inline index_t sliced_position(index_t p, index_t n) { return std::clamp<index_t>(p < 0 ? p + n : p, 0, n); }
/// Elements start, start + step, .. below stop; negative positions count from the end, and are clamped as Python does.
inline AnyTensor slice_view(const AnyTensor& x, index_t axis, index_t start, index_t stop, index_t step, RecordView record) {
  const int i = parted_axis("slice", axis, x);
  if (step < 1) fail({"tt::slice: the step must be positive, not ", step});
  const index_t n = x.sizes()[i];
  start = sliced_position(start, n);
  stop = (std::max)(sliced_position(stop, n), start);
  step = (std::min)(step, (std::max)(n, index_t(1)));  // so that no product overflows
  return strided_view("slice", x, record, [&](ViewLayout& v) {
    v.offset += start * v.stride[i];
    v.size.extent[i] = (stop - start + step - 1) / step;
    v.stride[i] *= step;
  });
}

/// One position along an axis; the axis goes.
inline AnyTensor select_view(const AnyTensor& x, index_t axis, index_t index, RecordView record) {
  const int i = parted_axis("select", axis, x);
  const index_t n = x.sizes()[i];
  if (index < -n || index >= n) fail_index({"tt::select: index ", index, " is outside an axis of ", n});
  return strided_view("select", x, record, [&](ViewLayout& v) {
    v.offset += (index < 0 ? index + n : index) * v.stride[i];
    drop_axes(v, AxisSet(1) << i);
  });
}

inline AnyTensor narrow_view(const AnyTensor& x, index_t axis, index_t start, index_t length, RecordView record) {
  const int i = parted_axis("narrow", axis, x);
  const index_t n = x.sizes()[i];
  if (length < 0) fail("tt::narrow: the length must not be negative");
  if (start < -n || start > n) fail_index({"tt::narrow: start ", start, " is outside an axis of ", n});
  if (start < 0) start += n;
  if (length > n - start)
    fail({"tt::narrow: ", length, " positions from ", start, " are more than an axis of ", n, " has"});
  return part_view(x, i, start, length, record);
}

/// Positions (i, i + offset) of two axes; they go, and the diagonal is a new last axis.
inline AnyTensor diagonal_view(const AnyTensor& x, index_t offset, index_t axis1, index_t axis2, RecordView record) {
  const int a = parted_axis("diagonal", axis1, x), b = parted_axis("diagonal", axis2, x);
  if (a == b) fail({"tt::diagonal: axis ", a, " twice: a diagonal needs two axes"});
  const index_t height = x.sizes()[a], width = x.sizes()[b];
  const index_t down = offset < 0 ? (std::min)(height, offset == INT64_MIN ? INT64_MAX : -offset) : 0;
  const index_t right = offset > 0 ? (std::min)(width, offset) : 0;
  const index_t length = (std::min)(height - down, width - right);
  return strided_view("diagonal", x, record, [&](ViewLayout& v) {
    if (length > 0) v.offset += down * v.stride[a] + right * v.stride[b];
    const index_t step = v.stride[a] + v.stride[b];
    drop_axes(v, AxisSet(1) << a | AxisSet(1) << b);
    append_axis(v, length, step);
  });
}

/// Windows of `size` positions of an axis, one at each `step`; a new last axis runs within the window.
inline AnyTensor unfold_view(const AnyTensor& x, index_t axis, index_t size, index_t step, RecordView record) {
  const int i = view_axis("unfold", axis, x.rank());
  const index_t n = x.rank() ? x.sizes()[i] : 1;
  if (size < 0 || size > n) fail({"tt::unfold: a window of ", size, " does not fit into an axis of ", n});
  if (step < 1) fail({"tt::unfold: the step must be positive, not ", step});
  const index_t windows = (n - size) / step + 1;
  return strided_view("unfold", x, record, [&](ViewLayout& v) {
    const index_t unit = x.rank() ? v.stride[i] : 1;
    if (x.rank()) {
      v.size.extent[i] = windows;
      v.stride[i] = windows > 1 ? unit * step : unit;
    }
    append_axis(v, size, unit);
  });
}

/// Any layout over the storage. Where that is a layout over the row-major base too, its gradient is laid like other views'.
inline AnyTensor as_strided_view(const AnyTensor& x, const dims& size, const dims& stride, index_t offset, RecordView record) {
  if (size.rank != stride.rank) fail({"tt::as_strided: ", size.rank, " extents and ", stride.rank, " strides"});
  ViewLayout v;
  v.size = size;
  row_major(size, v.stride);  // refuses negative extents
  std::copy_n(stride.extent, size.rank, v.stride);
  v.offset = offset;
  const index_t held = index_t(x.storage()->bytes / size_of(x.dtype()));
  index_t last = offset;
  bool inside = offset >= 0;
  for (int i = 0; i < size.rank; ++i) {
    if (stride.extent[i] < 0) fail({"tt::as_strided: the strides ", Numbers{stride}, " must not be negative"});
    index_t reach = 0;
    if (size.extent[i] > 1) inside &= !__builtin_mul_overflow(size.extent[i] - 1, stride.extent[i], &reach);
    inside &= !__builtin_add_overflow(last, reach, &last);
  }
  if (size.count() == 0 ? offset < 0 : !inside || last >= held)
    fail({"tt::as_strided: ", size, " with the strides ", Numbers{stride}, " from ", offset, " on leave a storage of ", held,
          " elements"});
  if (size.count() == 0) v.offset = 0;
  const index_t own = x.storage_offset(), from = size.count() ? offset - own : 0;
  v.in_storage = size.count() > 0 && !(x.is_contiguous() && from >= 0 && last - own < x.numel());
  if (!v.in_storage) v.offset = from;
  return run_view("as_strided", x, v.stride, from, v, record);
}

// ---- an axis shared out ----

/// A part of an axis.
struct Span {
  index_t start, length;
};
inline std::vector<AnyTensor> span_views(const AnyTensor& x, int axis, const std::vector<Span>& spans, RecordView record) {
  std::vector<AnyTensor> views(spans.size());
  for (std::size_t k = 0; k < spans.size(); ++k) views[k] = part_view(x, axis, spans[k].start, spans[k].length, record);
  return views;
}

inline std::vector<AnyTensor> unbind_views(const AnyTensor& x, index_t axis, RecordView record) {
  const int i = parted_axis("unbind", axis, x);
  std::vector<AnyTensor> views(std::size_t(x.sizes()[i]));
  for (std::size_t k = 0; k < views.size(); ++k) views[k] = select_view(x, i, index_t(k), record);
  return views;
}

/// Parts of `size`, the last one of what is left; at least one part.
inline std::vector<AnyTensor> split_views(const AnyTensor& x, index_t size, index_t axis, RecordView record) {
  const int i = parted_axis("split", axis, x);
  const index_t n = x.sizes()[i];
  if (size < 0 || (size == 0 && n != 0)) fail({"tt::split: an axis of ", n, " cannot be split into parts of ", size});
  std::vector<Span> spans(std::size_t(n ? (n - 1) / size + 1 : 1));
  for (index_t k = 0; k < index_t(spans.size()); ++k) spans[std::size_t(k)] = {k * size, (std::min)(size, n - k * size)};
  return span_views(x, i, spans, record);
}
inline std::vector<AnyTensor> split_views(const AnyTensor& x, std::span<const index_t> sizes, index_t axis, RecordView record) {
  const int i = parted_axis("split", axis, x);
  const index_t n = x.sizes()[i];
  std::vector<Span> spans(sizes.size());
  index_t start = 0;
  bool fits_in = true;
  for (std::size_t k = 0; k < sizes.size() && fits_in; ++k) {
    fits_in = sizes[k] >= 0 && sizes[k] <= n - start;
    spans[k] = {start, sizes[k]};
    if (fits_in) start += sizes[k];
  }
  if (!fits_in || start != n) fail({"tt::split: the sizes of the parts must not be negative and add up to the axis, which has ", n});
  return span_views(x, i, spans, record);
}
/// Parts of ceil(n / chunks): there may be fewer than asked for.
inline std::vector<AnyTensor> chunk_views(const AnyTensor& x, index_t chunks, index_t axis, RecordView record) {
  const int i = parted_axis("chunk", axis, x);
  const index_t n = x.sizes()[i];
  if (chunks < 1) fail({"tt::chunk: an axis cannot be split into ", chunks, " parts"});
  if (n == 0) return span_views(x, i, std::vector<Span>(std::size_t(chunks), Span{0, 0}), record);
  return split_views(x, (n - 1) / chunks + 1, i, record);
}
/// Exactly so many parts, the first n % sections one longer.
inline std::vector<AnyTensor> tensor_split_views(const AnyTensor& x, index_t sections, index_t axis, RecordView record) {
  const int i = parted_axis("tensor_split", axis, x);
  if (sections < 1) fail({"tt::tensor_split: an axis cannot be split into ", sections, " parts"});
  const index_t least = x.sizes()[i] / sections, more = x.sizes()[i] % sections;
  std::vector<Span> spans(static_cast<std::size_t>(sections));
  for (index_t k = 0; k < sections; ++k) spans[std::size_t(k)] = {k * least + (std::min)(k, more), least + (k < more)};
  return span_views(x, i, spans, record);
}
/// Cut before each of these positions, which are taken as slice() takes them.
inline std::vector<AnyTensor> tensor_split_views(const AnyTensor& x, std::span<const index_t> at, index_t axis, RecordView record) {
  const int i = parted_axis("tensor_split", axis, x);
  const index_t n = x.sizes()[i];
  std::vector<Span> spans(at.size() + 1);
  index_t start = 0;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    const index_t stop = k < at.size() ? sliced_position(at[k], n) : n;
    spans[k] = {start, (std::max)(stop - start, index_t(0))};
    start = stop;
  }
  return span_views(x, i, spans, record);
}

}  // namespace tt::detail
