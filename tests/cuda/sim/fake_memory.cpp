// Stand-in for libcudart: device memory and copies. No address is given out twice, and what was freed cannot be read.
#include "cudart.hpp"
#include "sanitizers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

namespace tt::sim {
namespace {

constexpr std::size_t arena_bytes = std::size_t(64) << 30;  // addresses; pages come as they are touched
constexpr std::size_t gap = 256, page = 4096;  // page: also the alignment
constexpr std::size_t filled = 256 << 10;  // of each allocation is NaN: gigabytes stay cheap
char* arena = nullptr;
std::size_t used = 0;
std::map<const char*, std::size_t> live;
std::map<const char*, std::size_t> pinned;  // host memory
int successes_left = -1, failures_left = 0;  // -1: no failure is planned

bool make_arena() {
  if (arena) return true;
  void* memory = mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  arena = static_cast<char*>(memory);
  return true;
}

bool fails_as_planned() {
  if (successes_left > 0) {
    --successes_left;
  } else if (successes_left == 0 && failures_left > 0) {
    if (--failures_left == 0) successes_left = -1;
    return true;
  }
  return false;
}

/// Of whole pages: gaps between allocations end where a page does.
void protect(const char* begin, std::size_t size, int access) {
  mprotect(const_cast<char*>(begin), (size + page - 1) / page * page, access);
}

/// Whether all the bytes lie in one of the allocations.
bool lies_in(const std::map<const char*, std::size_t>& allocations, const void* begin, std::size_t size) {
  const char* p = static_cast<const char*>(begin);
  auto block = allocations.upper_bound(p);
  if (block == allocations.begin()) return false;
  --block;
  return p + size <= block->first + block->second;
}

/// What a direction means for the two ends; false for memory that is not what the direction says.
bool copy_is_valid(const void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice: return is_device_memory(to, size);
    case cudaMemcpyDeviceToHost: return is_device_memory(from, size);
    case cudaMemcpyDeviceToDevice: return is_device_memory(to, size) && is_device_memory(from, size);
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault: return true;
  }
  return false;
}

}  // namespace

void fail_malloc(int successes, int failures) {
  successes_left = successes;
  failures_left = failures;
}

OpenMemory::OpenMemory() {
  for (const auto& [begin, size] : live) protect(begin, size, PROT_READ | PROT_WRITE);
}
OpenMemory::~OpenMemory() {
  for (const auto& [begin, size] : live) protect(begin, size, PROT_NONE);
}

bool is_device_memory(const void* begin, std::size_t size) { return lies_in(live, begin, size); }

}  // namespace tt::sim

using namespace tt::sim;

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t size) {
  if (!device_count()) return result(cudaErrorNoDevice);
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  if (fails_as_planned()) return result(cudaErrorMemoryAllocation);
  if (size > arena_bytes || !make_arena() || used + size + gap + page > arena_bytes) {
    return result(cudaErrorMemoryAllocation);
  }
  char* begin = arena + used;
  used += (size + gap + page - 1) / page * page;
  poison(begin + size, std::size_t(arena + used - begin) - size);
  live[begin] = size;
  protect(begin, size, PROT_READ | PROT_WRITE);
  std::memset(begin, 0xff, std::min(size, filled));
  protect(begin, size, PROT_NONE);
  *pointer = begin;
  return cudaSuccess;
}

cudaError_t cudaFree(void* pointer) {
  if (!pointer) return cudaSuccess;
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  run_all();
  const auto found = live.find(static_cast<char*>(pointer));
  if (found == live.end()) return result(cudaErrorInvalidValue);
  poison(found->first, found->second);
  madvise(pointer, found->second / page * page, MADV_DONTNEED);
  live.erase(found);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned) {
  if (!device_count()) return result(cudaErrorNoDevice);
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  if (fails_as_planned()) return result(cudaErrorMemoryAllocation);
  *pointer = std::aligned_alloc(page, (size + page - 1) / page * page);
  if (!*pointer) return result(cudaErrorMemoryAllocation);
  pinned[static_cast<char*>(*pointer)] = size;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer) {
  if (!pointer) return cudaSuccess;
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  run_all();
  if (!pinned.erase(static_cast<char*>(pointer))) return result(cudaErrorInvalidValue);
  std::free(pointer);
  return cudaSuccess;
}

// https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html: pageable host memory is staged before the call
// returns. What goes to the host arrives only when the stream gets there, which is later than that page promises.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  if (size == 0) return cudaSuccess;
  if (!copy_is_valid(to, from, size, kind)) return result(cudaErrorInvalidValue);
  const CUstream_st* queue = find_stream(stream);
  if (!queue) return result(cudaErrorInvalidResourceHandle);
  const bool is_staged = !is_device_memory(from, size) && !lies_in(pinned, from, size) && !queue->capture;
  if (!is_staged) return push(stream, [=] { std::memcpy(to, from, size); });
  const std::shared_ptr<char[]> staged(new char[size]);
  std::memcpy(staged.get(), from, size);
  return push(stream, [=] { std::memcpy(to, staged.get(), size); });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  if (const cudaError_t refused = refuse_in_capture()) return result(refused);
  const cudaError_t code = cudaMemcpyAsync(to, from, size, kind, nullptr);
  return code == cudaSuccess ? cudaStreamSynchronize(nullptr) : code;
}

cudaError_t cudaMemsetAsync(void* begin, int value, std::size_t size, cudaStream_t stream) {
  if (size == 0) return cudaSuccess;
  if (!is_device_memory(begin, size)) return result(cudaErrorInvalidValue);
  return push(stream, [=] { std::memset(begin, value, size); });
}

}  // extern "C"
