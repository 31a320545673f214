// Row-major copies of the same dtype: elements are moved by size, so that nothing is compiled for each dtype.
#pragma once
#include <tt/core/any_tensor.hpp>
#include <tt/core/walk.hpp>

#include <cstring>

namespace tt {

namespace detail {
/// to[j] = from[j * stride] for elements of `item` bytes.
TT_NOINLINE inline void gather_row(std::byte* to, const std::byte* from, index_t stride, index_t n, std::size_t item) {
  if (stride == 1) return void(std::memcpy(to, from, std::size_t(n) * item));
  visit_word(item, [&]<class Word>(Word) {
    for (index_t j = 0; j < n; ++j) std::memcpy(to + j * index_t(sizeof(Word)), from + j * stride * index_t(sizeof(Word)), sizeof(Word));
  });
}
}  // namespace detail

TT_NOINLINE inline AnyTensor AnyTensor::copied() const {
  const AnyTensor out = empty(dtype(), sizes());
  const index_t n = numel();
  if (n == 0) return out;
  const std::size_t item = size_of(dtype());
  const index_t length = is_contiguous() ? n : size(-1);
  const index_t step = is_contiguous() ? 1 : stride(-1);
  const int outer = is_contiguous() ? 0 : rank() - 1;
  std::byte* to = out.data_ptr();
  detail::walk(sizes(), outer, strides(), [&](index_t offset) {
    detail::gather_row(to, data_ptr() + offset * index_t(item), step, length, item);
    to += length * index_t(item);
  });
  return out;
}
inline AnyTensor AnyTensor::packed() const { return is_contiguous() ? *this : copied(); }

}  // namespace tt
