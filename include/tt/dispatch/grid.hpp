// meshgrid: vectors seen over a common grid.
#pragma once
#include <tt/dispatch/view.hpp>

namespace tt::detail {

/// x along one axis of a grid, the same along the others.
inline AnyTensor grid_view(const AnyTensor& x, const dims& grid, int axis, RecordView record) {
  if (x.rank() > 1) fail({"tt::meshgrid: every operand must be a vector, not ", x.sizes()});
  return strided_view("meshgrid", x, record, [&](ViewLayout& v) {
    const index_t step = v.size.rank ? v.stride[0] : 0;
    v.size = grid;
    std::fill_n(v.stride, grid.rank, index_t(0));
    v.stride[axis] = step;
  });
}

}  // namespace tt::detail
