// Stand-in for libcudart: capture of streams into graphs, and their replay.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide (creating a graph using stream capture)
#include "cudart.hpp"

#include <algorithm>

namespace tt::sim {
namespace {

/// Whether what `from` names comes after, or is, every node of `nodes`.
bool covers(const std::vector<Node>& graph, std::vector<int> from, const std::vector<int>& nodes) {
  std::vector<bool> reached(graph.size(), false);
  while (!from.empty()) {
    const int node = from.back();
    from.pop_back();
    if (reached[std::size_t(node)]) continue;
    reached[std::size_t(node)] = true;
    from.insert(from.end(), graph[std::size_t(node)].after.begin(), graph[std::size_t(node)].after.end());
  }
  return std::all_of(nodes.begin(), nodes.end(), [&](int node) { return reached[std::size_t(node)]; });
}

/// One of the orders that the edges allow: as captured, as late as possible, or any.
std::vector<int> replay_order(const std::vector<Node>& graph) {
  std::vector<int> order;
  std::vector<bool> done(graph.size(), false);
  while (order.size() < graph.size()) {
    std::vector<int> able;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto& after = graph[i].after;
      const bool free = std::all_of(after.begin(), after.end(), [&](int node) { return done[std::size_t(node)]; });
      if (!done[i] && free) able.push_back(int(i));
    }
    int next = able.front();
    if (stream_order() == StreamOrder::eager) next = able.back();
    if (stream_order() == StreamOrder::shuffled) next = able[random_below(unsigned(able.size()))];
    done[std::size_t(next)] = true;
    order.push_back(next);
  }
  return order;
}

}  // namespace
}  // namespace tt::sim

using namespace tt::sim;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  CUstream_st* stream = find_stream(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  if (stream->is_default) return result(cudaErrorStreamCaptureUnsupported);
  if (stream->capture) return result(cudaErrorIllegalState);
  stream->capture = std::make_shared<Capture>(Capture{handle, mode, true, false, {}});
  stream->after.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  CUstream_st* stream = find_stream(handle);
  *graph = nullptr;
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  if (!stream->capture) return result(cudaErrorIllegalState);
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != handle) {
    capture->valid = false;
    return result(cudaErrorStreamCaptureUnmatched);
  }
  capture->ended = true;
  const std::vector<int> end = stream->after;
  cudaError_t code = capture->valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  for (CUstream_st* member : streams_in(capture)) {
    if (code == cudaSuccess && !covers(capture->nodes, end, member->after)) code = cudaErrorStreamCaptureUnjoined;
    member->capture.reset();
    member->after.clear();
  }
  if (code == cudaSuccess) *graph = new CUgraph_st{capture->nodes};
  return result(code);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  const CUstream_st* stream = find_stream(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  if (implicitly_waited_for(*stream)) return result(cudaErrorStreamCaptureImplicit);
  *status = !stream->capture         ? cudaStreamCaptureStatusNone
            : stream->capture->valid ? cudaStreamCaptureStatusActive
                                     : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (!graph) return result(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{graph->nodes};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
  if (!graph) return result(cudaErrorInvalidValue);
  *count = graph->nodes.size();
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executable) return result(cudaErrorInvalidValue);
  for (const int node : replay_order(executable->nodes)) {
    const cudaError_t code = push(stream, executable->nodes[std::size_t(node)].work);
    if (code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

}  // extern "C"
