// Stand-in for libcudart: streams and events.
// https://docs.nvidia.com/cuda/cuda-runtime-api (stream management, event management, stream synchronization behavior)
#include "cudart.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_set>

namespace tt::sim {
namespace {

constexpr int lowest_priority = 0, highest_priority = -5;
constexpr int stream_fault_exit_code = 67;

StreamOrder order = StreamOrder::lazy;
Random random_stream;
std::uint64_t serial = 0;
int queries_left = -1;  // until one fails; -1: no failure is planned
cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
std::vector<std::unique_ptr<CUstream_st>> streams;
std::unordered_set<cudaEvent_t> events;

CUstream_st* default_stream(int device) {
  for (const auto& stream : streams) {
    if (stream->is_default && stream->device == device) return stream.get();
  }
  streams.push_back(std::make_unique<CUstream_st>());
  streams.back()->device = device;
  streams.back()->blocking = streams.back()->is_default = true;
  return streams.back().get();
}

/// The default stream and the blocking streams of its device wait for what the other was given before.
bool comes_first(const CUstream_st& stream) {
  if (!stream.blocking) return true;
  for (const auto& other : streams) {
    if (other.get() == &stream || other->device != stream.device || !other->blocking || other->queue.empty()) continue;
    if (stream.is_default == other->is_default) continue;
    if (other->queue.front().serial < stream.queue.front().serial) return false;
  }
  return true;
}

bool can_run(const CUstream_st& stream) {
  if (stream.queue.empty()) return false;
  const Operation& next = stream.queue.front();
  return (!next.gate || next.gate->completed >= next.version) && comes_first(stream);
}

void run_next(CUstream_st& stream) {
  const Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (operation.work) operation.work();
  if (stream.destroyed && stream.queue.empty()) {
    std::erase_if(streams, [&](const auto& other) { return other.get() == &stream; });
  }
}

/// Runs one operation of any stream that can run one. Device memory is open.
bool run_one(const CUstream_st* target) {
  std::vector<CUstream_st*> able, preferred;
  for (const auto& stream : streams) {
    if (!can_run(*stream)) continue;
    able.push_back(stream.get());
    if (order != StreamOrder::shuffled && (stream.get() == target) == (order == StreamOrder::lazy)) {
      preferred.push_back(stream.get());
    }
  }
  if (able.empty()) return false;
  const auto& from = preferred.empty() ? able : preferred;
  run_next(*from[random_stream.below(unsigned(from.size()))]);
  return true;
}

bool all_done() {
  return std::all_of(streams.begin(), streams.end(), [](const auto& stream) { return stream->queue.empty(); });
}

cudaError_t invalidate(CUstream_st& stream, cudaError_t code) {
  stream.capture->valid = false;
  return result(code);
}

cudaError_t enqueue(CUstream_st& stream, Operation operation) {
  operation.serial = ++serial;
  stream.queue.push_back(std::move(operation));
  return cudaSuccess;
}

}  // namespace

void set_stream_order(StreamOrder new_order, unsigned seed) {
  order = new_order;
  random_stream = Random(seed);
}
StreamOrder stream_order() { return order; }
unsigned random_below(unsigned n) { return random_stream.below(n); }
void fail_event_query(int successes) { queries_left = successes; }

CUstream_st* find_stream(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return device_count() ? default_stream(current_device()) : nullptr;
  for (const auto& stream : streams) {
    if (stream.get() == handle && !stream->destroyed) return handle;
  }
  return nullptr;
}

CUstream_st* implicitly_waited_for(const CUstream_st& stream) {
  if (!stream.is_default) return nullptr;
  for (const auto& other : streams) {
    if (other->capture && other->blocking && other->device == stream.device) return other.get();
  }
  return nullptr;
}

std::vector<CUstream_st*> streams_in(const std::shared_ptr<Capture>& capture) {
  std::vector<CUstream_st*> members;
  for (const auto& stream : streams) {
    if (stream->capture == capture) members.push_back(stream.get());
  }
  return members;
}

void run_until(const std::function<bool()>& done, const CUstream_st* target) {
  if (done()) return;
  const OpenMemory open;
  while (!done()) {
    if (run_one(target)) continue;
    std::fprintf(stderr, "tt-sim: all streams wait, and none can go on\n");
    std::_Exit(stream_fault_exit_code);
  }
}

void run_all() { run_until(all_done); }

cudaError_t refuse_in_capture() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& stream : streams) {
    if (!stream->capture || stream->capture->mode == cudaStreamCaptureModeRelaxed) continue;
    stream->capture->valid = false;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

cudaError_t push(cudaStream_t handle, Work work) {
  CUstream_st* stream = find_stream(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  if (stream->capture) {
    Capture& capture = *stream->capture;
    if (!capture.valid) return result(cudaErrorStreamCaptureInvalidated);
    capture.nodes.push_back({std::move(work), stream->after});
    stream->after = {int(capture.nodes.size()) - 1};
    return cudaSuccess;
  }
  if (CUstream_st* other = implicitly_waited_for(*stream)) return invalidate(*other, cudaErrorStreamCaptureImplicit);
  return enqueue(*stream, {std::move(work), nullptr, 0, 0});
}

}  // namespace tt::sim

using namespace tt::sim;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (!device_count()) return result(cudaErrorNoDevice);
  if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  streams.push_back(std::make_unique<CUstream_st>());
  *stream = streams.back().get();
  (*stream)->device = current_device();
  (*stream)->blocking = flags == cudaStreamDefault;
  (*stream)->priority = std::clamp(priority, highest_priority, lowest_priority);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (!stream || stream->is_default) return result(cudaErrorInvalidResourceHandle);
  stream->destroyed = true;
  if (stream->capture) stream->capture->valid = false;
  if (stream->queue.empty()) {
    std::erase_if(streams, [&](const auto& other) { return other.get() == stream; });
  }
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  const CUstream_st* stream = find_stream(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  *priority = stream->priority;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = lowest_priority;
  *highest = highest_priority;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  if (stream->capture) return invalidate(*stream, cudaErrorStreamCaptureUnsupported);
  run_until([&] { return stream->queue.empty(); }, stream);
  return cudaSuccess;
}
// Time passes between two queries: work goes on after one that says "not ready".
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  if (stream->capture) return invalidate(*stream, cudaErrorStreamCaptureUnsupported);
  if (stream->queue.empty()) return cudaSuccess;
  const OpenMemory open;
  run_one(stream);
  return result(cudaErrorNotReady);
}
cudaError_t cudaDeviceSynchronize() {
  if (!device_count()) return result(cudaErrorNoDevice);
  for (const auto& stream : streams) {
    if (stream->capture) return invalidate(*stream, cudaErrorStreamCaptureUnsupported);
  }
  const int device = current_device();
  run_until([=] {
    return std::all_of(streams.begin(), streams.end(),
                       [=](const auto& stream) { return stream->device != device || stream->queue.empty(); });
  });
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!device_count()) return result(cudaErrorNoDevice);
  *event = new CUevent_st;
  (*event)->device = current_device();
  (*event)->timing = !(flags & cudaEventDisableTiming);
  events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!events.erase(event)) return result(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (!stream || !events.contains(event) || event->device != stream->device) {
    return result(cudaErrorInvalidResourceHandle);
  }
  event->capture = stream->capture;
  event->after = stream->after;
  if (stream->capture) return result(stream->capture->valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
  const std::uint64_t version = ++event->state->recorded;
  return push(handle, [state = event->state, version] {
    state->completed = version;
    state->reached = std::chrono::steady_clock::now();
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  CUstream_st* stream = find_stream(handle);
  if (!stream || !events.contains(event)) return result(cudaErrorInvalidResourceHandle);
  if (event->capture && event->capture->ended) return result(cudaErrorCapturedEvent);
  if (event->capture) {  // the stream joins the capture, or what it captures comes after the event
    if (stream->capture && stream->capture != event->capture) return invalidate(*stream, cudaErrorStreamCaptureMerge);
    stream->capture = event->capture;
    stream->after.insert(stream->after.end(), event->after.begin(), event->after.end());
    return cudaSuccess;
  }
  if (stream->capture) return invalidate(*stream, cudaErrorStreamCaptureIsolation);
  if (event->state->recorded == 0) return cudaSuccess;
  return enqueue(*stream, {nullptr, event->state, event->state->recorded, 0});
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!events.contains(event)) return result(cudaErrorInvalidResourceHandle);
  if (event->capture) return result(cudaErrorCapturedEvent);
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  if (queries_left >= 0 && queries_left-- == 0) return result(cudaErrorIllegalState);
  if (event->state->completed >= event->state->recorded) return cudaSuccess;
  const OpenMemory open;
  run_one(nullptr);
  return result(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!events.contains(event)) return result(cudaErrorInvalidResourceHandle);
  if (event->capture) return result(cudaErrorCapturedEvent);
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  run_until([&] { return event->state->completed >= event->state->recorded; });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (!events.contains(begin) || !events.contains(end)) return result(cudaErrorInvalidResourceHandle);
  for (const CUevent_st* event : {begin, end}) {
    if (!event->timing || event->state->recorded == 0) return result(cudaErrorInvalidResourceHandle);
    if (event->state->completed < event->state->recorded) return result(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->state->reached - begin->state->reached).count();
  return cudaSuccess;
}

}  // extern "C"
