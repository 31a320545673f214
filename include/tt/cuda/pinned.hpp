// Host memory that devices copy from and to without a stop on the way, kept for reuse: cudaHostAlloc and cudaFreeHost
// wait for the device.
#pragma once
#include <tt/cuda/stream.hpp>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tt::gpu {

/// Page-locked host memory, in blocks of a power of two bytes that are never split.
/// https://pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers
/// Every member may be called from any thread.
class PinnedAllocator {
 public:
  PinnedAllocator() = default;
  PinnedAllocator(const PinnedAllocator&) = delete;
  PinnedAllocator& operator=(const PinnedAllocator&) = delete;
  /// Waits for streams that use what was freed, and gives it back.
  ~PinnedAllocator() {
    try {
      empty_cache();
    } catch (const Error&) {  // NOLINT: the driver is going away with the process
    }
  }

  /// Memory for `bytes`; null for 0. Contents are undefined.
  /// @throws CudaError if CUDA gives no more
  void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    if (bytes > ~std::size_t(0) / 2) detail::fail_cuda(cudaErrorMemoryAllocation, "PinnedAllocator::allocate");
    const std::size_t size = std::bit_ceil((std::max)(bytes, smallest));
    const std::lock_guard lock(mutex_);
    poll_events(false);
    auto& free = free_[size];
    void* pointer = nullptr;
    if (free.empty()) {
      check(cudaHostAlloc(&pointer, size, cudaHostAllocPortable), "PinnedAllocator::allocate");
      reserved_ += size;
    } else {
      pointer = free.back();
      free.pop_back();
    }
    used_[pointer] = {size, {}};
    return pointer;
  }

  /// A copy on this stream reads or writes the block: freed, it is not given out again before what the stream was given
  /// so far is done.
  void record_stream(void* pointer, const StreamRef& stream) {
    if (!pointer) return;
    const std::lock_guard lock(mutex_);
    auto& streams = find(pointer, "record_stream")->second.used_on;
    if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
  }

  /// Gives back what allocate gave. Does not wait.
  void free(void* pointer) {
    if (!pointer) return;
    const std::lock_guard lock(mutex_);
    const auto found = find(pointer, "free");
    Pending pending{pointer, found->second.size, {}};
    for (const StreamRef& stream : found->second.used_on) pending.events.push_back(stream.record_event());
    used_.erase(found);
    if (pending.events.empty()) free_[pending.size].push_back(pointer);
    else pending_.push_back(std::move(pending));
  }

  /// Waits for streams that use what was freed, and gives all that is free back to CUDA.
  void empty_cache() {
    const std::lock_guard lock(mutex_);
    poll_events(true);
    for (auto& [size, blocks] : free_) {
      for (void* pointer : std::exchange(blocks, {})) {
        check(cudaFreeHost(pointer), "PinnedAllocator::empty_cache");
        reserved_ -= size;
      }
    }
  }

  /// Bytes taken from CUDA.
  std::size_t memory_reserved() const {
    const std::lock_guard lock(mutex_);
    return reserved_;
  }

 private:
  static constexpr std::size_t smallest = 512;
  struct Used {
    std::size_t size;
    std::vector<StreamRef> used_on;
  };
  struct Pending {
    void* pointer;
    std::size_t size;
    std::vector<Event> events;
  };

  std::unordered_map<void*, Used>::iterator find(void* pointer, const char* op) {
    const auto found = used_.find(pointer);
    if (found == used_.end()) {
      fail({"PinnedAllocator::", op, ": the pointer is none that was allocated here and not freed"});
    }
    return found;
  }

  void poll_events(bool wait) {
    std::erase_if(pending_, [&](Pending& pending) {
      for (const Event& event : pending.events) {
        if (wait) event.synchronize();
        else if (!event.query()) return false;
      }
      free_[pending.size].push_back(pending.pointer);
      return true;
    });
  }

  mutable std::mutex mutex_;
  std::unordered_map<void*, Used> used_;
  std::map<std::size_t, std::vector<void*>> free_;  // by size
  std::deque<Pending> pending_;
  std::size_t reserved_ = 0;
};

}  // namespace tt::gpu
