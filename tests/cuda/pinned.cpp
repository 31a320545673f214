// <tt/cuda/pinned.hpp>: sizes, reuse, and copies that are still to be done.
#include <tt/cuda/pinned.hpp>

#include "cuda/device_test.hpp"

#include <algorithm>

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

#ifdef TT_CUDA_SIM
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
