#include <tt/core/any_tensor.hpp>

#include "../catch.hpp"

#include <thread>
#include <vector>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace detail = tt::detail;
using tt::AnyTensor;
using tt::dtype;

TEST_CASE("allocator: size classes hold what is asked for, in order, and lose at most a quarter", "[core]") {
  int last = 0, wrong = 0;
  const auto check = [&](std::size_t bytes) {
    const int c = detail::size_class(bytes);
    wrong += detail::class_bytes(c) < bytes || c < last || c >= 200;
    wrong += detail::class_bytes(c) % detail::alignment != 0;
    wrong += bytes > 512 && detail::class_bytes(c) * 4 > bytes * 5 + 4 * detail::alignment;
    wrong += detail::size_class(detail::class_bytes(c)) != c;
    last = c;
  };
  for (std::size_t bytes = 0; bytes < 70000; ++bytes) check(bytes);
  for (int power = 17; power <= 46; ++power)
    for (std::size_t step = 0; step < 64; ++step)
      for (int delta = -1; delta <= 1; ++delta) {
        const std::size_t octave = std::size_t(1) << power;
        const std::size_t bytes = octave + octave / 64 * step + std::size_t(delta);
        if (bytes > octave && bytes <= std::size_t(1) << 46) check(bytes);
      }
  CHECK(wrong == 0);
  for (int c = 2; c < 160; ++c) wrong += detail::class_bytes(c) <= detail::class_bytes(c - 1);
  CHECK(wrong == 0);
}

TEST_CASE("allocator: blocks are aligned, apart from each other and writable to the end", "[core]") {
  struct block { std::byte* p; std::size_t bytes; std::uint16_t size_class; };
  std::vector<block> blocks;
  for (std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 500u, 513u, 4096u, 100000u, 1u << 20}) {
    std::uint16_t c;
    auto* p = static_cast<std::byte*>(detail::take(bytes, c));
    CHECK(reinterpret_cast<std::uintptr_t>(p) % detail::alignment == 0);
    std::fill_n(p, bytes, std::byte(blocks.size()));
    blocks.push_back({p, bytes, c});
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    bool intact = true;
    for (std::size_t k = 0; k < blocks[i].bytes; ++k) intact &= blocks[i].p[k] == std::byte(i);
    CHECK(intact);
  }
  for (const block& b : blocks) detail::put(b.p, b.size_class);
}

TEST_CASE("allocator: more than there is is refused", "[core]") {
  std::uint16_t c;
  CHECK_THROWS_AS(detail::take((std::size_t(1) << 46) + 1, c), std::bad_alloc);
  CHECK_THROWS_AS(detail::take(SIZE_MAX, c), std::bad_alloc);
}

#if TT_POOLED
TEST_CASE("allocator: a block that was put serves the next request of its class", "[core]") {
  tt::empty_cache();
  CHECK(tt::memory_stats().cached_bytes == 0);
  std::uint16_t c;
  void* first = detail::take(1000, c);
  detail::put(first, c);
  CHECK(tt::memory_stats().cached_bytes == std::ptrdiff_t(detail::class_bytes(c)));
  void* again = detail::take(1010, c);
  CHECK(again == first);
  CHECK(tt::memory_stats().cached_bytes == 0);
  detail::put(again, c);
  tt::empty_cache();
  CHECK(tt::memory_stats().cached_bytes == 0);
}

TEST_CASE("allocator: a warm loop takes nothing from the system", "[core]") {
  const auto step = [] {
    const AnyTensor a = AnyTensor::empty(dtype::float32, {300, 7}), b = AnyTensor::empty(dtype::float64, {5});
    const AnyTensor view = a.with_layout({7}, a.strides() + 1, 0);
  };
  step();
  const auto before = tt::memory_stats().system_blocks;
  for (int i = 0; i < 100; ++i) step();
  CHECK(tt::memory_stats().system_blocks == before);
}

TEST_CASE("allocator: what one thread takes another may put, which then reuses it", "[core]") {
  std::uint16_t c = 0;
  void* block = detail::take(5000, c);
  std::thread([&] {
    CHECK(tt::memory_stats().system_blocks == 0);
    detail::put(block, c);
    CHECK(detail::take(5000, c) == block);
    CHECK(tt::memory_stats().system_blocks == 0);
    detail::put(block, c);
  }).join();
}

TEST_CASE("allocator: bytes of blocks that change threads add up over the threads", "[core]") {
  std::uint16_t c = 0;
  const auto before = tt::memory_allocated();
  void* block = detail::take(5000, c);
  const auto bytes = std::ptrdiff_t(detail::class_bytes(c));
  CHECK(tt::memory_allocated() - before == bytes);
  std::thread([&] {
    detail::put(block, c);
    CHECK(tt::memory_allocated() == -bytes);
    tt::empty_cache();
    CHECK(tt::memory_allocated() == -bytes);
    CHECK(tt::max_memory_allocated() == 0);
  }).join();
}

TEST_CASE("allocator: a thread keeps no more than the limit for reuse", "[core]") {
  tt::empty_cache();
  std::uint16_t c = 0;
  std::vector<void*> blocks;
  for (int i = 0; i < 5; ++i)
    blocks.push_back(detail::take(std::size_t(detail::cache_limit) / 4, c));  // untouched pages cost nothing
  for (void* block : blocks) detail::put(block, c);
  CHECK(tt::memory_stats().cached_bytes <= detail::cache_limit);
  CHECK(tt::memory_stats().cached_bytes > 0);
  tt::empty_cache();
}

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
namespace {
std::size_t in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
constexpr std::size_t large = std::size_t(1) << 22;
}  // namespace

TEST_CASE("allocator: a thread that ends gives everything back, also if it only ever put blocks", "[core]") {
  std::uint16_t c = 0;
  const std::size_t before = in_use();
  std::thread([&] { detail::put(detail::take(large, c), c); }).join();
  CHECK(in_use() < before + large / 2);
  void* block = detail::take(large, c);
  std::thread([&] { detail::put(block, c); }).join();
  CHECK(in_use() < before + large / 2);
}

TEST_CASE("allocator: a tensor that lives until its thread's last moment is given back too", "[core]") {
  const std::size_t before = in_use();
  std::thread([] {
    static thread_local AnyTensor last;   // made before the pool is touched, so it ends after the pool's end
    last = AnyTensor::empty(dtype::uint8, {tt::index_t(large)});
  }).join();
  CHECK(in_use() < before + large / 2);
}
#endif
#endif
