#include <tt/cuda/by_name.hpp>
#include <tt/ops.hpp>

static const bool there = [] {
  tt::gpu::add_by_name(tt::ops::bitwise{});
  tt::gpu::add_by_name(tt::ops::division{});
  return true;
}();
