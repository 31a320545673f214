// Work of streams, captured once and launched as a whole, again and again.
#pragma once
#include <tt/cuda/stream.hpp>

namespace tt::gpu {

namespace detail {
/// A capture that has begun. Where it is left by an exception, what was captured is dropped.
class StreamCapture {
 public:
  explicit StreamCapture(cudaStream_t stream) : stream_(stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "Graph::capture");
  }
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture() {
    if (!stream_) return;
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError();
  }
  cudaGraph_t end() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph), "Graph::capture");
    return graph;
  }

 private:
  cudaStream_t stream_;
};
}  // namespace detail

/// https://pytorch.org/docs/stable/generated/torch.cuda.CUDAGraph.html
/// Replay reads and writes the addresses that the captured work did: they must stay allocated while the graph is used.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~Graph() { reset(); }

  /// Makes `stream`, which may not be a default stream, current and calls `work`: what it gives to that stream, and to
  /// streams that wait for it, is not run but becomes the graph. Streams that joined must be waited for at the end.
  /// @throws CudaError for what cannot be captured: waiting for the device, or work of streams outside. This graph then
  ///         holds what it held before, and so it does where `work` throws.
  template <class F>
  void capture(const StreamRef& stream, F&& work) {
    const StreamGuard guard(stream);
    detail::StreamCapture capture(stream);
    std::forward<F>(work)();
    install(capture.end());
  }

  /// Queues all of it on `stream`.
  void replay(cudaStream_t stream) const {
    if (!executable_) fail("Graph::replay: nothing was captured; call capture first");
    check(cudaGraphLaunch(executable_, stream), "Graph::replay");
  }

  void reset() {
    if (executable_) (void)cudaGraphExecDestroy(std::exchange(executable_, nullptr));
  }
  bool empty() const { return !executable_; }

 private:
  void install(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&executable, graph, 0);
    (void)cudaGraphDestroy(graph);
    check(code, "Graph::capture");
    reset();
    executable_ = executable;
  }

  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace tt::gpu
