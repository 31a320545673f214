// Views: another layout over the same storage. Here is what a view is; dispatch/view.hpp makes them.
#pragma once
#include <tt/core/tensor.hpp>

#include <span>

namespace tt {

/// A view's place in a row-major copy of its base: where its gradient goes.
struct ViewLayout {
  dims size;
  index_t stride[max_rank];  ///< over the base's row-major gradient
  index_t offset = 0;
  bool whole = false;        ///< all elements of the base in their order: the gradient is the same buffer
};

namespace detail {

/// Null where nothing can be tracked, so that no node is compiled.
using RecordView = void (*)(const AnyTensor& out, const AnyTensor& base, const ViewLayout&, std::string_view name);

inline int view_axis(const char* op, index_t axis, int rank) {
  const int normal = normal_axis(axis, rank);
  if (normal < 0) fail_index({"tt::", op, ": axis ", axis, " of a tensor with ", rank, " axes"});
  return normal;
}

inline AnyTensor transpose_view(const AnyTensor& x, index_t a, index_t b, RecordView record);
inline AnyTensor permute_view(const AnyTensor& x, std::span<const index_t> axes, RecordView record);
inline AnyTensor slice_view(const AnyTensor& x, index_t axis, index_t start, index_t stop, index_t step, RecordView record);
inline AnyTensor select_view(const AnyTensor& x, index_t axis, index_t index, RecordView record);
inline AnyTensor reshape_view(const AnyTensor& x, const dims& to, RecordView record, bool must_be_view = false);

}  // namespace detail
}  // namespace tt
