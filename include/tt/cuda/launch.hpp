// The one way to start a kernel. Needs no <<<>>>, so that any compiler reads it: files of g++ may launch what nvcc
// compiled, and the tests' executor runs what g++ compiled.
#pragma once
#include <tt/cuda/stream.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace tt::gpu {

namespace detail {
inline std::atomic<bool>& launch_blocking() {
  static std::atomic<bool> on{[] {
    const char* value = std::getenv("TT_CUDA_LAUNCH_BLOCKING");
    return value && std::strcmp(value, "0") != 0;
  }()};
  return on;
}

TT_NOINLINE inline void launch(const void* kernel, const cudaLaunchConfig_t& config, void** arguments) {
  const dim3 grid = config.gridDim, block = config.blockDim;
  cudaError_t code = cudaLaunchKernelExC(&config, kernel, arguments);
  const char* op = "launch";
  if (code == cudaSuccess && launch_blocking().load(std::memory_order_relaxed)) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;  // a capture may not be waited for
    op = "launch, waited for,";
    code = cudaStreamIsCapturing(config.stream, &capture);
    if (code == cudaSuccess && capture == cudaStreamCaptureStatusNone) code = cudaStreamSynchronize(config.stream);
  }
  if (code != cudaSuccess) {
    fail_cuda(code, op, {"grid (", grid.x, ", ", grid.y, ", ", grid.z, "), block (", block.x, ", ", block.y, ", ",
                         block.z, "), ", config.dynamicSmemBytes, " bytes of shared memory"});
  }
}
}  // namespace detail

/// The blocks of a grid for so much work, `per_block` in each, but at most `most`: then each goes on to further work.
inline unsigned blocks_for(index_t work, index_t per_block, index_t most = 1 << 16) {
  return unsigned(std::clamp<index_t>((work + per_block - 1) / per_block, 1, most));
}

/// In debug mode each launch is waited for, so that an error in a kernel is thrown where the kernel was launched. Also
/// on when the environment variable TT_CUDA_LAUNCH_BLOCKING is set and not 0.
inline void set_launch_blocking(bool on) { detail::launch_blocking().store(on, std::memory_order_relaxed); }
inline bool is_launch_blocking() { return detail::launch_blocking().load(std::memory_order_relaxed); }

/// Lets `kernel` be launched with up to `bytes` of dynamic shared memory; without that a launch may ask for 48 KiB.
template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), int bytes) {
  const void* function = reinterpret_cast<const void*>(kernel);
  const cudaError_t code = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (code != cudaSuccess) detail::fail_cuda(code, "allow_shared", {bytes, " bytes"});
}

/// Queues `kernel(arguments...)` on `stream`, which must be of the current device. Arguments are converted to the
/// kernel's parameter types here and copied before this returns.
/// @throws CudaError if CUDA refuses the launch; what goes wrong in the kernel shows at a later call, see
///         set_launch_blocking
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
            Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "tt: launch takes one argument for each parameter");
  static_assert((0 + ... + sizeof(Parameters)) <= 32764, "tt: a kernel's parameters take at most 32764 bytes");
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
#ifdef TT_CUDA_SIM
  ::tt::sim::describe(kernel);  // tells the stand-in run time the parameter types; nothing else differs
#endif
  std::tuple<Parameters...> parameters(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  std::apply(
      [&](auto&... parameter) {
        void* pointers[] = {static_cast<void*>(&parameter)..., nullptr};
        detail::launch(reinterpret_cast<const void*>(kernel), config, pointers);
      },
      parameters);
}

}  // namespace tt::gpu
