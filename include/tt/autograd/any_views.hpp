// The views on tensors without static types: AnyTensor in, AnyTensor out, on the tape where the operand is. These are also
// what a typed tensor gets where the rank of the result would depend on a number: flatten(x, 1, 2), squeeze(x, 0).
#pragma once
#include <tt/autograd/view.hpp>

namespace tt {

inline AnyTensor transpose(const AnyTensor& x, index_t first, index_t second) { return detail::transpose_view(x, first, second, detail::record_view); }
inline AnyTensor permute(const AnyTensor& x, const dims& axes) { return detail::permute_view(x, {axes.begin(), axes.end()}, detail::record_view); }
inline AnyTensor movedim(const AnyTensor& x, index_t from, index_t to) { return detail::movedim_view(x, {&from, 1}, {&to, 1}, detail::record_view); }
inline AnyTensor movedim(const AnyTensor& x, const dims& from, const dims& to) {
  return detail::movedim_view(x, {from.begin(), from.end()}, {to.begin(), to.end()}, detail::record_view);
}
inline AnyTensor T(const AnyTensor& x) { return detail::reversed_view(x, detail::record_view); }
inline AnyTensor mT(const AnyTensor& x) {
  if (x.rank() < 2) fail({"tt::mT: a tensor with the extents ", x.sizes(), " is no matrix"});
  return transpose(x, -2, -1);
}
inline AnyTensor t(const AnyTensor& x) {
  if (x.rank() > 2) fail({"tt::t: a tensor with the extents ", x.sizes(), " is no matrix: use transpose or mT"});
  return T(x);
}
/// Without all axes of extent 1.
inline AnyTensor squeeze(const AnyTensor& x) { return detail::squeeze_view(x, detail::all_axes(x.rank()), false, detail::record_view); }
/// Without these axes, if their extent is 1.
inline AnyTensor squeeze(const AnyTensor& x, const dims& axes) {
  int list[max_rank]{};
  std::copy(axes.begin(), axes.end(), list);
  return detail::squeeze_view(x, detail::axis_set("squeeze", list, axes.rank, x.rank()), false, detail::record_view);
}
inline AnyTensor squeeze(const AnyTensor& x, index_t axis) { return squeeze(x, dims{axis}); }
inline AnyTensor unsqueeze(const AnyTensor& x, index_t axis) { return detail::unsqueeze_view(x, axis, detail::record_view); }

inline AnyTensor expand(const AnyTensor& x, const dims& extents) { return detail::expand_view(x, extents, detail::record_view); }
inline AnyTensor broadcast_to(const AnyTensor& x, const dims& extents) { return expand(x, extents); }
inline AnyTensor expand_as(const AnyTensor& x, const AnyTensor& other) { return expand(x, other.sizes()); }
TT_NOINLINE inline std::vector<AnyTensor> broadcast_tensors(std::span<const AnyTensor> x) {
  dims space;
  for (const AnyTensor& one : x) detail::broadcast_into(space, one.sizes());
  std::vector<AnyTensor> views(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) views[i] = expand(x[i], space);
  return views;
}

inline AnyTensor reshape(const AnyTensor& x, const dims& extents) { return detail::reshape_view(x, extents, detail::record_view); }
inline AnyTensor view(const AnyTensor& x, const dims& extents) { return detail::reshape_view(x, extents, detail::record_view, true); }
inline AnyTensor flatten(const AnyTensor& x, index_t first = 0, index_t last = -1) { return detail::flatten_view(x, first, last, detail::record_view); }
inline AnyTensor ravel(const AnyTensor& x) { return flatten(x); }
inline AnyTensor unflatten(const AnyTensor& x, index_t axis, const dims& extents) { return detail::unflatten_view(x, axis, extents, detail::record_view); }

inline AnyTensor slice(const AnyTensor& x, index_t axis, index_t start, index_t stop, index_t step = 1) {
  return detail::slice_view(x, axis, start, stop, step, detail::record_view);
}
inline AnyTensor narrow(const AnyTensor& x, index_t axis, index_t start, index_t length) { return detail::narrow_view(x, axis, start, length, detail::record_view); }
inline AnyTensor select(const AnyTensor& x, index_t axis, index_t index) { return detail::select_view(x, axis, index, detail::record_view); }
inline AnyTensor diagonal(const AnyTensor& x, index_t offset = 0, index_t first = 0, index_t second = 1) {
  return detail::diagonal_view(x, offset, first, second, detail::record_view);
}
inline AnyTensor unfold(const AnyTensor& x, index_t axis, index_t size, index_t step = 1) { return detail::unfold_view(x, axis, size, step, detail::record_view); }
inline AnyTensor as_strided(const AnyTensor& x, const dims& extents, const dims& stride, index_t offset) {
  return detail::as_strided_view(x, extents, stride, offset, detail::record_view);
}
inline AnyTensor as_strided(const AnyTensor& x, const dims& extents, const dims& stride) { return as_strided(x, extents, stride, x.storage_offset()); }

inline std::vector<AnyTensor> unbind(const AnyTensor& x, index_t axis = 0) { return detail::unbind_views(x, axis, detail::record_view); }
inline std::vector<AnyTensor> split(const AnyTensor& x, index_t size, index_t axis = 0) { return detail::split_views(x, size, axis, detail::record_view); }
inline std::vector<AnyTensor> split_with_sizes(const AnyTensor& x, std::span<const index_t> sizes, index_t axis = 0) {
  return detail::split_views(x, sizes, axis, detail::record_view);
}
inline std::vector<AnyTensor> chunk(const AnyTensor& x, index_t chunks, index_t axis = 0) { return detail::chunk_views(x, chunks, axis, detail::record_view); }
inline std::vector<AnyTensor> tensor_split(const AnyTensor& x, index_t sections, index_t axis = 0) {
  return detail::tensor_split_views(x, sections, axis, detail::record_view);
}
inline std::vector<AnyTensor> tensor_split(const AnyTensor& x, std::span<const index_t> at, index_t axis = 0) {
  return detail::tensor_split_views(x, at, axis, detail::record_view);
}

}  // namespace tt
