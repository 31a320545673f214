// Device memory that kernels of a stream need meanwhile, for tests: kept until the end. It is not 0 at first.
#pragma once
#include "cuda/device_array.hpp"

#include <deque>

class Workspace {
 public:
  explicit Workspace(cudaStream_t stream = nullptr) : stream_(stream) {}

  void* operator()(std::size_t bytes) {
    return memory_.emplace_back(std::vector<unsigned char>(bytes, 0xee), stream_).data();
  }

 private:
  cudaStream_t stream_;
  std::deque<DeviceArray<unsigned char>> memory_;
};
