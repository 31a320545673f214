// Tensors as files hold them: by name, packed bytes in either byte order.
#pragma once
#include <tt/core/copy.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tt {
/// Names and tensors in order; nn::AnyModule::state_dict() gives one.
using NamedTensors = std::vector<std::pair<std::string, AnyTensor>>;
}  // namespace tt

namespace tt::io {

inline constexpr bool host_is_big_endian = std::endian::native == std::endian::big;

/// Bytes that a file of the other byte order has reversed.
constexpr std::size_t word_of(dtype type) { return size_of(real_dtype(type)); }

/// A row-major tensor of these bytes.
/// @pre bytes.size() is the number of elements times their size
TT_NOINLINE inline AnyTensor tensor_of_bytes(dtype type, const dims& size, std::span<const std::uint8_t> bytes,
                                             bool big_endian) {
  const AnyTensor t = AnyTensor::empty(type, size);
  if (bytes.empty()) return t;
  std::byte* const to = t.data_ptr();
  std::memcpy(to, bytes.data(), bytes.size());
  const std::size_t word = word_of(type);
  if (big_endian != host_is_big_endian && word > 1)
    for (std::size_t i = 0; i + word <= bytes.size(); i += word) std::reverse(to + i, to + i + word);
  if (type == dtype::boolean)  // no other byte is a bool in C++
    for (std::size_t i = 0; i < bytes.size(); ++i) to[i] = std::byte(to[i] != std::byte(0));
  return t;
}

/// The elements of a packed tensor, in the byte order of this machine.
inline std::span<const std::uint8_t> bytes_of(const AnyTensor& packed) {
  return {reinterpret_cast<const std::uint8_t*>(packed.data_ptr()),
          std::size_t(packed.numel()) * size_of(packed.dtype())};
}

}  // namespace tt::io
