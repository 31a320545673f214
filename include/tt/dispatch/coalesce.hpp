// The fewest axes that an iteration space can be walked by. Drivers of every device begin with it.
#pragma once
#include <tt/core/shape.hpp>

namespace tt::detail {

/// Merges neighbouring axes that all operands step through as one, and drops axes of extent 1. What is written counts as
/// contiguous, what is read as single, if one element is all there is. @post size.rank >= 1
TT_NOINLINE inline void coalesce(dims& size, index_t* const* stride, int operands, int first_written) {
  int kept = 0;
  for (int axis = 0; axis < size.rank; ++axis) {
    const index_t extent = size.extent[axis];
    if (extent == 1) continue;
    bool merges = kept > 0;
    for (int k = 0; k < operands && merges; ++k) merges = stride[k][kept - 1] == stride[k][axis] * extent;
    if (merges) {
      size.extent[kept - 1] *= extent;
      for (int k = 0; k < operands; ++k) stride[k][kept - 1] = stride[k][axis];
    } else {
      size.extent[kept] = extent;
      for (int k = 0; k < operands; ++k) stride[k][kept] = stride[k][axis];
      ++kept;
    }
  }
  if (kept == 0) {
    size.extent[0] = 1;
    for (int k = 0; k < operands; ++k) stride[k][0] = k < first_written ? 0 : 1;
    kept = 1;
  }
  size.rank = kept;
}

}  // namespace tt::detail
