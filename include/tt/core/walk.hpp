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

/// As large as complex<double>.
struct word16 {
  std::uint64_t part[2];
};
/// f(Word{}) for a type as large as an element, so that what only moves is not compiled for each dtype.
template <class Function>
void visit_word(std::size_t bytes, Function&& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return f(word16{});
  }
}

}  // namespace tt::detail
