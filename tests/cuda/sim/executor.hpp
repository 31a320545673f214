// The executor's side towards the stand-in run time: one grid, run to its end.
#pragma once
#include <vector_types.h>

#include <cstddef>
#include <functional>

namespace tt::sim {

/// Of an H100, in bytes: https://docs.nvidia.com/cuda/cuda-c-programming-guide (compute capabilities).
inline constexpr std::size_t max_shared_bytes = 227 << 10;

/// Runs `body` once for each thread. A mistake in the kernel that the executor sees ends the process with this code.
inline constexpr int kernel_fault_exit_code = 66;
void run_grid(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& body);

/// xorshift: the same numbers everywhere.
class Random {
 public:
  explicit Random(unsigned seed = 1) : state_(seed ? seed : 1) {}
  unsigned below(unsigned n) { return next() % n; }
  unsigned next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }

 private:
  unsigned state_;
};

}  // namespace tt::sim
