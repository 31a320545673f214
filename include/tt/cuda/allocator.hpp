// Device memory that is kept for reuse: cudaMalloc and cudaFree wait for the device, this does not.
#pragma once
#include <tt/cuda/blocks.hpp>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tt::gpu {

/// https://pytorch.org/docs/stable/generated/torch.cuda.OutOfMemoryError.html
class OutOfMemoryError : public CudaError {
 public:
  using CudaError::CudaError;
};

/// The memory of one device. A block belongs to the stream it was allocated for: work given to that stream may use it
/// at once, and after it is freed the next owner's work comes later in that stream. Other streams need record_stream.
/// https://pytorch.org/docs/stable/notes/cuda.html#memory-management
/// Every member may be called from any thread; the lock is not held while CUDA allocates or frees.
class CachingAllocator {
 public:
  explicit CachingAllocator(int device) : device_(device) {}
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;
  /// Waits for streams that use what was freed, and gives free segments back.
  ~CachingAllocator() {
    try {
      empty_cache();
    } catch (const Error&) {  // NOLINT: the driver is going away with the process
    }
  }

  /// Memory for `bytes`, aligned to 512; null for 0. Contents are undefined.
  /// @throws OutOfMemoryError when nothing that can be given back to CUDA helps; the text says who holds what
  void* allocate(std::size_t bytes, cudaStream_t stream);

  /// Gives back what allocate gave. Does not wait: streams named by record_stream are asked at later allocations.
  void free(void* pointer);

  /// Another stream, of any device, uses the block: freed, it is not given out again before what that stream was given
  /// so far is done. Where the stream is captured then, it is what it was given before the next allocate, empty_cache
  /// or end_private_pool that finds it not captured, and until then the stream must live.
  void record_stream(void* pointer, const StreamRef& stream);

  /// Waits for streams that use what was freed and are not captured, and gives every segment without a used block back
  /// to CUDA.
  void empty_cache();

  /// Blocks of this size or more are not split. Against fragmentation by blocks of many large sizes.
  void set_max_split_size(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    max_split_ = (std::max)(bytes, detail::large_segment);
  }
  /// No more than this is taken from CUDA.
  void set_memory_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
  }
  /// Above this many bytes taken from CUDA, segments that are free for longer than the average go back first.
  void set_garbage_collection_threshold(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    garbage_threshold_ = bytes;
  }
  /// Fills memory with NaN (bytes of 0xff) when it is given out, and when it is free again.
  void set_fill(bool on) {
    const std::lock_guard lock(mutex_);
    fill_ = on;
  }

  /// For the capture of a graph: until end_private_pool, memory comes from a pool that nobody else gets anything from.
  /// Whoever captures calls both; Graph::capture does not. While the pool is open, what all threads allocate here comes
  /// from it.
  /// @return the pool's number, for release_private_pool when the graph is gone
  int begin_private_pool();
  void end_private_pool();
  void release_private_pool(int number);

  MemoryStatistics memory_stats() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }
  /// All blocks by address.
  std::vector<BlockInfo> memory_snapshot() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Block = detail::Block;
  using Pool = detail::Pool;

  Block& find_allocated(void* pointer, const char* op);
  Pool& pool_for(std::size_t size);
  bool is_private(const Pool& pool) const { return &pool != &small_ && &pool != &large_; }
  Block* take_from_cuda(std::size_t size, cudaStream_t stream, Pool& pool, Lock& lock);
  Block* try_cuda_malloc(std::size_t bytes, cudaStream_t stream, Pool& pool, Lock& lock);
  void split(Block& block, std::size_t size);
  void put_back(Block& freed, Lock& lock);
  void join(Block& left, Block& right);
  void enter_pool(Block& block);
  void leave_pool(Block& block);
  void record_events(Block& block);
  void record_deferred();
  void poll_events(bool wait, Lock& lock);
  void collect_garbage(Lock& lock);
  bool release_one(std::size_t at_least, Lock& lock);
  void release_free(Lock& lock);
  void release(std::vector<Block*> segments, Lock& lock);
  [[noreturn]] void fail_out_of_memory(std::size_t bytes);
  template <class F>
  void for_each_pool(F f) {
    f(small_);
    f(large_);
    for (auto& [number, pools] : private_) f(pools->small), f(pools->large);
  }

  struct Pending {
    Event event;
    Block* block;
  };

  static constexpr std::size_t no_limit = ~std::size_t(0);

  mutable std::mutex mutex_;
  int device_;
  std::map<char*, Block> blocks_;  // by address
  Pool small_{true}, large_{false};
  std::map<int, std::unique_ptr<detail::PrivatePools>> private_;
  detail::PrivatePools* capturing_ = nullptr;
  int next_private_ = 0;
  std::map<std::pair<int, cudaStream_t>, std::deque<Pending>> pending_;  // by device and stream
  std::vector<Block*> deferred_;  // freed, but a stream was captured: an event recorded then could not be asked
  MemoryStatistics statistics_;
  std::size_t max_split_ = no_limit, limit_ = no_limit, garbage_threshold_ = no_limit;
  bool fill_ = false;
};

}  // namespace tt::gpu

#include <tt/cuda/allocator_inl.hpp>
