// The caching allocator of the CPU: per-thread free lists of 64-byte aligned blocks, so that a warm training step takes
// nothing from the system (fresh pages cost up to three times the computation on them).
#pragma once
#include <tt/core/error.hpp>

#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define TT_POOLED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TT_POOLED 0
#endif
#endif
#ifndef TT_POOLED
#define TT_POOLED 1
#endif

namespace tt {

/// What the calling thread's allocator has done. `system_blocks` stands still in a warm loop.
struct allocator_statistics {
  std::size_t system_blocks = 0;  ///< blocks taken from the system so far
  std::size_t cached_bytes = 0;   ///< held for reuse, given back by empty_cache()
  std::size_t system_bytes = 0;   ///< taken from the system and not given back, whoever uses them now
  /// In use, if blocks end on the thread that took them.
  std::size_t allocated_bytes() const { return system_bytes - cached_bytes; }
};

namespace detail {

inline constexpr std::size_t alignment = 64;
/// Kernels read and write whole vectors: every block of ours ends in one spare vector of the widest kind.
inline constexpr std::size_t spare_bytes = 64;
/// What one thread may hold for reuse.
inline constexpr std::size_t cache_limit = std::size_t(1) << 29;

/// Size classes: multiples of 64 up to 512 bytes, then four steps to each power of two. At most a quarter is lost.
constexpr int size_class(std::size_t bytes) {
  const std::size_t units = bytes ? (bytes + alignment - 1) / alignment : 1;
  if (units <= 8) return int(units);
  const int width = int(std::bit_width(units - 1));
  const std::size_t step = std::size_t(1) << (width - 3);
  return (width - 4) * 4 + 4 + int((units + step - 1) / step);
}
constexpr std::size_t class_bytes(int size_class) {
  if (size_class <= 8) return std::size_t(size_class) * alignment;
  const int octave = (size_class - 9) / 4;
  return (std::size_t((size_class - 9) % 4 + 5) << (octave + 1)) * alignment;
}
static_assert(class_bytes(size_class(513)) == 640 && class_bytes(size_class(1024)) == 1024 &&
              class_bytes(size_class(1025)) == 1280);

struct Pool {
  void* head[200];
  std::size_t limit = 0;  ///< what may be held for reuse: nothing before the thread's end is watched, and after it
  bool watched = false;
  allocator_statistics statistics;
};
inline constinit thread_local Pool pool{};

/// Gives everything back; the next allocations come from the system.
TT_NOINLINE inline void empty_pool() {
  for (void*& head : pool.head)
    while (head) {
      void* block = head;
      std::memcpy(&head, block, sizeof head);
      std::free(block);
    }
  pool.statistics.system_bytes -= std::exchange(pool.statistics.cached_bytes, 0);
}
/// Empties the pool when its thread ends. Touched on slow paths only: the pool itself has no destructor to guard.
struct PoolEnd {
  bool touched = false;
  ~PoolEnd() {
    empty_pool();
    pool.limit = 0;
  }
};
inline thread_local PoolEnd pool_end;

inline void watch_pool() {
  if (std::exchange(pool.watched, true)) return;
  pool_end.touched = true;
  pool.limit = cache_limit;
}
TT_NOINLINE inline void* take_fresh(int size_class) {
  watch_pool();
  ++pool.statistics.system_blocks;
  void* block = std::aligned_alloc(alignment, class_bytes(size_class));
  if (!block) {  // what is held for reuse may be what is missing
    empty_pool();
    block = std::aligned_alloc(alignment, class_bytes(size_class));
  }
  if (!block) throw std::bad_alloc();
  pool.statistics.system_bytes += class_bytes(size_class);
  return block;
}
/// Back to the system.
inline void give_back(void* block, int size_class) {
  pool.statistics.system_bytes -= class_bytes(size_class);
  std::free(block);
}
inline void* take(std::size_t bytes, std::uint16_t& size_class_out) {
  if (bytes > (std::size_t(1) << 46)) throw std::bad_alloc();
  const int c = size_class(bytes);
  size_class_out = std::uint16_t(c);
#if TT_POOLED
  if (void* block = pool.head[c]) {
    std::memcpy(&pool.head[c], block, sizeof block);
    pool.statistics.cached_bytes -= class_bytes(c);
    return block;
  }
#endif
  return take_fresh(c);
}
inline bool keep(void* block, int size_class) {
  const std::size_t bytes = class_bytes(size_class);
  if (pool.statistics.cached_bytes + bytes > pool.limit) [[unlikely]] return false;
  std::memcpy(block, &pool.head[size_class], sizeof block);
  pool.head[size_class] = block;
  pool.statistics.cached_bytes += bytes;
  return true;
}
/// The cache is full, or this thread has never taken a block.
TT_NOINLINE inline void put_elsewhere(void* block, int size_class) {
  watch_pool();
  if (!keep(block, size_class)) give_back(block, size_class);
}
/// A block may be put by another thread than took it; it then serves that thread.
inline void put(void* block, int size_class) {
#if TT_POOLED
  if (!keep(block, size_class)) [[unlikely]] put_elsewhere(block, size_class);
#else
  give_back(block, size_class);
#endif
}

/// A counted block of the pool: a Kind, which has a member size_class, and `extra_bytes` behind it.
template <class Kind>
Kind* make_block(std::size_t extra_bytes = 0) {
  std::uint16_t size_class;
  auto* block = new (take(sizeof(Kind) + extra_bytes, size_class)) Kind;
  block->size_class = size_class;
  return block;
}
template <class Kind>
void end_block(Kind* block) {
  const int size_class = block->size_class;
  block->~Kind();
  put(block, size_class);
}

}  // namespace detail

inline const allocator_statistics& cpu_allocator_statistics() { return detail::pool.statistics; }
/// Gives this thread's unused blocks back to the system.
inline void empty_cache() { detail::empty_pool(); }

}  // namespace tt
