// Walking a layout element by element or row by row, and moving elements by their size.
#pragma once
#include <tt/core/shape.hpp>

#include <cstddef>

namespace tt::detail {

/// f(offset) for every index of the first `axes` axes, the last of them fastest; an axis adds its stride a step.
template <class Function>
void walk(const dims& size, int axes, const index_t* stride, Function&& f) {
  index_t at[max_rank]{}, offset = 0, left = 1;
  for (int axis = 0; axis < axes; ++axis) left *= size.extent[axis];
  for (; left > 0; --left) {
    f(offset);
    for (int axis = axes - 1; axis >= 0; --axis) {
      offset += stride[axis];
      if (++at[axis] < size.extent[axis]) break;
      offset -= at[axis] * stride[axis];
      at[axis] = 0;
    }
  }
}

/// f(Word{}) for an unsigned integer as large as an element, so that what only moves is not compiled for each dtype.
template <class Function>
void visit_word(std::size_t bytes, Function&& f) {
  bytes == 1 ? f(std::uint8_t{}) : bytes == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

}  // namespace tt::detail
