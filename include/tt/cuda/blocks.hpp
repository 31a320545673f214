// How the caching allocator cuts up what it gets from CUDA: sizes, blocks, pools, and the counts of bytes.
// Rules and constants as in PyTorch's c10/cuda/CUDACachingAllocator.cpp.
#pragma once
#include <tt/cuda/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

namespace tt::gpu {

/// https://pytorch.org/docs/stable/generated/torch.cuda.memory.memory_stats.html, in bytes unless it says otherwise.
struct MemoryStatistics {
  struct Counter {
    std::int64_t current = 0, peak = 0, total = 0;  // total: all that was ever added
    void add(std::int64_t n) {
      current += n;
      if (n > 0) total += n;
      peak = (std::max)(peak, current);
    }
  };
  Counter allocated;       ///< in use
  Counter active;          ///< in use, or given back while other streams still use it
  Counter reserved;        ///< taken from CUDA
  Counter inactive_split;  ///< free, but a piece of a segment of which another piece is in use
  Counter segments;        ///< number of pieces taken from CUDA
  std::int64_t retries = 0, out_of_memory = 0;  ///< number of requests that CUDA refused once; that failed
};

/// A part of a segment, as memory_snapshot() shows it.
struct BlockInfo {
  enum class State { allocated, awaiting_streams, free };
  const void* pointer;
  std::size_t size;
  std::size_t requested;
  cudaStream_t stream;
  State state;
  bool begins_segment;
  bool is_private;
};

namespace detail {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib;
inline constexpr std::size_t smallest_block = 512;
inline constexpr std::size_t largest_small = 1 * mib;       // requests up to this share small segments
inline constexpr std::size_t small_segment = 2 * mib;
inline constexpr std::size_t least_of_its_own = 10 * mib;   // requests from this on get a segment of their size
inline constexpr std::size_t large_segment = 20 * mib;
inline constexpr std::size_t segment_rounding = 2 * mib;

constexpr std::size_t round_to(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }
constexpr std::size_t block_size(std::size_t requested) { return round_to(requested, smallest_block); }
constexpr std::size_t segment_size(std::size_t size) {
  if (size <= largest_small) return small_segment;
  return size < least_of_its_own ? large_segment : round_to(size, segment_rounding);
}

struct Pool;

struct Block {
  char* pointer;
  std::size_t size, requested = 0;
  cudaStream_t stream;
  Pool* pool;
  Block *previous = nullptr, *next = nullptr;  // neighbours in the segment
  bool allocated = false;
  bool in_pool = false;                        // neither: freed, and other streams may still use it
  int pending_events = 0;                      // of streams that may still use it
  std::uint64_t freed_at = 0;                  // by the pool's clock
  std::vector<StreamRef> used_on{};            // besides its own; freed: those whose events are still to be recorded

  bool is_whole_segment() const { return !previous && !next; }
};

struct BySize {
  bool operator()(const Block* a, const Block* b) const {
    if (a->stream != b->stream) return std::less<>()(a->stream, b->stream);
    if (a->size != b->size) return a->size < b->size;
    return std::less<>()(a->pointer, b->pointer);
  }
};

/// Free blocks of one kind, by stream, size and address.
struct Pool {
  bool is_small;
  std::set<Block*, BySize> free{};
  std::uint64_t clock = 0;  // requests so far
  bool released = false;    // of a graph that is gone: its segments go back to CUDA as they become free

  void insert(Block& block) {
    block.in_pool = true;
    block.freed_at = clock;
    free.insert(&block);
  }
  void erase(Block& block) {
    block.in_pool = false;
    free.erase(&block);
  }
  /// Adds the blocks that can be given back to CUDA.
  void list_segments(std::vector<Block*>& to) const {
    std::copy_if(free.begin(), free.end(), std::back_inserter(to), [](const Block* b) { return b->is_whole_segment(); });
  }

  /// The smallest block of the stream that fits, or null. Blocks of `max_split` bytes or more, which are not split,
  /// serve large requests that leave less than a large segment unused.
  Block* find(std::size_t size, cudaStream_t stream, std::size_t max_split) {
    ++clock;
    Block wanted{nullptr, size, 0, stream, this};  // its address comes before all others
    const auto found = free.lower_bound(&wanted);
    if (found == free.end() || (*found)->stream != stream) return nullptr;
    Block* block = *found;
    if (block->size >= max_split && (size < max_split || block->size >= size + large_segment)) return nullptr;
    return block;
  }

  /// Whether what remains of a block of `have` bytes is worth keeping apart.
  bool splits(std::size_t have, std::size_t size, std::size_t max_split) const {
    return is_small ? have - size >= smallest_block : size < max_split && have - size > largest_small;
  }
};

/// The small and the large pool that a graph's memory comes from, so that nobody else writes there between its replays.
struct PrivatePools {
  Pool small{true}, large{false};
};

}  // namespace detail
}  // namespace tt::gpu
