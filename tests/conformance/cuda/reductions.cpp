#include <tt/cuda/by_name.hpp>
#include <tt/ops.hpp>

static const bool there = [] {
  tt::gpu::add_reductions_by_name(tt::ops::reductions{});
  tt::gpu::add_reductions_by_name(tt::op_list<tt::ops::all, tt::ops::any, tt::ops::shift_max>{});
  tt::gpu::add_positions_by_name(tt::op_list<tt::ops::argmax, tt::ops::argmin>{});
  tt::gpu::add_losses_by_name();
  return true;
}();
