// A call of CUDA that failed becomes an exception that names the operation, CUDA's error and the place.
#pragma once
#include <tt/core/message.hpp>
#include <tt/cuda/config.hpp>

namespace tt::gpu {

/// What a CUDA function returned, as one sentence. https://docs.nvidia.com/cuda/cuda-runtime-api (cudaError_t)
class CudaError : public Error {
 public:
  CudaError(const char* message, cudaError_t code) : Error(message), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

namespace detail {
/// Throws "op: details: cudaErrorX (CUDA's text) (at file:line)", and forgets the error, so that no later call
/// reports it.
[[noreturn]] TT_NOINLINE inline void fail_cuda(cudaError_t code, const char* op, Pieces details = {}) {
  (void)cudaGetLastError();
  tt::detail::Sentence sentence;
  sentence.add(op);
  sentence.add(": ");
  for (const Piece& piece : details) piece.append_to(sentence);
  if (details.size()) sentence.add(": ");
  tt::detail::join(sentence, {cudaGetErrorName(code), " (", cudaGetErrorString(code), ")"});
  throw CudaError(sentence.text, code);
}
}  // namespace detail

/// Throws CudaError unless `code` is cudaSuccess. `op` is what the user called.
inline void check(cudaError_t code, const char* op) {
  if (code != cudaSuccess) [[unlikely]]
    detail::fail_cuda(code, op);
}

}  // namespace tt::gpu
