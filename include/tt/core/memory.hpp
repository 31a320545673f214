// Memory that is not the host's: what the core, which knows no device, has done to elements that only a device reaches.
#pragma once
#include <tt/core/counted.hpp>
#include <tt/core/device.hpp>
#include <tt/core/dtype.hpp>
#include <tt/core/shape.hpp>

#include <cstddef>

namespace tt {

struct Storage;

namespace detail {

struct Move;

/// One object for each device, which outlives all storages; they name theirs, and null is the host's. Work is queued in
/// the order in which the device's kernels are. Pointers are the device's, but for `host`.
struct Memory {
  tt::device where;
  int index;  ///< which device of its kind
  Ref<Storage> (*allocate)(const Memory&, std::size_t bytes);
  void (*zero)(const Memory&, std::byte* to, std::size_t bytes);
  void (*copy)(const Memory&, std::byte* to, const std::byte* from, std::size_t bytes);
  /// The host's bytes may be changed once it returns.
  void (*upload)(const Memory&, std::byte* to, const std::byte* host, std::size_t bytes);
  /// Waits for the bytes.
  void (*download)(const Memory&, std::byte* host, const std::byte* from, std::size_t bytes);
  /// to = from, converted.
  void (*move)(const Memory&, const Move&, std::byte* to, dtype to_type, const std::byte* from, dtype from_type);
  /// to[at] = a number of the host, as copies of one element; the host's may be changed once it returns.
  void (*fill)(const Memory&, const Move&, std::byte* to, dtype to_type, const std::byte* host, dtype from_type);
  /// to += from. Two indices of the move meet in `to` only along axes with the stride 0 there.
  void (*add)(const Memory&, const Move&, std::byte* to, const std::byte* from, dtype);
  /// to[i] = from[i] / by for i < n.
  void (*divide)(const Memory&, std::byte* to, const std::byte* from, dtype, index_t n, double by);
};

/// The memory that new tensors of a device's type lie in. A device specialises it for its tag.
template <class Device>
struct new_memory {
  static_assert(!sizeof(Device), "tt: tensors on CUDA need #include <tt/cuda.hpp>");
  static const Memory* get();  // one error is enough
};
template <>
struct new_memory<cpu> {
  static constexpr const Memory* get() { return nullptr; }
};

}  // namespace detail
}  // namespace tt
