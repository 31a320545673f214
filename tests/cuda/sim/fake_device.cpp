// Stand-in for libcudart: devices, errors, launches.
#define TT_CUDA_SIM 1
#include "cudart.hpp"
#include "tt_cuda_sim.hpp"

#include <cstdlib>
#include <unordered_map>

namespace tt::sim {
namespace {

constexpr std::size_t shared_without_opt_in = 48 << 10;

cudaError_t last_error = cudaSuccess;
int devices = 2, device = 0, set_calls = 0;

std::unordered_map<const void*, KernelInfo>& kernels() {
  static std::unordered_map<const void*, KernelInfo> map;
  return map;
}
std::unordered_map<const void*, std::size_t>& shared_opt_in() {
  static std::unordered_map<const void*, std::size_t> map;
  return map;
}

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};
constexpr ErrorText error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
};

bool fits(dim3 grid, dim3 block) {  // the limits of compute capability 9.0
  return grid.x >= 1 && grid.y >= 1 && grid.z >= 1 && grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535 &&
         block.x >= 1 && block.y >= 1 && block.z >= 1 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
         std::size_t(block.x) * block.y * block.z <= 1024;
}

/// Parameters as they were at the launch.
class Arguments {
 public:
  Arguments(const KernelInfo& info, void** from) {
    for (int i = 0; i < info.parameters; ++i) {
      const std::size_t size = (info.sizes[i] + 63) / 64 * 64;
      void* copy = std::aligned_alloc(64, size);
      std::memcpy(copy, from[i], info.sizes[i]);
      pointers_.push_back(copy);
    }
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() {
    for (void* p : pointers_) std::free(p);
  }
  void** get() { return pointers_.data(); }

 private:
  std::vector<void*> pointers_;
};

}  // namespace

cudaError_t result(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}
int current_device() { return device; }
int device_count() { return devices; }
int set_device_calls() { return set_calls; }
void set_device_count(int count) {
  devices = count;
  device = 0;
}
void describe_kernel(const void* kernel, const KernelInfo& info) { kernels().emplace(kernel, info); }

}  // namespace tt::sim

using namespace tt::sim;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return result(devices ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* index) {
  if (!devices) return result(cudaErrorNoDevice);
  *index = device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) {
  ++set_calls;
  if (index < 0 || index >= devices) return result(cudaErrorInvalidDevice);
  device = index;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  if (index < 0 || index >= devices) return result(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: return *value = 9, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor: return *value = 0, cudaSuccess;
    case cudaDevAttrMultiProcessorCount: return *value = 132, cudaSuccess;
    case cudaDevAttrMaxThreadsPerBlock: return *value = 1024, cudaSuccess;
    case cudaDevAttrWarpSize: return *value = 32, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock: return *value = int(shared_without_opt_in), cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return *value = int(max_shared_bytes), cudaSuccess;
    default: return result(cudaErrorNotSupported);
  }
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorName(cudaError_t code) {
  for (const ErrorText& error : error_texts) {
    if (error.code == code) return error.name;
  }
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t code) {
  for (const ErrorText& error : error_texts) {
    if (error.code == code) return error.text;
  }
  return "unrecognized error code";
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return result(cudaErrorNotSupported);
  if (value < 0 || std::size_t(value) > max_shared_bytes) return result(cudaErrorInvalidValue);
  shared_opt_in()[kernel] = std::size_t(value);
  return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  const auto found = kernels().find(kernel);
  if (found == kernels().end()) return result(cudaErrorInvalidDeviceFunction);
  const dim3 grid = config->gridDim, block = config->blockDim;
  const std::size_t shared = config->dynamicSmemBytes;
  if (config->numAttrs) return result(cudaErrorNotSupported);
  if (!fits(grid, block)) return result(cudaErrorInvalidConfiguration);
  const auto allowed = shared_opt_in().find(kernel);
  if (shared > (allowed == shared_opt_in().end() ? shared_without_opt_in : allowed->second)) {
    return result(cudaErrorInvalidValue);
  }
  const CUstream_st* stream = find_stream(config->stream);
  if (!stream || stream->device != current_device()) return result(cudaErrorInvalidResourceHandle);
  const auto copies = std::make_shared<Arguments>(found->second, arguments);
  return push(config->stream, [=, call = found->second.call] {
    run_grid(grid, block, shared, [&] { call(kernel, copies->get()); });
  });
}

}  // extern "C"
