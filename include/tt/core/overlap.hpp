// Whether a layout reaches an element twice.
#pragma once
#include <tt/core/any_tensor.hpp>
#include <tt/core/walk.hpp>

#include <cstdlib>
#include <cstring>

namespace tt {

namespace detail {
/// Every place is marked: exact where the strides alone do not tell, as sizes (2, 2) with strides (2, 3) do not.
TT_NOINLINE inline bool places_repeat(const dims& size, const index_t* stride, index_t before, index_t span) {
  const auto marks = make_storage(std::size_t(span));
  std::memset(marks->data, 0, std::size_t(span));
  bool twice = false;
  walk(size, size.rank, stride, [&](index_t at) { twice |= std::exchange(marks->data[before + at], std::byte{1}) != std::byte{0}; });
  return twice;
}
/// Whether a layout shows some element more than once.
TT_NOINLINE inline bool shows_twice(const dims& size, const index_t* strides) {
  const index_t n = size.count();
  if (n < 2) return false;
  // Axes by their strides: where each steps over all that the finer ones reach, no two indices meet.
  index_t step[max_rank], reach[max_rank], before = 0, span = 1;
  int axes = 0;
  for (int i = 0; i < size.rank; ++i) {
    const index_t extent = size.extent[i], stride = strides[i];
    if (extent == 1) continue;
    if (stride == 0) return true;
    const index_t length = (extent - 1) * std::abs(stride);
    span += length;
    if (stride < 0) before += length;
    int at = axes++;
    for (; at > 0 && step[at - 1] > std::abs(stride); --at) step[at] = step[at - 1], reach[at] = reach[at - 1];
    step[at] = std::abs(stride), reach[at] = length;
  }
  if (n > span) return true;
  index_t reached = 0;
  for (int i = 0; i < axes; ++i) {
    if (step[i] <= reached) return places_repeat(size, strides, before, span);
    reached += reach[i];
  }
  return false;
}
/// Whether it does so otherwise than by axes with the stride 0.
inline bool windows_overlap(const dims& size, const index_t* strides) {
  dims moved;
  index_t stride[max_rank];
  for (int i = 0; i < size.rank; ++i) {
    if (strides[i] == 0) continue;
    stride[moved.rank] = strides[i];
    moved.push_back(size.extent[i]);
  }
  return shows_twice(moved, stride);
}
}  // namespace detail

inline bool AnyTensor::is_expanded() const { return detail::shows_twice(sizes(), strides()); }

}  // namespace tt
