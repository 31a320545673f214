#include <tt/cuda/by_name.hpp>
#include <tt/ops.hpp>

static const bool there = [] {
  tt::gpu::add_by_name(tt::ops::comparison{});
  tt::gpu::add_by_name(tt::ops::selection{});
  tt::gpu::add_by_name(tt::ops::logical{});
  return true;
}();
