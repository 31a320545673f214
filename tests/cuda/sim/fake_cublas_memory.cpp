// Stand-in for libcudart: memory in the order of a stream, and fills of rows. Work in a wrong order reads NaN: the
// memory is full of it when the stream comes to the allocation, and again from the free on.
// https://docs.nvidia.com/cuda/cuda-runtime-api (stream ordered memory allocator, cudaMemset2DAsync)
#include "cublas_control.hpp"
#include "fake_cublas.hpp"

#include <cstring>
#include <unordered_map>
#include <unordered_set>

using namespace tt::sim;

namespace {

std::unordered_map<void*, std::size_t>& ordered() {
  static std::unordered_map<void*, std::size_t> blocks;
  return blocks;
}
/// Freed, and the stream has come to that; by size. A graph keeps its own.
std::unordered_multimap<std::size_t, void*>& reusable() {
  static std::unordered_multimap<std::size_t, void*> blocks;
  return blocks;
}
/// No longer to be named by calls, whether or not the stream has come to the free.
std::unordered_set<const void*>& freed() {
  static std::unordered_set<const void*> blocks;
  return blocks;
}

cudaError_t take(void** pointer, std::size_t size) {
  if (const auto found = reusable().find(size); found != reusable().end()) {
    *pointer = found->second;
    reusable().erase(found);
    return cudaSuccess;
  }
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // a capture takes it as a node
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  const cudaError_t code = cudaMalloc(pointer, size);
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  return code;
}

}  // namespace

namespace tt::sim {
bool was_freed_in_order(const void* block) { return freed().contains(block); }
int blocks_in_order() { return int(ordered().size()); }
}  // namespace tt::sim

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream) {
  *pointer = nullptr;
  if (!find_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (size == 0) return cudaSuccess;
  if (const cudaError_t code = take(pointer, size)) return code;
  ordered()[*pointer] = size;
  freed().erase(*pointer);
  return push(stream, [begin = *pointer, size] { std::memset(begin, 0xff, size); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!pointer) return cudaSuccess;
  const auto found = ordered().find(pointer);
  if (found == ordered().end()) return result(cudaErrorInvalidValue);
  const std::size_t size = found->second;
  ordered().erase(found);
  freed().insert(pointer);
  const CUstream_st* queue = find_stream(stream);
  if (!queue) return result(cudaErrorInvalidResourceHandle);
  return push(stream, [=, is_graphs = bool(queue->capture)] {
    std::memset(pointer, 0xff, size);
    if (!is_graphs) reusable().emplace(size, pointer);
  });
}

cudaError_t cudaMemset2DAsync(void* begin, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (pitch < width || !is_device_memory(begin, (height - 1) * pitch + width)) return result(cudaErrorInvalidValue);
  return push(stream, [=] {
    for (std::size_t row = 0; row < height; ++row) std::memset(static_cast<char*>(begin) + row * pitch, value, width);
  });
}

}  // extern "C"
