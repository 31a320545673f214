// <tt/cuda/allocator.hpp>: sizes, reuse, splitting, running out of memory, and all of it at random.
#include "cuda/allocator_books.hpp"
#include "cuda/device_test.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

using tt::gpu::BlockInfo;
using tt::gpu::CachingAllocator;
using tt::gpu::OutOfMemoryError;
using tt::gpu::Stream;
using tt::gpu::StreamRef;

TEST_CASE("allocator: requests are rounded, and share segments by size", "[cuda]") {
  const struct {
    std::size_t request, block, segment;
  } cases[] = {{1, 512, 2 * mib},           {512, 512, 2 * mib},           {513, 1024, 2 * mib},
               {mib, mib, 2 * mib},         {mib + 1, mib + 512, 20 * mib}, {10 * mib - 512, 10 * mib - 512, 20 * mib},
               {10 * mib, 10 * mib, 10 * mib}, {11 * mib, 12 * mib, 12 * mib}};
  for (const auto& c : cases) {
    INFO(c.request);
    CachingAllocator allocator(0);
    void* p = allocator.allocate(c.request, nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 512 == 0);
    CHECK(allocator.memory_snapshot()[0].requested == c.request);
    CHECK(allocator.memory_snapshot()[0].size == c.block);
    CHECK(reserved(allocator) == std::int64_t(c.segment));
    check_books(allocator);
    allocator.free(p);
    check_books(allocator);
    CHECK(allocator.memory_snapshot().size() == 1);  // one piece again
    allocator.empty_cache();
    CHECK(reserved(allocator) == 0);
  }
}

TEST_CASE("allocator: nothing for nothing, and no memory that is not its own", "[cuda]") {
  CachingAllocator allocator(0);
  CHECK(allocator.allocate(0, nullptr) == nullptr);
  allocator.free(nullptr);
  allocator.record_stream(nullptr, StreamRef(0, nullptr));
  void* p = allocator.allocate(8, nullptr);
  allocator.free(p);
  CHECK_THROWS_WITH(allocator.free(p), Contains("free: the memory was freed before"));
  CHECK_THROWS_WITH(allocator.free(static_cast<char*>(p) + 1), Contains("free: the pointer was not allocated here"));
  CHECK_THROWS_WITH(allocator.record_stream(p, StreamRef(0, nullptr)),
                    Contains("record_stream: the memory was freed before"));
  CHECK_THROWS_AS(allocator.allocate(~std::size_t(0), nullptr), OutOfMemoryError);
  check_books(allocator);
}

TEST_CASE("allocator: memory is reused at once in its stream, and in no other", "[cuda]") {
  const Stream a, b;
  CachingAllocator allocator(0);
  void* p = allocator.allocate(1000, a);
  allocator.free(p);
  CHECK(allocator.allocate(900, a) == p);
  allocator.free(p);
  void* q = allocator.allocate(900, b);
  CHECK(q != p);
  CHECK(reserved(allocator) == std::int64_t(4 * mib));
  allocator.free(q);
}

TEST_CASE("allocator: the best fit is split, and pieces are joined", "[cuda]") {
  CachingAllocator allocator(0);
  void* p[4];
  for (void*& block : p) block = allocator.allocate(4 * mib, nullptr);
  CHECK(reserved(allocator) == std::int64_t(20 * mib));
  allocator.free(p[0]);
  allocator.free(p[2]);
  check_books(allocator);
  CHECK(allocator.memory_stats().inactive_split.current == std::int64_t(12 * mib));
  void* small = allocator.allocate(3 * mib, nullptr);
  CHECK(small == p[0]);  // of equal pieces the one with the lowest address, and the rest of 1 MiB is not split off
  CHECK(allocator.memory_stats().allocated.current == std::int64_t(12 * mib));
  allocator.free(p[1]);  // joins p[2]
  void* joined = allocator.allocate(8 * mib, nullptr);
  CHECK(joined == p[1]);
  check_books(allocator);
  for (void* block : {small, joined, p[3]}) allocator.free(block);
  CHECK(allocator.memory_snapshot().size() == 1);
  check_books(allocator);
}

TEST_CASE("allocator: a limit on splitting keeps large segments whole", "[cuda]") {
  for (const bool limited : {false, true}) {
    CachingAllocator allocator(0);
    if (limited) allocator.set_max_split_size(32 * mib);
    allocator.free(allocator.allocate(64 * mib, nullptr));
    void* p = allocator.allocate(12 * mib, nullptr);  // a piece of the large segment, or a segment of its own
    CHECK(reserved(allocator) == std::int64_t(limited ? 76 * mib : 64 * mib));
    void* big = allocator.allocate(64 * mib, nullptr);  // fits only where it was not cut
    CHECK(reserved(allocator) == std::int64_t(limited ? 76 * mib : 128 * mib));
    check_books(allocator);
    allocator.free(big);
    if (limited) {
      void* near = allocator.allocate(50 * mib, nullptr);  // within 20 MiB of its size
      CHECK(near == big);
      allocator.free(near);
      void* far = allocator.allocate(40 * mib, nullptr);  // not: it would waste more than that
      CHECK(far != big);
      allocator.free(far);
    }
    allocator.free(p);
    check_books(allocator);
  }
}

TEST_CASE("allocator: what is cached is given back before a request fails", "[cuda]") {
  const Stream a, b;
  CachingAllocator allocator(0);
  allocator.set_memory_limit(64 * mib);
  void* held = allocator.allocate(20 * mib, a);
  allocator.free(allocator.allocate(40 * mib, a));
  void* p = allocator.allocate(30 * mib, b);  // other stream: the 40 MiB must go back first
  CHECK(reserved(allocator) == std::int64_t(50 * mib));
  CHECK(allocator.memory_stats().retries == 1);
  REQUIRE(cudaMemsetAsync(p, 1, 64, a) == cudaSuccess);
  allocator.record_stream(p, a);
  allocator.free(p);
  p = allocator.allocate(40 * mib, a);  // waits for the event, then releases
  CHECK(allocator.memory_stats().retries == 2);
  check_books(allocator);
  allocator.free(p);
  CHECK_THROWS_AS(allocator.allocate(50 * mib, b), OutOfMemoryError);
  CHECK_THROWS_WITH(allocator.allocate(50 * mib, b),
                    Contains("allocate: out of memory on device 0: 52428800 bytes are wanted; of 20971520 taken from "
                             "CUDA in 1 segments 20971520 are in use, 0 wait for streams and 0 are free"));
  CHECK_THROWS_AS(allocator.allocate(80 * mib, b), OutOfMemoryError);  // more than the limit at once
  CHECK(allocator.memory_stats().out_of_memory == 3);
  check_books(allocator);
  allocator.free(held);
}

TEST_CASE("allocator: old segments go back above a threshold", "[cuda]") {
  CachingAllocator allocator(0);
  allocator.set_garbage_collection_threshold(40 * mib);
  void* old = allocator.allocate(12 * mib, nullptr);
  void* recent = allocator.allocate(30 * mib, nullptr);
  allocator.free(old);
  for (int i = 0; i < 10; ++i) allocator.free(allocator.allocate(12 * mib + mib / 2, nullptr));
  allocator.free(recent);
  void* p = allocator.allocate(60 * mib, nullptr);
  const auto blocks = allocator.memory_snapshot();
  for (const BlockInfo& block : blocks) CHECK(block.pointer != old);
  check_books(allocator);
  allocator.free(p);
}

TEST_CASE("allocator: with fill on, memory is NaN when it is given out", "[cuda]") {
  CachingAllocator allocator(0);
  allocator.set_fill(true);
  void* p = allocator.allocate(64, nullptr);
  REQUIRE(cudaMemsetAsync(p, 0, 64, nullptr) == cudaSuccess);
  allocator.free(p);
  REQUIRE(allocator.allocate(64, nullptr) == p);
  std::vector<unsigned char> bytes(64);
  REQUIRE(cudaMemcpy(bytes.data(), p, 64, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(bytes == std::vector<unsigned char>(64, 0xff));
  allocator.free(p);
}

namespace {

constexpr int marked = 64;  // bytes of each block that are written and read back

/// Allocates, uses on one or two streams, and frees, at random. What a stream reads must be what was written for it.
void run_at_random(unsigned seed, int steps) {
  struct Use {
    std::vector<unsigned char> read;
    unsigned char wanted;
  };
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return unsigned(random() % n); };
  const Stream streams[3];
  CachingAllocator allocator(0);
  allocator.set_memory_limit(200 * mib);
  if (below(2)) allocator.set_max_split_size(24 * mib);
  struct Live {
    void* p;
    unsigned stream;
    unsigned char mark;
  };
  std::vector<Live> live;
  std::vector<std::unique_ptr<Use>> uses;
  const struct Finish {  // copies into uses end before it does, also where a check fails
    ~Finish() { cudaDeviceSynchronize(); }
  } finish;
  for (int step = 0; step < steps; ++step) {
    if (live.size() < 12 && below(5) < 3) {
      const std::size_t size = below(3) ? marked + below(mib) : marked + below(30 * mib);
      const unsigned stream = below(3);
      const auto mark = static_cast<unsigned char>(step % 251);
      try {
        void* p = allocator.allocate(size, streams[stream]);
        REQUIRE(cudaMemsetAsync(p, mark, marked, streams[stream]) == cudaSuccess);
        live.push_back({p, stream, mark});
      } catch (const OutOfMemoryError&) {
      }
    } else if (!live.empty()) {
      const unsigned index = below(unsigned(live.size()));
      const Live block = live[index];
      live.erase(live.begin() + index);
      const unsigned reader = below(3);
      if (reader != block.stream) {
        streams[reader].wait_stream(streams[block.stream]);
        allocator.record_stream(block.p, streams[reader]);
      }
      uses.push_back(std::make_unique<Use>(Use{std::vector<unsigned char>(marked), block.mark}));
      REQUIRE(cudaMemcpyAsync(uses.back()->read.data(), block.p, marked, cudaMemcpyDeviceToHost, streams[reader]) ==
              cudaSuccess);
      allocator.free(block.p);
    }
    check_books(allocator);
  }
  tt::gpu::synchronize();
  for (const auto& use : uses) REQUIRE(use->read == std::vector<unsigned char>(marked, use->wanted));
  for (const Live& block : live) allocator.free(block.p);
  allocator.empty_cache();
  check_books(allocator);
  REQUIRE(allocator.memory_snapshot().empty());
  REQUIRE(reserved(allocator) == 0);
}

}  // namespace

TEST_CASE("allocator: at random on three streams, no block is reused while a stream may use it", "[cuda]") {
  in_every_order([] {
    for (unsigned seed = 1; seed <= (small_sizes_only ? 2u : 8u); ++seed) run_at_random(seed, 400);
  });
}

#ifdef TT_CUDA_SIM
TEST_CASE("allocator: a cudaMalloc that fails, whichever it is, loses nothing", "[cuda]") {
  for (int failing = 0; failing < 12; ++failing) {
    for (const int failures : {1, 2, 3}) {
      INFO(failing << ", " << failures);
      CachingAllocator allocator(0);
      std::vector<void*> live;
      int out_of_memory = 0;
      tt::sim::fail_malloc(failing, failures);
      for (int i = 0; i < 12; ++i) {
        if (i % 3 == 2) {
          allocator.free(live.back());
          live.pop_back();
        }
        try {
          live.push_back(allocator.allocate(std::size_t(11 + i) * mib, nullptr));
        } catch (const OutOfMemoryError&) {
          ++out_of_memory;
          live.push_back(nullptr);
        }
        check_books(allocator);
      }
      tt::sim::fail_malloc(-1, 0);
      CHECK(out_of_memory == allocator.memory_stats().out_of_memory);
      if (failures == 1) CHECK(out_of_memory == 0);  // the second try succeeds
      CHECK(cudaGetLastError() == cudaSuccess);
      for (void* p : live) allocator.free(p);
      allocator.empty_cache();
      CHECK(reserved(allocator) == 0);
    }
  }
}
#endif
