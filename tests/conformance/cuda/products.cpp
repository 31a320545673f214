#include <tt/cuda/by_name.hpp>
#include <tt/ops.hpp>

static const bool there = (tt::gpu::add_products_by_name(), true);
