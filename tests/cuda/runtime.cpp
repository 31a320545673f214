// What CUDA documents of its run time, asked of the stand-in and, where there is a device, of CUDA itself.
// https://docs.nvidia.com/cuda/cuda-runtime-api
#include "cuda/device_test.hpp"
#include "cuda/kernels.hpp"

#include <string>

using tt::gpu::launch;

namespace {

struct Streams {
  cudaStream_t a = nullptr, b = nullptr;
  explicit Streams(unsigned flags = cudaStreamNonBlocking) {
    REQUIRE(cudaStreamCreateWithFlags(&a, flags) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&b, flags) == cudaSuccess);
  }
  ~Streams() {
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    (void)cudaGetLastError();
  }
};

struct RawEvent {
  cudaEvent_t event = nullptr;
  explicit RawEvent(unsigned flags = cudaEventDefault) {
    REQUIRE(cudaEventCreateWithFlags(&event, flags) == cudaSuccess);
  }
  ~RawEvent() { cudaEventDestroy(event); }
  operator cudaEvent_t() const { return event; }  // NOLINT
};

void twice(const DeviceArray<float>& x, const DeviceArray<float>& two, cudaStream_t stream) {
  launch(multiply_add<float>, 1, 32, 0, stream, x.data(), two.data(), 0.f, x.data(), std::int64_t(x.size()));
}

const std::vector<float> ones(8, 1.f), twos(8, 2.f), fours(8, 4.f);

}  // namespace

TEST_CASE("the last error is kept until it is asked for", "[cuda]") {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, std::size_t(1) << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
}

TEST_CASE("memory: null is free to free, empty is null, and copies stay within what was given", "[cuda]") {
  CHECK(cudaFree(nullptr) == cudaSuccess);
  void* empty = &empty;
  CHECK(cudaMalloc(&empty, 0) == cudaSuccess);
  CHECK(empty == nullptr);
  const DeviceArray<float> x(ones);
  std::vector<float> values(8);
  CHECK(cudaMemcpy(values.data(), x.data(), 32, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values == ones);
  if (simulated) {  // on a device the rounded allocation may hold it
    CHECK(cudaMemcpy(values.data(), x.data() + 1, 32, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
  }
  CHECK(cudaMemsetAsync(x.data(), 0, 32, nullptr) == cudaSuccess);
  CHECK(x.host() == std::vector<float>(8));
}

TEST_CASE("pageable host memory may be changed as soon as the copy call returns", "[cuda]") {
  in_every_order([] {
    const Streams streams;
    std::vector<float> values = ones;
    const DeviceArray<float> x(twos, streams.a);
    REQUIRE(cudaMemcpyAsync(x.data(), values.data(), 32, cudaMemcpyHostToDevice, streams.a) == cudaSuccess);
    values.assign(8, 9.f);
    CHECK(x.host(streams.a) == ones);
  });
}

TEST_CASE("work of one stream runs in order; an event orders two", "[cuda]") {
  in_every_order([] {
    const Streams streams;
    const DeviceArray<float> x(ones), two(twos);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    const RawEvent done(cudaEventDisableTiming);
    twice(x, two, streams.a);
    REQUIRE(cudaEventRecord(done, streams.a) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(streams.b, done, 0) == cudaSuccess);
    twice(x, two, streams.b);
    CHECK(x.host(streams.b) == fours);
  });
}

TEST_CASE("a wait is for the recording that was last when it was given", "[cuda]") {
  in_every_order([] {
    const Streams streams;
    const DeviceArray<float> x(ones), two(twos);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    const RawEvent event(cudaEventDisableTiming);
    twice(x, two, streams.a);
    REQUIRE(cudaEventRecord(event, streams.a) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(streams.b, event, 0) == cudaSuccess);
    REQUIRE(cudaEventRecord(event, streams.b) == cudaSuccess);  // after its own wait: no deadlock
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
    CHECK(cudaEventQuery(event) == cudaSuccess);
  });
}

TEST_CASE("events that were never recorded are done; timing needs both ends", "[cuda]") {
  const RawEvent begin, end, untimed(cudaEventDisableTiming);
  CHECK(cudaEventQuery(begin) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, begin, 0) == cudaSuccess);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end) == cudaErrorInvalidResourceHandle);
  REQUIRE(cudaEventRecord(begin, nullptr) == cudaSuccess);
  REQUIRE(cudaEventRecord(end, nullptr) == cudaSuccess);
  REQUIRE(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, begin, end) == cudaSuccess);
  CHECK(ms >= 0);
  REQUIRE(cudaEventRecord(untimed, nullptr) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, begin, untimed) == cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
}

TEST_CASE("the default stream orders blocking streams", "[cuda]") {
  in_every_order([] {
    const Streams streams(cudaStreamDefault);
    const DeviceArray<float> x(ones), two(twos);
    twice(x, two, streams.a);
    twice(x, two, nullptr);
    twice(x, two, streams.b);
    CHECK(x.host(streams.b) == std::vector<float>(8, 8.f));
  });
}

TEST_CASE("launches that a device refuses", "[cuda]") {
  const DeviceArray<float> x(ones);
  const auto code = [&](dim3 grid, dim3 block, std::size_t shared) {
    try {
      launch(multiply_add<float>, grid, block, shared, nullptr, x.data(), x.data(), 0.f, x.data(), 8);
    } catch (const tt::gpu::CudaError& error) {
      return error.code();
    }
    return cudaSuccess;
  };
  CHECK(code(1, 2048, 0) == cudaErrorInvalidConfiguration);
  CHECK(code(1, dim3(32, 64, 1), 0) == cudaErrorInvalidConfiguration);
  CHECK(code(1, dim3(1, 1, 128), 0) == cudaErrorInvalidConfiguration);
  CHECK(code(0, 32, 0) == cudaErrorInvalidConfiguration);
  CHECK(code(dim3(1, 65536), 32, 0) == cudaErrorInvalidConfiguration);
  CHECK(code(1, 32, 60000) == cudaErrorInvalidValue);
  CHECK(code(1, 32, 48 << 10) == cudaSuccess);
  tt::gpu::allow_shared(multiply_add<float>, 60000);
  CHECK(code(1, 32, 60000) == cudaSuccess);
  CHECK_THROWS_AS(tt::gpu::allow_shared(multiply_add<float>, 256 << 10), tt::gpu::CudaError);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("a capture follows events to other streams, and replays in any order they allow", "[cuda]") {
  in_every_order([] {
    const Streams streams;
    const DeviceArray<float> x(ones), y(ones), two(twos);
    const RawEvent fork(cudaEventDisableTiming), join(cudaEventDisableTiming);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamBeginCapture(streams.a, cudaStreamCaptureModeGlobal) == cudaSuccess);
    twice(x, two, streams.a);
    REQUIRE(cudaEventRecord(fork, streams.a) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(streams.b, fork, 0) == cudaSuccess);
    twice(y, two, streams.b);
    twice(x, two, streams.a);
    REQUIRE(cudaEventRecord(join, streams.b) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(streams.a, join, 0) == cudaSuccess);
    twice(y, two, streams.a);
    REQUIRE(cudaStreamEndCapture(streams.a, &graph) == cudaSuccess);
    std::size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
    CHECK(nodes == 4);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(executable, streams.a) == cudaSuccess);
    CHECK(x.host(streams.a) == fours);
    CHECK(y.host(streams.a) == fours);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  });
}

TEST_CASE("what a capture forbids makes it invalid", "[cuda]") {
  const Streams streams;
  const DeviceArray<float> x(ones), two(twos);
  const RawEvent event(cudaEventDisableTiming);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(streams.a, cudaStreamCaptureModeGlobal) == cudaSuccess);
  twice(x, two, streams.a);
  cudaError_t wanted = cudaErrorStreamCaptureInvalidated;
  SECTION("a wait of the host") {
    CHECK(cudaStreamSynchronize(streams.a) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("an allocation") {
    void* p = nullptr;
    CHECK(cudaMalloc(&p, 8) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("a question about an event outside") {
    CHECK(cudaEventQuery(event) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("a wait for what is not captured") {
    REQUIRE(cudaEventRecord(event, streams.b) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(streams.a, event, 0) == cudaErrorStreamCaptureIsolation);
  }
  SECTION("a stream that was forked and is not joined") {
    REQUIRE(cudaEventRecord(event, streams.a) == cudaSuccess);
    CHECK(cudaEventQuery(event) == cudaErrorCapturedEvent);
    REQUIRE(cudaStreamWaitEvent(streams.b, event, 0) == cudaSuccess);
    twice(x, two, streams.b);
    wanted = cudaErrorStreamCaptureUnjoined;
  }
  const cudaError_t code = cudaStreamEndCapture(streams.a, &graph);
  CHECK((code == wanted || (!simulated && code == cudaErrorStreamCaptureInvalidated)));
  CHECK(graph == nullptr);
  (void)cudaGetLastError();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);  // nothing is captured any more
  CHECK(x.host() == ones);                        // and nothing ran
  (void)cudaGetLastError();
}

TEST_CASE("a thread that relaxes its captures may allocate and ask events outside", "[cuda]") {
  const Streams streams;
  const RawEvent event(cudaEventDisableTiming);
  REQUIRE(cudaEventRecord(event, streams.b) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(streams.b) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(streams.a, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  void *device = nullptr, *host = nullptr;
  CHECK(cudaMalloc(&device, 8) == cudaSuccess);
  CHECK(cudaHostAlloc(&host, 8, cudaHostAllocPortable) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  CHECK(cudaStreamEndCapture(streams.a, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFreeHost(host) == cudaSuccess);
}

TEST_CASE("the default stream cannot say whether it is captured while a blocking stream is", "[cuda]") {
  const Streams streams(cudaStreamDefault);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(streams.a, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaStreamIsCapturing(nullptr, &status) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamIsCapturing(streams.a, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);  // the question did not end it
  CHECK(cudaStreamEndCapture(streams.a, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamIsCapturing(nullptr, &status) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("handles that are no longer valid, and streams that cannot be captured", "[cuda]") {
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  CHECK(cudaSetDevice(devices) == cudaErrorInvalidDevice);
  if (simulated) {  // CUDA does not promise what it does with them
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  }
  (void)cudaGetLastError();
}
