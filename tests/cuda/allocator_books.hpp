// For tests of <tt/cuda/allocator.hpp>: whether its counts and blocks agree.
#pragma once
#include <tt/cuda/allocator.hpp>

#include "catch.hpp"

#include <cstdint>

inline constexpr std::size_t kib = 1024, mib = 1024 * kib;

inline std::int64_t reserved(const tt::gpu::CachingAllocator& allocator) {
  return allocator.memory_stats().reserved.current;
}

/// What must hold whenever nobody is inside the allocator.
inline void check_books(const tt::gpu::CachingAllocator& allocator) {
  using State = tt::gpu::BlockInfo::State;
  std::int64_t allocated = 0, active = 0, total = 0, pieces = 0, segments = 0;
  const auto blocks = allocator.memory_snapshot();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const tt::gpu::BlockInfo& block = blocks[i];
    const auto at = reinterpret_cast<std::uintptr_t>(block.pointer);
    const bool last = i + 1 == blocks.size() || blocks[i + 1].begins_segment;
    REQUIRE(block.size % 512 == 0);
    REQUIRE(block.size > 0);
    REQUIRE(block.requested <= block.size);
    if (i + 1 < blocks.size()) {  // by address: blocks tile their segment, and nothing overlaps
      const auto next = reinterpret_cast<std::uintptr_t>(blocks[i + 1].pointer);
      if (last) REQUIRE(at + block.size <= next);
      else REQUIRE(at + block.size == next);
    }
    if (!last) {
      REQUIRE(blocks[i + 1].stream == block.stream);
      REQUIRE_FALSE((block.state == State::free && blocks[i + 1].state == State::free));  // neighbours were joined
    }
    const auto size = std::int64_t(block.size);
    total += size;
    segments += block.begins_segment;
    if (block.state == State::allocated) allocated += size;
    if (block.state != State::free) active += size;
    if (block.state == State::free && !(block.begins_segment && last)) pieces += size;
  }
  const auto stats = allocator.memory_stats();
  REQUIRE(stats.allocated.current == allocated);
  REQUIRE(stats.active.current == active);
  REQUIRE(stats.reserved.current == total);
  REQUIRE(stats.inactive_split.current == pieces);
  REQUIRE(stats.segments.current == segments);
  REQUIRE(stats.reserved.peak >= stats.reserved.current);
}
