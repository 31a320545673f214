// Inside of the stand-in for libcudart: real prototypes over host memory. Work is queued and runs only when somebody
// waits, in an order that tests choose, so that what is not ordered by streams and events shows.
// For one host thread at a time.
#pragma once
#include "control.hpp"
#include "executor.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace tt::sim {

using Work = std::function<void()>;

/// Recordings are numbered; a wait names the one it waits for.
struct EventState {
  std::uint64_t recorded = 0, completed = 0;
  std::chrono::steady_clock::time_point reached{};
};

/// What a stream does next: wait for a recording, or work.
struct Operation {
  Work work;
  std::shared_ptr<const EventState> gate;
  std::uint64_t version = 0;
  std::uint64_t serial = 0;  // the order in which the host gave it
};

struct Node {
  Work work;
  std::vector<int> after;
};

/// A capture that has begun and not ended.
struct Capture {
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  bool valid = true;
  bool ended = false;
  std::vector<Node> nodes;
};

/// Records `code` as the last error and returns it; cudaSuccess passes.
cudaError_t result(cudaError_t code);

int current_device();
int device_count();

/// Gives work to a stream: its queue, or the graph it is captured into.
cudaError_t push(cudaStream_t stream, Work work);
/// The stream of a handle, null for the default one of the current device; null if there is none.
CUstream_st* find_stream(cudaStream_t handle);
/// The blocking stream under capture that work of this default stream would wait for, or null.
CUstream_st* implicitly_waited_for(const CUstream_st& stream);
std::vector<CUstream_st*> streams_in(const std::shared_ptr<Capture>& capture);
/// Runs queued work until `done`. `target` is the stream that the host waits for, if there is one.
void run_until(const std::function<bool()>& done, const CUstream_st* target = nullptr);
void run_all();
/// cudaSuccess, or the error of a call that is refused while a stream is captured; that capture is then invalid.
cudaError_t refuse_in_capture();
StreamOrder stream_order();
unsigned random_below(unsigned n);

/// While one lives, device memory answers; at no other time. Work runs inside.
class OpenMemory {
 public:
  OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
  ~OpenMemory();
};
/// Whether all the bytes lie in one allocation.
bool is_device_memory(const void* begin, std::size_t size);

}  // namespace tt::sim

struct CUevent_st {
  int device = 0;
  bool timing = false;
  std::shared_ptr<tt::sim::EventState> state = std::make_shared<tt::sim::EventState>();
  std::shared_ptr<tt::sim::Capture> capture;  // the recording is part of a graph: what it comes after
  std::vector<int> after;
};

struct CUstream_st {
  int device = 0;
  int priority = 0;
  bool blocking = false;      // ordered with the default stream
  bool is_default = false;
  bool destroyed = false;     // goes when its work is done
  std::deque<tt::sim::Operation> queue{};
  std::shared_ptr<tt::sim::Capture> capture{};
  std::vector<int> after{};   // the nodes that the next one comes after
};

struct CUgraph_st {
  std::vector<tt::sim::Node> nodes;
};
struct CUgraphExec_st {
  std::vector<tt::sim::Node> nodes;
};
