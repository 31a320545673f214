// Row-major copies of the same dtype: elements are moved by size, so that nothing is compiled for each dtype.
#pragma once
#include <tt/core/any_tensor.hpp>

#include <cstring>

namespace tt {

namespace detail {
/// to[j] = from[j * stride] for elements of `item` bytes.
TT_NOINLINE inline void gather_row(std::byte* to, const std::byte* from, index_t stride, index_t n, std::size_t item) {
  if (stride == 1) return void(std::memcpy(to, from, std::size_t(n) * item));
  const auto move = [&]<class Word>(Word) {
    for (index_t j = 0; j < n; ++j) std::memcpy(to + j * index_t(sizeof(Word)), from + j * stride * index_t(sizeof(Word)), sizeof(Word));
  };
  item == 1 ? move(std::uint8_t{}) : item == 4 ? move(std::uint32_t{}) : move(std::uint64_t{});
}
}  // namespace detail

TT_NOINLINE inline AnyTensor AnyTensor::copied() const {
  const AnyTensor out = empty(dtype(), sizes());
  const index_t n = numel();
  if (n == 0) return out;
  const std::size_t item = size_of(dtype());
  const index_t length = is_contiguous() ? n : size(-1);
  const index_t step = is_contiguous() ? 1 : stride(-1);
  const std::byte* from = data_ptr();
  index_t at[max_rank]{};
  for (index_t row = 0; row < n / length; ++row) {
    detail::gather_row(out.data_ptr() + row * length * index_t(item), from, step, length, item);
    for (int axis = rank() - 2; axis >= 0; --axis) {
      const index_t stride_bytes = body_->stride[axis] * index_t(item);
      from += stride_bytes;
      if (++at[axis] < body_->size.extent[axis]) break;
      from -= at[axis] * stride_bytes;
      at[axis] = 0;
    }
  }
  return out;
}
inline AnyTensor AnyTensor::packed() const { return is_contiguous() ? *this : copied(); }

}  // namespace tt
