// Marks in the work of a stream: others wait for them, and the time between two can be read.
#pragma once
#include <tt/cuda/device.hpp>

namespace tt::gpu {

/// https://pytorch.org/docs/stable/generated/torch.cuda.Event.html
/// It belongs to the device that is current when it is made.
class Event {
 public:
  enum class Timing : bool { off, on };

  explicit Event(Timing timing = Timing::off) {
    const unsigned flags = timing == Timing::on ? unsigned(cudaEventDefault) : unsigned(cudaEventDisableTiming);
    check(cudaEventCreateWithFlags(&event_, flags), "Event");
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_) (void)cudaEventDestroy(event_);  // work that still runs towards it is not disturbed
  }

  /// Moves the mark to the end of what has been given to `stream` so far.
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "Event::record"); }

  /// What is given to `stream` from now on starts after the mark. No wait for an event that was never recorded.
  void wait(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "Event::wait"); }

  /// Whether all work before the mark is done; true for an event that was never recorded.
  bool query() const {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return (void)cudaGetLastError(), false;
    return check(code, "Event::query"), true;
  }

  /// Blocks this thread until all work before the mark is done.
  void synchronize() const { check(cudaEventSynchronize(event_), "Event::synchronize"); }

  /// Milliseconds from this mark to `end`, both of which were made with Timing::on and have been reached.
  float elapsed_time(const Event& end) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, event_, end.event_), "Event::elapsed_time");
    return milliseconds;
  }

  cudaEvent_t native() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tt::gpu
