#include <tt/cuda/by_name.hpp>
#include <tt/ops.hpp>

static const bool there = [] {
  tt::gpu::add_by_name(tt::ops::activation{});
  tt::gpu::add_by_name(tt::ops::exponential{});
  tt::gpu::add_by_name(tt::ops::hyperbolic{});
  tt::gpu::add_by_name(tt::ops::rounding{});
  tt::gpu::add_by_name(tt::ops::trigonometric{});
  tt::gpu::add_by_name(tt::op_list<tt::ops::root>{});
  return true;
}();
