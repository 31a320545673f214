#include <tt/cuda/by_name.hpp>
#include <tt/ops.hpp>

static const bool there = [] {
  tt::gpu::add_by_name(tt::ops::complex_parts{});
  tt::gpu::add_casts_by_name();
  return true;
}();
