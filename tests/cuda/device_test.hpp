// For tests that are built four ways from one source: by g++ for the executor, plain and under two sanitizers, and by
// nvcc for a device. Without a device the last prints "skipped" and exits with the code that ctest takes for that.
#pragma once
#include "catch.hpp"
#include "cuda/device_array.hpp"

#include <cstdio>

#ifdef TT_CUDA_SIM
#include "cuda/sim/control.hpp"
#endif

#ifdef __SANITIZE_THREAD__
inline constexpr bool small_sizes_only = true;  // ThreadSanitizer takes 0.4 ms for each thread of a kernel
#else
inline constexpr bool small_sizes_only = false;
#endif

#ifdef TT_CUDA_SIM
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
inline const bool device_is_there = [] {
  if (tt::gpu::is_available()) return true;
  std::puts("skipped: no CUDA device");
  std::fflush(stdout);
  std::_Exit(77);
}();
#endif

inline tt::gpu::StreamRef default_stream() { return {0, nullptr}; }

/// Calls `f` once for each order of threads, together with an order of streams; once on a device, which has its own.
template <class F>
void in_every_order(F f) {
#ifdef TT_CUDA_SIM
  using tt::sim::Order, tt::sim::StreamOrder;
  const struct {
    Order threads;
    StreamOrder streams;
    const char* name;
  } orders[] = {{Order::forward, StreamOrder::lazy, "forward, lazy"},
                {Order::reverse, StreamOrder::eager, "reverse, eager"},
                {Order::random, StreamOrder::shuffled, "random, shuffled"}};
  for (const auto& order : orders) {
    INFO(order.name);
    tt::sim::set_order(order.threads, 7);
    tt::sim::set_stream_order(order.streams, 77);
    f();
  }
#else
  f();
#endif
}
