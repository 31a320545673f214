// Views under other extents: reshape, view, flatten, unflatten. Only reshape may copy.
#pragma once
#include <tt/dispatch/view.hpp>

namespace tt::detail {

/// `to` with its one -1 worked out for n elements.
TT_NOINLINE inline dims reshaped(const dims& from, dims to, const char* op = "reshape") {
  const index_t n = from.count();
  index_t known = 1;
  int hole = -1;
  bool overflow = false;
  for (int i = 0; i < to.rank; ++i) {
    if (to.extent[i] == -1 && hole < 0) hole = i;
    else if (to.extent[i] < 0) fail({"tt::", op, ": ", to, ": one extent at most may be -1"});
    else overflow |= __builtin_mul_overflow(known, to.extent[i], &known);
  }
  if (overflow) fail({"tt::", op, ": ", from, " does not fill ", to});
  if (hole >= 0) {
    if (known == 0 || n % known) fail({"tt::", op, ": ", from, " does not fill ", to});
    to.extent[hole] = n / known;
  } else if (known != n) {
    fail({"tt::", op, ": ", from, " has ", n, " elements, ", to, " has ", known});
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
  logical.size = reshaped(x.sizes(), to, must_be_view ? "view" : "reshape");
  logical.whole = true;
  row_major(logical.size, logical.stride);
  index_t stride[max_rank];
  if (view_strides(x, logical.size, stride)) return run_view("reshape", x, stride, 0, logical, record);
  if (must_be_view)
    fail({"tt::view: the layout of a tensor with the extents ", x.sizes(), " cannot be seen as ", logical.size,
          " without a copy; use reshape()"});
  const AnyTensor copy = x.copied();
  AnyTensor out = copy.with_layout(logical.size, logical.stride, 0);
  if (record) record(out, x, logical, "reshape");
  return out;
}

inline AnyTensor flatten_view(const AnyTensor& x, index_t first_axis, index_t last_axis, RecordView record) {
  const int first = view_axis("flatten", first_axis, x.rank()), last = view_axis("flatten", last_axis, x.rank());
  if (first > last) fail({"tt::flatten: axis ", first, " comes after axis ", last});
  if (x.rank() == 0) return reshape_view(x, {1}, record);
  if (first == last) return x;
  dims size;
  for (int i = 0; i < x.rank(); ++i)
    if (i > first && i <= last) size[-1] *= x.sizes()[i];
    else size.push_back(x.sizes()[i]);
  return reshape_view(x, size, record);
}

inline AnyTensor unflatten_view(const AnyTensor& x, index_t axis, const dims& to, RecordView record) {
  const int at = view_axis("unflatten", axis, x.rank());
  if (x.rank() == 0) fail("tt::unflatten: a tensor without axes has none to unflatten");
  if (to.rank == 0) fail("tt::unflatten: an axis needs at least one extent in its place");
  const dims inner = reshaped({x.sizes()[at]}, to, "unflatten");
  dims size;
  for (int i = 0; i < at; ++i) size.push_back(x.sizes()[i]);
  for (index_t e : inner) size.push_back(e);
  for (int i = at + 1; i < x.rank(); ++i) size.push_back(x.sizes()[i]);
  return reshape_view(x, size, record, true);
}

}  // namespace tt::detail
