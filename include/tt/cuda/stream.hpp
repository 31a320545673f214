// Queues of work on a device, and which of them this thread's operations go to.
#pragma once
#include <tt/cuda/event.hpp>

namespace tt::gpu {

/// A stream that somebody else owns, and its device. The null handle is the device's default stream, for CUDA that of
/// the current device: so each member makes the stream's device current.
/// https://pytorch.org/docs/stable/generated/torch.cuda.Stream.html
class StreamRef {
 public:
  StreamRef(int device, cudaStream_t stream) : stream_(stream), device_(device) {}

  int device() const { return device_; }
  cudaStream_t native() const { return stream_; }
  operator cudaStream_t() const { return stream_; }  // NOLINT: CUDA's functions take it as their own

  /// Whether all work given to it is done.
  bool query() const {
    const DeviceGuard guard(device_);
    const cudaError_t code = cudaStreamQuery(stream_);
    if (code == cudaErrorNotReady) return (void)cudaGetLastError(), false;
    return check(code, "Stream::query"), true;
  }

  /// Blocks this thread until all work given to it is done.
  void synchronize() const {
    const DeviceGuard guard(device_);
    check(cudaStreamSynchronize(stream_), "Stream::synchronize");
  }

  void wait_event(const Event& event) const {
    const DeviceGuard guard(device_);
    event.wait(stream_);
  }

  /// An event of the stream's device, recorded now.
  Event record_event(Event::Timing timing = Event::Timing::off) const {
    const DeviceGuard guard(device_);
    Event event(timing);
    event.record(stream_);
    return event;
  }

  /// What is given to this stream from now on starts after what `other` has been given so far.
  void wait_stream(const StreamRef& other) const {
    if (other.stream_ != stream_ || other.device_ != device_) wait_event(other.record_event());
  }

  /// Lower runs first. Clamped to the device's range when a stream is made.
  int priority() const {
    const DeviceGuard guard(device_);
    int value = 0;
    check(cudaStreamGetPriority(stream_, &value), "Stream::priority");
    return value;
  }

  /// Whether what it is given becomes part of a graph instead of being run.
  bool is_capturing() const {
    const DeviceGuard guard(device_);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream_, &status), "Stream::is_capturing");
    return status != cudaStreamCaptureStatusNone;
  }

  friend bool operator==(const StreamRef&, const StreamRef&) = default;

 private:
  cudaStream_t stream_;
  int device_;
};

namespace detail {
/// Calls that would wait for the device, or allocate, are refused in this thread while it captures; not within this.
class RelaxedCapture {
 public:
  RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Whether an event recorded now can be asked later. In a capture it would become part of the graph, and the default
/// stream takes none while a blocking stream is captured.
inline bool takes_events(const StreamRef& stream) {
  const DeviceGuard guard(stream.device());
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(stream, &status);
  if (code == cudaErrorStreamCaptureImplicit) return (void)cudaGetLastError(), false;
  return check(code, "takes_events"), status == cudaStreamCaptureStatusNone;
}
}  // namespace detail

/// A stream of its own, which does not wait for the default stream. Destroyed, it finishes what it was given.
class Stream : public StreamRef {
 public:
  /// On the current device.
  explicit Stream(int priority = 0) : StreamRef(current_device(), create(priority)) {}
  Stream(int device, int priority) : StreamRef(device, create_on(device, priority)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { (void)cudaStreamDestroy(native()); }

 private:
  static cudaStream_t create(int priority) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "Stream");
    return stream;
  }
  static cudaStream_t create_on(int device, int priority) {
    const DeviceGuard guard(device);
    return create(priority);
  }
};

/// The lowest and the highest priority of streams on the current device: {0, -5}, say.
inline std::pair<int, int> stream_priority_range() {
  std::pair<int, int> range;
  check(cudaDeviceGetStreamPriorityRange(&range.first, &range.second), "stream_priority_range");
  return range;
}

namespace detail {
inline constexpr int max_devices = 128;
/// Of this thread, one for each device; null is the default stream.
inline constinit thread_local cudaStream_t current_streams[max_devices] = {};
}  // namespace detail

/// The stream to which this thread's operations on the current device go: a guard's, else the default stream.
/// https://pytorch.org/docs/stable/generated/torch.cuda.current_stream.html
inline StreamRef current_stream() {
  const int device = current_device();
  return {device, detail::current_streams[device]};
}

/// Makes a stream, and its device, current for as long as the guard lives.
/// https://pytorch.org/docs/stable/generated/torch.cuda.StreamContext.html
class StreamGuard {
 public:
  explicit StreamGuard(const StreamRef& stream)
      : device_(stream.device()),
        index_(stream.device()),
        previous_(std::exchange(detail::current_streams[index_], stream.native())) {}
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  ~StreamGuard() { detail::current_streams[index_] = previous_; }

 private:
  DeviceGuard device_;  // first: where it throws, nothing has changed
  int index_;
  cudaStream_t previous_;
};

}  // namespace tt::gpu
