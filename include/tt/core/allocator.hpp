// The caching allocator of the CPU: per-thread free lists of 64-byte aligned blocks, so that a warm training step takes
// nothing from the system (fresh pages cost up to three times the computation on them).
#pragma once
#include <tt/core/message.hpp>

#include <algorithm>
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

/// What the calling thread's allocator has done. A block counts for the thread that takes it and against the one that ends it:
/// bytes may be negative where other threads' blocks end, and the sum over all threads is what the process holds.
struct allocator_statistics {
  std::size_t allocations = 0;    ///< blocks taken so far, from the pool or the system
  std::size_t system_blocks = 0;  ///< blocks taken from the system so far: stands still in a warm loop
  std::ptrdiff_t cached_bytes = 0;  ///< held for reuse, given back by empty_cache()
  std::ptrdiff_t system_bytes = 0;  ///< taken from the system and not given back, whoever uses them now
  std::ptrdiff_t peak_bytes = 0;  ///< the most that was in use since the thread began or reset_peak_memory_stats()
  /// In use.
  std::ptrdiff_t allocated_bytes() const { return system_bytes - cached_bytes; }
};

namespace detail {

inline constexpr std::size_t alignment = 64;
/// Kernels read and write whole vectors: every block of ours ends in one spare vector of the widest kind.
inline constexpr std::size_t spare_bytes = 64;
/// What one thread may hold for reuse.
inline constexpr std::ptrdiff_t cache_limit = std::ptrdiff_t(1) << 29;

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
  std::ptrdiff_t limit = 0;  ///< what may be held for reuse: nothing before the thread's end is watched, and after it
  bool watched = false;
  bool closed = false;  ///< nothing may be taken from the system
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
[[noreturn]] TT_NOINLINE inline void pool_is_closed(std::size_t bytes) {
  fail({"tt: ", index_t(bytes), " bytes were to be taken from the heap within a no_alloc_scope, for nothing that is held for reuse fits: "
        "run the same step before the scope, or keep its results in tensors that are written"});
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
#if TT_POOLED
  if (pool.closed) pool_is_closed(class_bytes(size_class));
#endif
  watch_pool();
  ++pool.statistics.system_blocks;
  void* block = std::aligned_alloc(alignment, class_bytes(size_class));
  if (!block) {  // what is held for reuse may be what is missing
    empty_pool();
    block = std::aligned_alloc(alignment, class_bytes(size_class));
  }
  if (!block) throw std::bad_alloc();
  pool.statistics.system_bytes += std::ptrdiff_t(class_bytes(size_class));
  return block;
}
/// Back to the system.
inline void give_back(void* block, int size_class) {
  pool.statistics.system_bytes -= std::ptrdiff_t(class_bytes(size_class));
  std::free(block);
}
inline void* take(std::size_t bytes, std::uint16_t& size_class_out) {
  if (bytes > (std::size_t(1) << 46)) throw std::bad_alloc();
  const int c = size_class(bytes);
  size_class_out = std::uint16_t(c);
  allocator_statistics& s = pool.statistics;
#if TT_POOLED
  void* block = pool.head[c];
  if (block) [[likely]] {
    std::memcpy(&pool.head[c], block, sizeof block);
    s.cached_bytes -= std::ptrdiff_t(class_bytes(c));
  } else {
    block = take_fresh(c);
  }
#else
  void* block = take_fresh(c);
#endif
  ++s.allocations;
  s.peak_bytes = (std::max)(s.peak_bytes, s.allocated_bytes());
  return block;
}
inline bool keep(void* block, int size_class) {
  const auto bytes = std::ptrdiff_t(class_bytes(size_class));
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

/// https://pytorch.org/docs/stable/generated/torch.cuda.memory.memory_stats.html, of this thread.
inline const allocator_statistics& memory_stats() { return detail::pool.statistics; }
/// Bytes of tensors and nodes in use.
inline std::ptrdiff_t memory_allocated() { return memory_stats().allocated_bytes(); }
/// The most bytes in use since the thread began or reset_peak_memory_stats().
inline std::ptrdiff_t max_memory_allocated() { return memory_stats().peak_bytes; }
/// Bytes in use and held for reuse.
inline std::ptrdiff_t memory_reserved() { return memory_stats().system_bytes; }
inline void reset_peak_memory_stats() { detail::pool.statistics.peak_bytes = memory_allocated(); }
/// Gives this thread's unused blocks back to the system.
inline void empty_cache() { detail::empty_pool(); }

/// While it lives, this thread takes no memory for tensors from the heap: what the pool cannot serve is an error. Under
/// AddressSanitizer, where nothing is pooled, it watches nothing.
class [[nodiscard]] no_alloc_scope {
 public:
  no_alloc_scope() : before_(std::exchange(detail::pool.closed, true)) {}
  no_alloc_scope(const no_alloc_scope&) = delete;
  no_alloc_scope& operator=(const no_alloc_scope&) = delete;
  ~no_alloc_scope() { detail::pool.closed = before_; }

 private:
  bool before_;
};

}  // namespace tt
