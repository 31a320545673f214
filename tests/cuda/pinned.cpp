// <tt/cuda/pinned.hpp>: sizes, reuse, and copies that are still to be done.
#include <tt/cuda/graph.hpp>
#include <tt/cuda/pinned.hpp>

#include "cuda/device_test.hpp"

#include <algorithm>
#include <set>

using tt::gpu::PinnedAllocator;
using tt::gpu::Stream;

TEST_CASE("pinned: blocks of a power of two bytes, reused by size", "[cuda]") {
  PinnedAllocator allocator;
  CHECK(allocator.allocate(0) == nullptr);
  allocator.free(nullptr);
  void* p = allocator.allocate(1);
  CHECK(allocator.memory_reserved() == 512);
  void* q = allocator.allocate(3000);
  CHECK(allocator.memory_reserved() == 512 + 4096);
  allocator.free(p);
  allocator.free(q);
  CHECK(allocator.allocate(4096) == q);
  CHECK(allocator.allocate(512) == p);
  CHECK(allocator.memory_reserved() == 512 + 4096);
  allocator.free(p);
  allocator.empty_cache();
  CHECK(allocator.memory_reserved() == 4096);  // q is in use
  allocator.free(q);
  CHECK_THROWS_WITH(allocator.free(q), Contains("PinnedAllocator::free: the pointer is none that was allocated here"));
  CHECK_THROWS_AS(allocator.record_stream(&allocator, tt::gpu::current_stream()), tt::Error);
  CHECK_THROWS_AS(allocator.allocate(~std::size_t(0)), tt::gpu::CudaError);
}

TEST_CASE("pinned: a block is not given out while a copy is to read it", "[cuda]") {
  in_every_order([] {
    constexpr std::size_t count = 256;
    const Stream stream, other;
    PinnedAllocator allocator;
    const std::vector<int> zeros(count);
    const DeviceArray<int> x(zeros), y(zeros);
    tt::gpu::synchronize();
    auto* source = static_cast<int*>(allocator.allocate(count * sizeof(int)));
    std::fill_n(source, count, 1);
    for (const auto& [array, to] : {std::pair{&x, &stream}, {&y, &other}}) {
      REQUIRE(cudaMemcpyAsync(array->data(), source, count * sizeof(int), cudaMemcpyHostToDevice, *to) == cudaSuccess);
      allocator.record_stream(source, *to);
      allocator.record_stream(source, *to);
    }
    allocator.free(source);
    auto* next = static_cast<int*>(allocator.allocate(count * sizeof(int)));
    std::fill_n(next, count, 2);  // not what is copied, whether the copies ran yet or not
    CHECK(x.host(stream) == std::vector<int>(count, 1));
    CHECK(y.host(other) == std::vector<int>(count, 1));
    allocator.free(next);
    allocator.empty_cache();
    CHECK(allocator.memory_reserved() == 0);
  });
}

TEST_CASE("pinned: a block freed while its stream is captured waits for what comes after that", "[cuda]") {
  in_every_order([] {
    constexpr std::size_t count = 256, bytes = count * sizeof(int);
    const Stream stream;
    PinnedAllocator allocator;
    const DeviceArray<int> x((std::vector<int>(count)));
    tt::gpu::synchronize();
    auto* source = static_cast<int*>(allocator.allocate(bytes));
    std::fill_n(source, count, 1);
    tt::gpu::Graph graph;
    graph.capture(stream, [&] {
      REQUIRE(cudaMemcpyAsync(x.data(), source, bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
      allocator.record_stream(source, stream);
      allocator.free(source);
      void* within = allocator.allocate(bytes);  // CUDA is asked, which it refuses to captures that do not relax
      CHECK(within != source);
      allocator.free(within);
    });
    graph.replay(stream);
    void* blocks[] = {allocator.allocate(bytes), allocator.allocate(bytes)};
    for (void* block : blocks) std::fill_n(static_cast<int*>(block), count, 2);
    CHECK(x.host(stream) == std::vector<int>(count, 1));
    for (void* block : blocks) allocator.free(block);
    allocator.empty_cache();
    CHECK(allocator.memory_reserved() == 0);
  });
}

TEST_CASE("pinned: events of what was freed before are asked while a stream is captured", "[cuda]") {
  const Stream stream, other;
  PinnedAllocator allocator;
  void* p = allocator.allocate(8);
  allocator.record_stream(p, other);
  allocator.free(p);
  tt::gpu::Graph graph;
  graph.capture(stream, [&] {
    allocator.free(allocator.allocate(8));
    allocator.empty_cache();
  });
  CHECK(allocator.memory_reserved() == 0);
}

#ifdef TT_CUDA_SIM
TEST_CASE("pinned: the default stream takes no event while a blocking stream is captured", "[cuda]") {
  cudaStream_t blocking = nullptr;
  cudaGraph_t graph = nullptr;
  PinnedAllocator allocator;
  void* p = allocator.allocate(8);
  REQUIRE(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal) == cudaSuccess);
  allocator.record_stream(p, tt::gpu::StreamRef(0, nullptr));
  allocator.free(p);
  void* q = allocator.allocate(8);
  CHECK(q != p);
  CHECK(cudaStreamEndCapture(blocking, &graph) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  allocator.free(q);
  allocator.empty_cache();
  CHECK(allocator.memory_reserved() == 0);
  (void)cudaGraphDestroy(graph);
  REQUIRE(cudaStreamDestroy(blocking) == cudaSuccess);
}

TEST_CASE("pinned: an event that cannot be asked leaves each block in one place", "[cuda]") {
  const Stream stream;
  PinnedAllocator allocator;
  void* blocks[3];
  for (void*& block : blocks) block = allocator.allocate(8);
  for (void* block : blocks) {
    allocator.record_stream(block, stream);
    allocator.free(block);
  }
  stream.synchronize();
  tt::sim::fail_event_query(1);
  CHECK_THROWS_WITH(allocator.allocate(8), Contains("cudaErrorIllegalState"));
  std::set<void*> again;
  for (int i = 0; i < 4; ++i) again.insert(allocator.allocate(8));
  CHECK(again.size() == 4);
  for (void* block : blocks) CHECK(again.contains(block));
  for (void* block : again) allocator.free(block);
}

TEST_CASE("pinned: what is cached goes back before a request fails", "[cuda]") {
  const Stream stream;
  PinnedAllocator allocator;
  void* used = allocator.allocate(1000);
  allocator.free(allocator.allocate(3000));
  void* p = allocator.allocate(5000);
  allocator.record_stream(p, stream);
  allocator.free(p);
  tt::sim::fail_malloc(0, 1);
  void* q = allocator.allocate(9000);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(allocator.memory_reserved() == 1024 + 16384);
  tt::sim::fail_malloc(0, 2);
  CHECK_THROWS_WITH(allocator.allocate(20000), Contains("PinnedAllocator::allocate: cudaErrorMemoryAllocation"));
  CHECK(allocator.memory_reserved() == 1024 + 16384);
  CHECK(cudaGetLastError() == cudaSuccess);
  allocator.free(used);
  allocator.free(q);
}

TEST_CASE("pinned: memory is read when the stream gets there, pageable memory at the call", "[cuda]") {
  tt::sim::set_stream_order(tt::sim::StreamOrder::lazy, 1);
  const Stream stream;
  const DeviceArray<int> x(std::vector<int>(4));
  tt::gpu::synchronize();
  PinnedAllocator allocator;
  auto* source = static_cast<int*>(allocator.allocate(16));
  std::fill_n(source, 4, 1);
  REQUIRE(cudaMemcpyAsync(x.data(), source, 16, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  std::fill_n(source, 4, 2);
  CHECK(x.host(stream) == std::vector<int>(4, 2));
  allocator.free(source);
}
#endif
