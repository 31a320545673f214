// Indices that lie outside of their axis. A kernel cannot throw: it records the first one in memory of the device,
// treats it as none, and goes on; whoever reads results on the host asks for it.
#pragma once
#include <tt/cuda/launch.hpp>

#include <cstdint>
#include <mutex>
#include <optional>

namespace tt::gpu {

/// An index outside of its axis, as a kernel met it.
struct IndexFault {
  const char* op;
  index_t index, extent;
  index_t position;  ///< of the index in its tensor, in row-major order
};

/// In memory of the device: the fault of the lowest rank that kernels have met. Ranks grow by launch, then by position.
struct IndexErrors {
  static constexpr unsigned long long none = ~0ull;

  unsigned long long lowest = none;    ///< rank that was offered
  unsigned long long recorded = none;  ///< rank of `fault`
  unsigned lock = 0;
  IndexFault fault{};
};

/// What a kernel asks of each index: a parameter of the launch.
struct IndexCheck {
  static constexpr int position_bits = 44;

  IndexErrors* errors;
  const char* op;  ///< a literal; the device only hands its address back
  index_t extent;
  unsigned long long launch;

#if TT_CUDA_KERNELS
  /// Whether the axis has such an index; if not it is recorded. With `from_end`, -1 is the last one.
  __device__ bool admits(index_t index, index_t position, bool from_end = false) const {
    if (index >= (from_end ? -extent : 0) && index < extent) return true;
    report(index, position);
    return false;
  }

 private:
  /// Most faults end at the first line. The others take a lock, which a thread holds only while it runs.
  __device__ void report(index_t index, index_t position) const {
    constexpr auto last = (1ull << position_bits) - 1;
    const unsigned long long at = (unsigned long long)(position);
    const unsigned long long rank = launch << position_bits | (at < last ? at : last);
    if (atomicMin(&errors->lowest, rank) <= rank) return;
    do __threadfence();
    while (atomicCAS(&errors->lock, 0u, 1u) != 0);
    __threadfence();
    if (rank < errors->recorded) {
      errors->recorded = rank;
      errors->fault = {op, index, extent, position};
    }
    __threadfence();
    atomicExch(&errors->lock, 0u);
  }
#endif
};

namespace detail {

/// The record of one device, made at its first use and kept.
struct IndexRecord {
  IndexErrors* errors = nullptr;
  std::atomic<unsigned long long> launches{0};
};
TT_NOINLINE inline IndexRecord& index_record(int device) {
  static std::mutex mutex;
  static IndexRecord records[max_devices];
  const std::lock_guard lock(mutex);
  IndexRecord& record = records[device];
  if (record.errors) return record;
  const DeviceGuard guard(device);
  const RelaxedCapture relaxed;  // it may be needed first while a stream is captured, and is no part of the graph
  const Stream stream;
  const IndexErrors empty;
  void* memory = nullptr;
  check(cudaMalloc(&memory, sizeof empty), "index_errors");
  cudaError_t code = cudaMemcpyAsync(memory, &empty, sizeof empty, cudaMemcpyHostToDevice, stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
  if (code != cudaSuccess) (void)cudaFree(memory);
  check(code, "index_errors");
  record.errors = static_cast<IndexErrors*>(memory);
  return record;
}

/// The check of the next launch on a device. After a million launches without a question all count as one.
inline IndexCheck index_check(int device, const char* op, index_t extent) {
  constexpr auto last = (1ull << (64 - IndexCheck::position_bits)) - 2;  // below `none`
  IndexRecord& record = index_record(device);
  return {record.errors, op, extent, (std::min)(record.launches.fetch_add(1, std::memory_order_relaxed), last)};
}

}  // namespace detail

/// Waits for the stream; the first index outside of its axis that kernels of its device have met since the last call,
/// of any stream as far as that has come: the lowest position in the first launch. Later ones are forgotten with it.
/// @throws CudaError if a kernel failed; Error while the stream is captured
TT_NOINLINE inline std::optional<IndexFault> take_index_fault(const StreamRef& stream) {
  static constexpr const char* name = "take_index_fault";
  if (stream.is_capturing()) fail("tt::gpu::take_index_fault: the stream is captured, and cannot be waited for");
  const DeviceGuard guard(stream.device());
  detail::IndexRecord& record = detail::index_record(stream.device());
  IndexErrors found;
  void* const lowest = &record.errors->lowest;
  check(cudaMemcpyAsync(&found.lowest, lowest, sizeof found.lowest, cudaMemcpyDeviceToHost, stream), name);
  check(cudaStreamSynchronize(stream), name);
  record.launches.store(0, std::memory_order_relaxed);
  if (found.lowest == IndexErrors::none) return {};
  synchronize();  // other streams may be recording
  check(cudaMemcpy(&found, record.errors, sizeof found, cudaMemcpyDeviceToHost), name);
  const IndexErrors empty;
  check(cudaMemcpy(record.errors, &empty, sizeof empty, cudaMemcpyHostToDevice), name);
  return found.fault;
}

/// Waits for the stream and throws where take_index_fault finds an index outside of its axis.
/// What was computed with it has zeros in its place. PyTorch's kernels end the process's use of the device instead.
/// @throws IndexError "tt::gather: index 7 at position 2 of the indices is outside an axis of 5"
inline void check_index_errors(const StreamRef& stream) {
  if (const auto fault = take_index_fault(stream))
    fail_index({"tt::", fault->op, ": index ", fault->index, " at position ", fault->position,
                " of the indices is outside an axis of ", fault->extent});
}

}  // namespace tt::gpu
