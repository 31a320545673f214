// cuBLAS's handles, kept for reuse: making one takes milliseconds and device memory. Programs link tt::cublas.
#pragma once
#include <tt/cuda/stream.hpp>

#include <cublas_v2.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace tt::gpu {

/// What a function of cuBLAS returned, as one sentence. https://docs.nvidia.com/cuda/cublas (cublasStatus_t)
class CublasError : public Error {
 public:
  CublasError(const char* message, cublasStatus_t status) : Error(message), status_(status) {}
  cublasStatus_t status() const { return status_; }

 private:
  cublasStatus_t status_;
};

namespace detail {
/// Throws "op: details: CUBLAS_STATUS_X (cuBLAS's text) (at file:line)".
[[noreturn]] TT_NOINLINE inline void fail_cublas(cublasStatus_t status, const char* op, Pieces details = {}) {
  tt::detail::Sentence text;
  text.add(op);
  text.add(": ");
  for (const Piece& piece : details) piece.append_to(text);
  if (details.size()) text.add(": ");
  tt::detail::join(text, {cublasGetStatusName(status), " (", cublasGetStatusString(status), ")"});
  throw CublasError(text.text, status);
}
}  // namespace detail

/// Throws CublasError unless `status` is CUBLAS_STATUS_SUCCESS. `op` is what the user called.
inline void check(cublasStatus_t status, const char* op) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    detail::fail_cublas(status, op);
}

namespace detail {

struct BlasHandle {
  cublasHandle_t handle;  // null: none
  int device;
  cudaStream_t stream;
  std::uint64_t used;     // by the thread's clock
};

/// Handles that no thread uses now. Never destroyed: when static objects go, the driver may be gone already, and a call
/// of cuBLAS could crash; the driver frees what the process held.
struct IdleHandles {
  std::mutex mutex;
  std::vector<BlasHandle> list;

  void put(const BlasHandle& handle) {
    const std::lock_guard lock(mutex);
    list.push_back(handle);
  }
  cublasHandle_t take(int device) {
    const std::lock_guard lock(mutex);
    for (BlasHandle& idle : list) {
      if (idle.device != device) continue;
      const cublasHandle_t handle = idle.handle;
      idle = list.back();
      list.pop_back();
      return handle;
    }
    return nullptr;
  }
};
inline IdleHandles& idle_handles() {
  static IdleHandles& handles = *new IdleHandles;
  return handles;
}

/// What one thread holds. A program that makes a stream for each request must not gather handles without end.
inline constexpr int most_handles = 16;
inline constinit thread_local BlasHandle thread_handles[most_handles] = {};
inline constinit thread_local std::uint64_t thread_handles_clock = 0;

inline void put_back_handles() {
  for (BlasHandle& bound : thread_handles) {
    if (bound.handle) idle_handles().put(std::exchange(bound, {}));
  }
}
/// Other threads may have this thread's handles when it ends.
struct ThreadHandlesEnd {
  bool touched = false;
  ~ThreadHandlesEnd() { put_back_handles(); }
};
inline thread_local ThreadHandlesEnd thread_handles_end;

/// On the current device. It reduces in float what it computes in float, where cuBLAS would else round partial sums of
/// 16-bit results.
TT_NOINLINE inline cublasHandle_t make_blas_handle() {
  cublasHandle_t handle = nullptr;
  const RelaxedCapture relaxed;  // it allocates
  const cublasStatus_t status = cublasCreate(&handle);
  if (status != CUBLAS_STATUS_SUCCESS) {
    fail_cublas(status, "blas_handle",
                {"a handle takes up to 32 MiB of the device's memory besides what allocators hold"});
  }
  check(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), "blas_handle");
  return handle;
}

/// The thread's least recently used place gets a handle of the current device.
TT_NOINLINE inline BlasHandle& bind_handle(const StreamRef& stream) {
  thread_handles_end.touched = true;
  idle_handles();
  BlasHandle* place = thread_handles;
  for (BlasHandle& bound : thread_handles) {
    if (bound.used < place->used) place = &bound;
  }
  if (place->handle) idle_handles().put(std::exchange(*place, {}));
  cublasHandle_t handle = idle_handles().take(stream.device());
  if (!handle) handle = make_blas_handle();
  *place = {handle, stream.device(), stream.native(), 0};
  return *place;
}

}  // namespace detail

/// The handle with which this thread gives products to `stream`. Each pair of them has its own, so that a product gives
/// the same bits in every run (https://docs.nvidia.com/cuda/cublas, results reproducibility), but for threads that use
/// more than 16 streams. Workspace is cuBLAS's own: in a graph it is part of the graph, so that graphs captured on one
/// stream may be replayed side by side.
/// For calls of cuBLAS while the stream's device is current. They must leave the handle's modes as they are: pointers
/// to scalars are the host's.
/// @throws CublasError if there is no memory for it
inline cublasHandle_t blas_handle(const StreamRef& stream) {
  const DeviceGuard guard(stream.device());
  detail::BlasHandle* found = nullptr;
  for (detail::BlasHandle& bound : detail::thread_handles) {
    if (bound.handle && bound.stream == stream.native() && bound.device == stream.device()) found = &bound;
  }
  if (!found) found = &detail::bind_handle(stream);
  found->used = ++detail::thread_handles_clock;
  // Always: a new stream may have the address of one that is gone.
  check(cublasSetStream(found->handle, stream), "blas_handle");
  return found->handle;
}

/// Destroys the handles of this thread and of threads that have ended, and so gives their device memory back. Waits for
/// their devices. No stream may be captured.
inline void release_blas_handles() {
  detail::put_back_handles();
  detail::IdleHandles& idle = detail::idle_handles();
  const std::lock_guard lock(idle.mutex);
  while (!idle.list.empty()) {
    const detail::BlasHandle last = idle.list.back();
    idle.list.pop_back();
    const DeviceGuard guard(last.device);
    check(cublasDestroy(last.handle), "release_blas_handles");
  }
}

}  // namespace tt::gpu
