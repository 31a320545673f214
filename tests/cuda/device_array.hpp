// An array on the device, for tests: filled from the host, read back when a stream has done its work.
#pragma once
#include <tt/cuda/launch.hpp>

#include <vector>

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values, cudaStream_t stream = nullptr) : size_(values.size()) {
    void* memory = nullptr;
    tt::gpu::check(cudaMalloc(&memory, size_ * sizeof(T)), "DeviceArray");
    data_ = static_cast<T*>(memory);
    tt::gpu::check(cudaMemcpyAsync(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice, stream),
                   "DeviceArray");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { (void)cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// The values when `stream` has done what it was given.
  std::vector<T> host(cudaStream_t stream = nullptr) const {
    std::vector<T> values(size_);
    tt::gpu::check(cudaMemcpyAsync(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, stream), "host");
    tt::gpu::check(cudaStreamSynchronize(stream), "host");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};
