// Host memory that devices copy from and to without a stop on the way, kept for reuse: cudaHostAlloc and cudaFreeHost
// wait for the device.
#pragma once
#include <tt/cuda/stream.hpp>

#include <algorithm>
#include <bit>
#include <list>
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
  /// @throws CudaError if CUDA gives no more, also after what is free was given back
  void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    if (bytes > ~std::size_t(0) / 2) detail::fail_cuda(cudaErrorMemoryAllocation, "PinnedAllocator::allocate");
    const std::size_t size = std::bit_ceil((std::max)(bytes, smallest));
    const std::lock_guard lock(mutex_);
    const detail::RelaxedCapture relaxed;
    poll_events(false);
    auto& free = free_[size];
    if (free.empty()) take_from_cuda(size, free);
    void* pointer = free.back();
    used_[pointer] = {size, {}};
    free.pop_back();
    return pointer;
  }

  /// A copy on this stream reads or writes the block: freed, it is not given out again before what the stream was given
  /// so far is done. Where the stream is captured then, it is what it was given before the next call that finds it not
  /// captured, and until then the stream must live.
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
    if (found->second.used_on.empty()) {
      free_[found->second.size].push_back(pointer);
    } else {
      Pending pending{pointer, found->second.size, found->second.used_on, {}};
      record_events(pending);
      pending_.push_back(std::move(pending));
    }
    used_.erase(found);
  }

  /// Waits for streams that use what was freed and are not captured, and gives all that is free back to CUDA.
  void empty_cache() {
    const std::lock_guard lock(mutex_);
    const detail::RelaxedCapture relaxed;
    poll_events(true);
    release_free();
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
    std::vector<StreamRef> captured;  // events of theirs are still to be recorded
    std::vector<Event> events;
  };

  std::unordered_map<void*, Used>::iterator find(void* pointer, const char* op) {
    const auto found = used_.find(pointer);
    if (found == used_.end()) {
      fail({"PinnedAllocator::", op, ": the pointer is none that was allocated here and not freed"});
    }
    return found;
  }

  static void record_events(Pending& pending) {
    for (std::size_t i = pending.captured.size(); i-- > 0;) {
      if (!detail::takes_events(pending.captured[i])) continue;
      pending.events.push_back(pending.captured[i].record_event());
      pending.captured.erase(pending.captured.begin() + std::ptrdiff_t(i));
    }
  }

  static bool is_done(Pending& pending, bool wait) {
    record_events(pending);
    if (!pending.captured.empty()) return false;
    for (const Event& event : pending.events) {
      if (wait) event.synchronize();
      else if (!event.query()) return false;
    }
    return true;
  }

  /// One by one, so that a call of CUDA that fails leaves each block in one list.
  void poll_events(bool wait) {
    for (auto pending = pending_.begin(); pending != pending_.end();) {
      if (is_done(*pending, wait)) {
        free_[pending->size].push_back(pending->pointer);
        pending = pending_.erase(pending);
      } else {
        ++pending;
      }
    }
  }

  /// A block more in `free`, the list of this size.
  void take_from_cuda(std::size_t size, std::vector<void*>& free) {
    free.reserve(1);
    void* pointer = nullptr;
    cudaError_t code = cudaHostAlloc(&pointer, size, cudaHostAllocPortable);
    if (code == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      poll_events(true);
      if (!free.empty()) return;
      release_free();
      code = cudaHostAlloc(&pointer, size, cudaHostAllocPortable);
    }
    check(code, "PinnedAllocator::allocate");
    reserved_ += size;
    free.push_back(pointer);
  }

  void release_free() {
    for (auto& [size, blocks] : free_) {
      for (; !blocks.empty(); blocks.pop_back()) {
        check(cudaFreeHost(blocks.back()), "PinnedAllocator");
        reserved_ -= size;
      }
    }
  }

  mutable std::mutex mutex_;
  std::unordered_map<void*, Used> used_;
  std::map<std::size_t, std::vector<void*>> free_;  // by size
  std::list<Pending> pending_;
  std::size_t reserved_ = 0;
};

}  // namespace tt::gpu
