// Devices, streams, events, errors and launches of tt::gpu.
#include "cuda/device_test.hpp"
#include "cuda/kernels.hpp"

#include <functional>
#include <string>

using tt::gpu::CudaError;
using tt::gpu::Event;
using tt::gpu::launch;
using tt::gpu::Stream;
using tt::gpu::StreamGuard;
using tt::gpu::StreamRef;

namespace {

void twice(const DeviceArray<float>& x, const DeviceArray<float>& two, cudaStream_t stream) {
  launch(multiply_add<float>, 1, 32, 0, stream, x.data(), two.data(), 0.f, x.data(), std::int64_t(x.size()));
}

const std::vector<float> ones(8, 1.f), twos(8, 2.f), fours(8, 4.f);

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const tt::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("devices: count, capability, current", "[cuda]") {
  CHECK(tt::gpu::is_available());
  CHECK(tt::gpu::device_count() >= 1);
  CHECK(tt::gpu::current_device() == 0);
  CHECK(tt::gpu::get_device_capability(0) >= std::pair(7, 0));
  tt::gpu::synchronize();
}

TEST_CASE("a device that is not there is an error that says how many there are", "[cuda]") {
  const int count = tt::gpu::device_count();
  const std::string message = message_of([&] { tt::gpu::set_device(count); });
  CHECK_THAT(message, Contains("set_device: device " + std::to_string(count) + " of " + std::to_string(count)));
  CHECK_THAT(message, Contains("cudaErrorInvalidDevice (invalid device ordinal)"));
  CHECK_THROWS_AS(tt::gpu::set_device(-1), CudaError);
  CHECK(tt::gpu::current_device() == 0);
  CHECK(cudaGetLastError() == cudaSuccess);  // it was reported, and is not reported again
}

TEST_CASE("guards of devices and streams put back what was, also when they nest", "[cuda]") {
  const int last = tt::gpu::device_count() - 1;
  const Stream first(0, 0), other(last, 0);
  CHECK(tt::gpu::current_stream() == StreamRef(0, nullptr));
  {
    const StreamGuard outer(first);
    CHECK(tt::gpu::current_stream() == first);
    {
      const StreamGuard inner(other);
      CHECK(tt::gpu::current_device() == last);
      CHECK(tt::gpu::current_stream() == other);
      if (last != 0) {
        const tt::gpu::DeviceGuard back(0);
        CHECK(tt::gpu::current_stream() == first);  // each device has its own
      }
    }
    CHECK(tt::gpu::current_device() == 0);
    CHECK(tt::gpu::current_stream() == first);
  }
  CHECK(tt::gpu::current_stream() == StreamRef(0, nullptr));
  CHECK_THROWS_AS(StreamGuard(StreamRef(last + 1, nullptr)), CudaError);
  CHECK(tt::gpu::current_stream() == StreamRef(0, nullptr));
}

TEST_CASE("streams: priority, query, synchronize, wait_stream", "[cuda]") {
  in_every_order([] {
    const auto [lowest, highest] = tt::gpu::stream_priority_range();
    const Stream urgent(highest), ordinary, beyond(highest - 100);
    CHECK(urgent.priority() == highest);
    CHECK(ordinary.priority() == 0);
    CHECK(beyond.priority() == highest);
    CHECK(lowest >= highest);

    const DeviceArray<float> x(ones), two(twos);
    tt::gpu::synchronize();
    twice(x, two, urgent);
    ordinary.wait_stream(urgent);
    ordinary.wait_stream(ordinary);
    twice(x, two, ordinary);
    while (!ordinary.query()) {
    }
    CHECK(cudaGetLastError() == cudaSuccess);  // "not ready" is no error
    CHECK(urgent.query());
    CHECK(x.host(ordinary) == fours);
    CHECK(!ordinary.is_capturing());
  });
}

TEST_CASE("a stream that goes away finishes what it was given", "[cuda]") {
  in_every_order([] {
    const DeviceArray<float> x(ones), two(twos);
    tt::gpu::synchronize();
    {
      const Stream stream;
      twice(x, two, stream);
    }
    tt::gpu::synchronize();
    CHECK(x.host() == twos);
  });
}

TEST_CASE("events: order, query, time between two", "[cuda]") {
  in_every_order([] {
    const Stream a, b;
    const DeviceArray<float> x(ones), two(twos);
    tt::gpu::synchronize();
    const Event begin = a.record_event(Event::Timing::on);
    twice(x, two, a);
    Event end(Event::Timing::on);
    CHECK(end.query());  // never recorded
    end.record(a);
    b.wait_event(end);
    twice(x, two, b);
    CHECK(x.host(b) == fours);
    end.synchronize();
    CHECK(end.query());
    CHECK(begin.elapsed_time(end) >= 0);
    Event moved = std::move(end);
    CHECK(moved.query());
    CHECK_THROWS_AS(begin.elapsed_time(Event()), CudaError);
  });
}

TEST_CASE("a launch that is refused names CUDA's error, the grid and the block", "[cuda]") {
  const DeviceArray<float> x(ones);
  const std::string message = message_of([&] {
    launch(multiply_add<float>, 3, dim3(64, 32), 128, nullptr, x.data(), x.data(), 0.f, x.data(), 8);
  });
  CHECK(message == "launch: grid (3, 1, 1), block (64, 32, 1), 128 bytes of shared memory: "
                   "cudaErrorInvalidConfiguration (invalid configuration argument)");
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("an error says where the public call stands that noted its place", "[cuda]") {
  const tt::detail::Noted noted({"user.cpp", 12});
  CHECK_THAT(message_of([] { tt::gpu::check(cudaErrorMemoryAllocation, "empty"); }),
             Contains("empty: cudaErrorMemoryAllocation (out of memory) (at user.cpp:12)"));
}

TEST_CASE("in debug mode a launch is waited for, except in a capture", "[cuda]") {
  const Stream stream;
  const DeviceArray<float> x(ones, stream), two(twos, stream);
  stream.synchronize();
  const bool before = tt::gpu::is_launch_blocking();
  tt::gpu::set_launch_blocking(true);
  twice(x, two, stream);
  CHECK(stream.query());
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(stream.is_capturing());
  twice(x, two, stream);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  tt::gpu::set_launch_blocking(false);
  if (simulated) {
    twice(x, two, stream);
    CHECK(!stream.query());
  }
  tt::gpu::set_launch_blocking(before);
  stream.synchronize();
}

#ifdef TT_CUDA_SIM
TEST_CASE("without a driver there are no devices, and that is no error", "[cuda]") {
  tt::sim::set_device_count(0);
  CHECK(tt::gpu::device_count() == 0);
  CHECK(!tt::gpu::is_available());
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK_THAT(message_of([] { Stream stream; }), Contains("cudaErrorNoDevice"));
  tt::sim::set_device_count(2);
}

TEST_CASE("a guard of the device that is current sets no device", "[cuda]") {
  const int before = tt::sim::set_device_calls();
  { const tt::gpu::DeviceGuard same(0); }
  CHECK(tt::sim::set_device_calls() == before);
  { const tt::gpu::DeviceGuard other(1); }
  CHECK(tt::sim::set_device_calls() == before + 2);
  {
    const tt::gpu::DeviceGuard same(0);
    tt::gpu::set_device(1);
  }
  CHECK(tt::gpu::current_device() == 0);
}

TEST_CASE("the default stream of another device is asked, waited for and made to wait on its own device", "[cuda]") {
  tt::sim::set_stream_order(tt::sim::StreamOrder::lazy, 77);
  const StreamRef here(0, nullptr), there(1, nullptr);
  const DeviceArray<float> x(ones), two(twos);
  tt::gpu::synchronize();
  {
    const tt::gpu::DeviceGuard guard(1);
    twice(x, two, nullptr);
  }
  CHECK(here.query());
  CHECK(!there.query());
  there.synchronize();
  CHECK(there.query());

  const Stream stream;
  twice(x, two, stream);
  there.wait_stream(stream);
  CHECK(here.query());  // it was not the one that was made to wait
  {
    const tt::gpu::DeviceGuard guard(1);
    twice(x, two, nullptr);
  }
  there.synchronize();
  CHECK(x.host() == std::vector<float>(8, 8.f));
  CHECK(there.priority() == 0);

  cudaStream_t blocking = nullptr;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(!there.is_capturing());
  CHECK_THROWS_WITH(here.is_capturing(), Contains("Stream::is_capturing: cudaErrorStreamCaptureImplicit"));
  REQUIRE(cudaStreamEndCapture(blocking, &graph) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(blocking) == cudaSuccess);
}

TEST_CASE("a stream takes launches of its own device only", "[cuda]") {
  const Stream other(1, 0);
  const DeviceArray<float> x(ones);
  CHECK_THAT(message_of([&] { twice(x, x, other); }), Contains("cudaErrorInvalidResourceHandle"));
  const Event event = other.record_event();  // of the stream's device, whichever is current
  event.synchronize();
  CHECK(event.query());
}
#endif
