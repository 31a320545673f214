// Storage: a counted, versioned run of bytes that any number of tensors view.
#pragma once
#include <tt/core/allocator.hpp>
#include <tt/core/counted.hpp>
#include <tt/core/memory.hpp>

#include <cstring>

namespace tt {

/// Owned data of the host follows the header in one block. Other data stays where it is and is returned through
/// `release`.
struct alignas(detail::alignment) Storage {
  detail::Count refs;
  /// Grows with every write through a tensor; the tape and unevaluated expressions compare it.
  unsigned version = 0;
  std::uint16_t size_class = 0;
  /// Whole vectors may be read and written past the last element.
  bool spare = false;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  void (*release)(void* data, void* context) = nullptr;
  void* context = nullptr;
  const detail::Memory* memory = nullptr;  ///< null: the host's
};

TT_NOINLINE inline void destroy(Storage* s) {
  if (s->release) s->release(s->data, s->context);
  detail::end_block(s);
}

namespace detail {

TT_NOINLINE inline Ref<Storage> make_storage(std::size_t bytes, const Memory* memory = nullptr) {
  if (memory) return memory->allocate(*memory, bytes);
  auto* s = make_block<Storage>(bytes + spare_bytes);
  s->spare = true;
  s->data = reinterpret_cast<std::byte*>(s + 1);
  s->bytes = bytes;
  return Ref<Storage>(s);
}

inline void zero_bytes(const Memory* memory, std::byte* to, std::size_t bytes) {
  if (memory) memory->zero(*memory, to, bytes);
  else std::memset(to, 0, bytes);
}
/// Within one memory.
inline void copy_bytes(const Memory* memory, std::byte* to, const std::byte* from, std::size_t bytes) {
  if (memory) memory->copy(*memory, to, from, bytes);
  else std::memcpy(to, from, bytes);
}

/// Whether two storages have bytes in common: memory of others can lie under several.
inline bool overlap(const Storage& a, const Storage& b) {
  return &a == &b || (a.data < b.data + b.bytes && b.data < a.data + a.bytes);
}

/// Memory of somebody else. `release` (may be null) is called once when the last tensor is gone.
inline Ref<Storage> make_foreign_storage(void* data, std::size_t bytes, void (*release)(void*, void*), void* context) {
  auto* s = make_block<Storage>();
  s->data = static_cast<std::byte*>(data);
  s->bytes = bytes;
  s->release = release;
  s->context = context;
  return Ref<Storage>(s);
}

}  // namespace detail
}  // namespace tt
