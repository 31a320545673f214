// Views: another layout over the same storage. O(1); on the tape a node that lays the gradient into the base's.
#pragma once
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/expr/view.hpp>

namespace tt {

namespace detail {

/// A view with this memory layout and this place in the base's gradient.
TT_NOINLINE inline AnyTensor run_view(std::string_view name, const AnyTensor& base, const index_t* stride, index_t offset,
                                      const ViewLayout& logical, RecordView record) {
  const AnyTensor* input = &base;
  return dispatched({"view", {&name, 1}, {&input, 1}}, [&] {
    AnyTensor out = base.with_layout(logical.size, stride, offset);
    if (record && recording && base.requires_grad()) record(out, base, logical, name);
    return out;
  });
}

/// Views that keep or drop axes of the base: f rewrites extents and strides; the same for memory and gradient.
template <class Rewrite>
AnyTensor strided_view(std::string_view name, const AnyTensor& base, RecordView record, Rewrite&& rewrite) {
  ViewLayout memory, logical;
  memory.size = logical.size = base.sizes();
  std::copy_n(base.strides(), base.rank(), memory.stride);
  row_major(base.sizes(), logical.stride);
  rewrite(memory);
  rewrite(logical);
  return run_view(name, base, memory.stride, memory.offset, logical, record);
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
  for (index_t a : axes) seen |= 1u << view_axis("permute", a, x.rank());
  if (seen != (1u << x.rank()) - 1) fail("tt::permute: each axis must be named once");
  return strided_view("permute", x, record, [&](ViewLayout& v) {
    const ViewLayout before = v;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const int from = normal_axis(axes[i], x.rank());
      v.size.extent[i] = before.size.extent[from];
      v.stride[i] = before.stride[from];
    }
  });
}

/// Elements start, start + step, .. below stop; negative positions count from the end, and are clamped as Python does.
inline AnyTensor slice_view(const AnyTensor& x, index_t axis, index_t start, index_t stop, index_t step, RecordView record) {
  const int i = view_axis("slice", axis, x.rank());
  if (x.rank() == 0) fail("tt::slice: a tensor without axes cannot be sliced");
  if (step < 1) fail({"tt::slice: the step must be positive, not ", step});
  const index_t n = x.sizes()[i];
  const auto position = [n](index_t p) { return std::clamp<index_t>(p < 0 ? p + n : p, 0, n); };
  start = position(start);
  stop = (std::max)(position(stop), start);
  step = (std::min)(step, (std::max)(n, index_t(1)));  // so that no product overflows
  return strided_view("slice", x, record, [&](ViewLayout& v) {
    v.offset += start * v.stride[i];
    v.size.extent[i] = (stop - start + step - 1) / step;
    v.stride[i] *= step;
  });
}

/// One position along an axis; the axis goes.
inline AnyTensor select_view(const AnyTensor& x, index_t axis, index_t index, RecordView record) {
  const int i = view_axis("select", axis, x.rank());
  if (x.rank() == 0) fail("tt::select: a tensor without axes has nothing to select from");
  const index_t n = x.sizes()[i];
  if (index < -n || index >= n) fail_index({"tt::select: index ", index, " is outside an axis of ", n});
  return strided_view("select", x, record, [&](ViewLayout& v) {
    v.offset += (index < 0 ? index + n : index) * v.stride[i];
    for (int j = i; j + 1 < v.size.rank; ++j) {
      v.size.extent[j] = v.size.extent[j + 1];
      v.stride[j] = v.stride[j + 1];
    }
    --v.size.rank;
  });
}

/// `to` with its one -1 worked out for n elements.
TT_NOINLINE inline dims reshaped(const dims& from, dims to) {
  const index_t n = from.count();
  index_t known = 1;
  int hole = -1;
  bool overflow = false;
  for (int i = 0; i < to.rank; ++i) {
    if (to.extent[i] == -1 && hole < 0) hole = i;
    else if (to.extent[i] < 0) fail({"tt::reshape: ", to, ": one extent at most may be -1"});
    else overflow |= __builtin_mul_overflow(known, to.extent[i], &known);
  }
  if (overflow) fail({"tt::reshape: ", from, " does not fill ", to});
  if (hole >= 0) {
    if (known == 0 || n % known) fail({"tt::reshape: ", from, " does not fill ", to});
    to.extent[hole] = n / known;
  } else if (known != n) {
    fail({"tt::reshape: ", from, " has ", n, " elements, ", to, " has ", known});
  }
  return to;
}

/// Strides under which the elements of x appear in row-major order with other extents; false where no strides do.
inline bool view_strides(const AnyTensor& x, const dims& to, index_t* stride) {
  if (x.numel() == 0) {
    row_major(to, stride);
    return true;
  }
  // Runs of the base's axes that are one contiguous walk are matched with runs of new axes of the same length.
  int j = to.rank - 1;
  for (int i = x.rank() - 1; i >= 0;) {
    index_t run = x.sizes()[i];
    const index_t unit = x.strides()[i];
    int first = i;
    while (first > 0 && (x.sizes()[first - 1] == 1 || x.strides()[first - 1] == unit * run || run == 1)) {
      if (run == 1 && x.sizes()[first - 1] != 1) break;
      run *= x.sizes()[--first];
    }
    index_t filled = 1;
    while (j >= 0 && (filled < run || to.extent[j] == 1)) {
      stride[j] = unit * filled;
      filled *= to.extent[j--];
    }
    if (filled != run) return false;
    i = first - 1;
  }
  while (j >= 0) stride[j--] = 1;
  return true;
}

/// A view where the layout allows it, else a copy.
inline AnyTensor reshape_view(const AnyTensor& x, const dims& to, RecordView record, bool must_be_view) {
  ViewLayout logical;
  logical.size = reshaped(x.sizes(), to);
  logical.whole = true;
  row_major(logical.size, logical.stride);
  index_t stride[max_rank];
  if (view_strides(x, logical.size, stride)) return run_view("reshape", x, stride, 0, logical, record);
  if (must_be_view) fail({"tt::view: the layout of a tensor with the extents ", x.sizes(), " cannot be seen as ", logical.size, " without a copy; use reshape()"});
  const AnyTensor copy = x.copied();
  AnyTensor out = copy.with_layout(logical.size, logical.stride, 0);
  if (record && recording && x.requires_grad()) record(out, x, logical, "reshape");
  return out;
}

}  // namespace detail
}  // namespace tt
