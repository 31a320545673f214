// <tt/cuda/allocator.hpp>: blocks that other streams use, streams that are captured, graphs.
#include <tt/cuda/graph.hpp>

#include "cuda/allocator_books.hpp"
#include "cuda/device_test.hpp"

using tt::gpu::BlockInfo;
using tt::gpu::CachingAllocator;
using tt::gpu::Stream;
using tt::gpu::StreamRef;
using State = BlockInfo::State;

TEST_CASE("allocator: a block that another stream uses waits for it, without anyone waiting", "[cuda]") {
  in_every_order([] {
    const Stream a, b;
    CachingAllocator allocator(0);
    void* p = allocator.allocate(3 * mib, a);
    void* rest = allocator.allocate(17 * mib, b);
    REQUIRE(cudaMemsetAsync(p, 1, 64, b) == cudaSuccess);
    allocator.record_stream(p, b);
    allocator.record_stream(p, a);  // its own: nothing to wait for
    allocator.free(p);
    CHECK(allocator.memory_stats().allocated.current == std::int64_t(18 * mib));
    CHECK(allocator.memory_stats().active.current >= std::int64_t(21 * mib));
    check_books(allocator);
    b.synchronize();
    CHECK(allocator.allocate(3 * mib, a) == p);  // asked at the next request
    check_books(allocator);
    allocator.free(p);
    allocator.free(rest);
  });
}

TEST_CASE("allocator: memory of a graph is nobody else's until the graph is gone", "[cuda]") {
  const Stream stream, side;
  CachingAllocator allocator(0);
  void* before = allocator.allocate(4 * kib, stream);
  allocator.free(before);

  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  const int pool = allocator.begin_private_pool();
  CHECK_THROWS_WITH(allocator.begin_private_pool(), Contains("another pool is open"));
  void* captured = allocator.allocate(4 * kib, stream);
  CHECK(captured != before);
  allocator.free(captured);
  CHECK(allocator.allocate(4 * kib, stream) == captured);  // within the capture it is reused
  side.wait_stream(stream);
  REQUIRE(cudaMemsetAsync(captured, 0, 64, side) == cudaSuccess);
  allocator.record_stream(captured, side);
  allocator.free(captured);
  stream.wait_stream(side);
  allocator.end_private_pool();  // within what is captured: an event recorded now could not be asked later
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK_THROWS_WITH(allocator.end_private_pool(), Contains("no pool is open"));

  CHECK(allocator.allocate(4 * kib, stream) == before);
  allocator.free(before);
  check_books(allocator);
  allocator.empty_cache();
  CHECK(reserved(allocator) == std::int64_t(2 * mib));  // the graph's stays
  for (const BlockInfo& block : allocator.memory_snapshot()) CHECK(block.is_private);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  allocator.release_private_pool(pool);
  CHECK(reserved(allocator) == 0);
  CHECK_THROWS_WITH(allocator.release_private_pool(pool), Contains("there is no pool"));
}

TEST_CASE("allocator: a block freed while a stream of it is captured waits for what comes after that", "[cuda]") {
  in_every_order([] {
    const Stream stream, side, third;
    CachingAllocator allocator(0);
    void* p = allocator.allocate(4 * mib, third);
    void* q = allocator.allocate(4 * mib, third);
    std::vector<unsigned char> bytes(64);
    tt::gpu::Graph graph;
    allocator.record_stream(q, side);
    allocator.free(q);
    graph.capture(stream, [&] {
      side.wait_stream(stream);
      REQUIRE(cudaMemsetAsync(p, 1, 64, side) == cudaSuccess);
      allocator.record_stream(p, side);
      allocator.free(p);
      stream.wait_stream(side);
      REQUIRE(cudaMemcpyAsync(bytes.data(), p, 64, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
      allocator.free(allocator.allocate(4 * mib, third));  // asks the event of q, not what became part of the graph
      CHECK(allocator.memory_stats().active.current >= std::int64_t(4 * mib));
    });
    check_books(allocator);
    graph.replay(side);
    void* next = allocator.allocate(4 * mib, third);
    CHECK((!simulated || next != p));
    REQUIRE(cudaMemsetAsync(next, 2, 64, third) == cudaSuccess);
    side.synchronize();
    third.synchronize();
    CHECK(bytes == std::vector<unsigned char>(64, 1));
    allocator.free(next);
    allocator.empty_cache();
    CHECK(reserved(allocator) == 0);
  });
}

#ifdef TT_CUDA_SIM
TEST_CASE("allocator: streams of other devices are waited for there", "[cuda]") {
  tt::sim::set_stream_order(tt::sim::StreamOrder::lazy, 77);
  const Stream other(1, 0);
  CachingAllocator allocator(0);
  for (const StreamRef& stream : {StreamRef(other), StreamRef(1, nullptr)}) {
    void* p = allocator.allocate(4 * mib, nullptr);
    {
      const tt::gpu::DeviceGuard guard(1);
      REQUIRE(cudaMemsetAsync(p, 1, 64, stream) == cudaSuccess);
    }
    allocator.record_stream(p, stream);
    allocator.free(p);
    tt::gpu::synchronize();
    void* q = allocator.allocate(4 * mib, nullptr);
    CHECK(q != p);
    check_books(allocator);
    stream.synchronize();
    allocator.free(q);
    allocator.empty_cache();
    CHECK(reserved(allocator) == 0);
  }
}

TEST_CASE("allocator: a stream that takes no event leaves the block allocated, and nothing half done", "[cuda]") {
  const Stream stream;
  cudaStream_t gone = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking) == cudaSuccess);
  CachingAllocator allocator(0);
  void* p = allocator.allocate(64, nullptr);
  allocator.record_stream(p, stream);
  allocator.record_stream(p, StreamRef(0, gone));
  REQUIRE(cudaStreamDestroy(gone) == cudaSuccess);
  for (int i = 0; i < 2; ++i) CHECK_THROWS_WITH(allocator.free(p), Contains("cudaErrorInvalidResourceHandle"));
  CHECK(allocator.memory_snapshot()[0].state == State::allocated);
  check_books(allocator);
  stream.synchronize();
  allocator.empty_cache();
  CHECK(allocator.memory_snapshot()[0].state == State::allocated);
  CHECK(allocator.allocate(64, nullptr) != p);
  check_books(allocator);
}

TEST_CASE("allocator: an event that cannot be asked loses no block", "[cuda]") {
  const Stream a, b;
  CachingAllocator allocator(0);
  for (const StreamRef& user : {StreamRef(a), StreamRef(b)}) {
    void* p = allocator.allocate(4 * mib, nullptr);
    allocator.record_stream(p, user);
    allocator.free(p);
  }
  tt::gpu::synchronize();
  tt::sim::fail_event_query(1);
  CHECK_THROWS_WITH(allocator.allocate(64, nullptr), Contains("cudaErrorIllegalState"));
  check_books(allocator);
  allocator.empty_cache();
  CHECK(reserved(allocator) == 0);
}
#endif
