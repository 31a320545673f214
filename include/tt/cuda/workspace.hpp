// Device memory that a kernel's driver needs for a while.
#pragma once
#include <tt/cuda/memory.hpp>
#include <tt/expr/map.hpp>

namespace tt::gpu::detail {

/// Memory of a call. It is reused only by what is queued in the stream after the call.
class Workspace {
 public:
  void* operator()(std::size_t bytes) {
    Ref<Storage>& next = kept_[count_++];
    next = tt::detail::make_storage(bytes, tt::detail::new_memory<cuda>::get());
    return next->data;
  }

 private:
  Ref<Storage> kept_[2 * max_leaves];
  int count_ = 0;
};

}  // namespace tt::gpu::detail
