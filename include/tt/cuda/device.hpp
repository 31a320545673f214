// The CUDA devices of this machine, and which of them this thread's calls go to.
#pragma once
#include <tt/cuda/error.hpp>

#include <utility>

namespace tt::gpu {

/// How many devices there are; 0 where there is no driver, or one that is older than the run time.
/// https://pytorch.org/docs/stable/generated/torch.cuda.device_count.html
inline int device_count() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess) return count;
  (void)cudaGetLastError();  // not an error of the caller's
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver || code == cudaErrorStubLibrary) return 0;
  detail::fail_cuda(code, "device_count");
}

/// https://pytorch.org/docs/stable/generated/torch.cuda.is_available.html
inline bool is_available() { return device_count() > 0; }

/// The device that this thread's calls go to.
inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "current_device");
  return device;
}

/// @throws CudaError for a device that is not there
inline void set_device(int device) {
  const cudaError_t code = cudaSetDevice(device);
  if (code != cudaSuccess) detail::fail_cuda(code, "set_device", {"device ", device, " of ", device_count()});
}

/// {9, 0} for an H100.
/// https://pytorch.org/docs/stable/generated/torch.cuda.get_device_capability.html
inline std::pair<int, int> get_device_capability(int device) {
  std::pair<int, int> capability;
  check(cudaDeviceGetAttribute(&capability.first, cudaDevAttrComputeCapabilityMajor, device), "get_device_capability");
  check(cudaDeviceGetAttribute(&capability.second, cudaDevAttrComputeCapabilityMinor, device), "get_device_capability");
  return capability;
}

/// Another current device for as long as the guard lives.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : previous_(current_device()) {
    if (device != previous_) set_device(device);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {  // cudaSetDevice makes a context where there is none, also for the device that is current already
    int device = previous_;
    if (cudaGetDevice(&device) != cudaSuccess || device != previous_) (void)cudaSetDevice(previous_);
  }

 private:
  int previous_;
};

/// Waits for all work on the current device.
/// https://pytorch.org/docs/stable/generated/torch.cuda.synchronize.html
inline void synchronize() { check(cudaDeviceSynchronize(), "synchronize"); }

inline void synchronize(int device) {
  const DeviceGuard guard(device);
  synchronize();
}

}  // namespace tt::gpu
