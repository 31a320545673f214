// Views: another layout over the same storage. Here is what a view is, and what makes one on tensors without static types;
// dispatch/view*.hpp define it.
#pragma once
#include <tt/core/tensor.hpp>
#include <tt/expr/reduce.hpp>  // AxisSet

#include <span>
#include <vector>

namespace tt {

/// A view's place in a row-major copy of its base: where its gradient goes.
struct ViewLayout {
  dims size;
  index_t stride[max_rank];  ///< over the base's row-major gradient
  index_t offset = 0;
  bool whole = false;        ///< all elements of the base in their order: the gradient is the same buffer
  bool in_storage = false;   ///< strides and offset are over the storage instead, as as_strided() takes them
};

namespace detail {

/// Links a view to its base, and records it where recording is on and the base is tracked. Null where nothing can be tracked,
/// so that no node is compiled.
using RecordView = void (*)(const AnyTensor& out, const AnyTensor& base, const ViewLayout&, std::string_view name);
inline void record_view(const AnyTensor& out, const AnyTensor& base, const ViewLayout&, std::string_view name);  // autograd/view.hpp

inline int view_axis(const char* op, index_t axis, int rank) {
  const int normal = normal_axis(axis, rank);
  if (normal < 0) fail_index({"tt::", op, ": axis ", axis, " of a tensor with ", rank, " axes"});
  return normal;
}

// Another order or number of axes: dispatch/view.hpp.
inline AnyTensor transpose_view(const AnyTensor& x, index_t a, index_t b, RecordView record);
inline AnyTensor permute_view(const AnyTensor& x, std::span<const index_t> axes, RecordView record);
inline AnyTensor movedim_view(const AnyTensor& x, std::span<const index_t> from, std::span<const index_t> to, RecordView record);
inline AnyTensor reversed_view(const AnyTensor& x, RecordView record);
/// Axes of the set whose extent is 1 go; with `must` another extent is refused.
inline AnyTensor squeeze_view(const AnyTensor& x, AxisSet axes, bool must, RecordView record);
inline AnyTensor unsqueeze_view(const AnyTensor& x, index_t axis, RecordView record);
inline AnyTensor expand_view(const AnyTensor& x, dims to, RecordView record);
inline void broadcast_into(dims& space, const dims& d);  // dispatch/lower.hpp

// The same elements under other extents: dispatch/view_extents.hpp.
inline AnyTensor reshape_view(const AnyTensor& x, const dims& to, RecordView record, bool must_be_view = false);
inline AnyTensor flatten_view(const AnyTensor& x, index_t first, index_t last, RecordView record);
inline AnyTensor unflatten_view(const AnyTensor& x, index_t axis, const dims& to, RecordView record);

// Some of the elements: dispatch/view_parts.hpp.
inline AnyTensor slice_view(const AnyTensor& x, index_t axis, index_t start, index_t stop, index_t step, RecordView record);
inline AnyTensor select_view(const AnyTensor& x, index_t axis, index_t index, RecordView record);
inline AnyTensor narrow_view(const AnyTensor& x, index_t axis, index_t start, index_t length, RecordView record);
inline AnyTensor diagonal_view(const AnyTensor& x, index_t offset, index_t axis1, index_t axis2, RecordView record);
inline AnyTensor unfold_view(const AnyTensor& x, index_t axis, index_t size, index_t step, RecordView record);
inline AnyTensor as_strided_view(const AnyTensor& x, const dims& size, const dims& stride, index_t offset, RecordView record);

// Several views that share an axis out: dispatch/view_parts.hpp.
/// Positions start .. start + length of an axis. @pre they are there
inline AnyTensor part_view(const AnyTensor& x, int axis, index_t start, index_t length, RecordView record);
inline std::vector<AnyTensor> unbind_views(const AnyTensor& x, index_t axis, RecordView record);
inline std::vector<AnyTensor> split_views(const AnyTensor& x, index_t size, index_t axis, RecordView record);
inline std::vector<AnyTensor> split_views(const AnyTensor& x, std::span<const index_t> sizes, index_t axis, RecordView record);
inline std::vector<AnyTensor> chunk_views(const AnyTensor& x, index_t chunks, index_t axis, RecordView record);
inline std::vector<AnyTensor> tensor_split_views(const AnyTensor& x, index_t sections, index_t axis, RecordView record);
inline std::vector<AnyTensor> tensor_split_views(const AnyTensor& x, std::span<const index_t> at, index_t axis, RecordView record);

}  // namespace detail
}  // namespace tt
