// The members of CachingAllocator.
#pragma once
#include <tt/cuda/allocator.hpp>

namespace tt::gpu {

inline void* CachingAllocator::allocate(std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return nullptr;
  if (bytes > no_limit / 2) {  // rounding would overflow
    Lock lock(mutex_);
    ++statistics_.out_of_memory;
    fail_out_of_memory(bytes);
  }
  const DeviceGuard guard(device_);
  Lock lock(mutex_);
  if (!capturing_) poll_events(false, lock);
  const std::size_t size = detail::block_size(bytes);
  Pool& pool = pool_for(size);
  Block* block = pool.find(size, stream, max_split_);
  if (block) leave_pool(*block);
  else block = take_from_cuda(size, stream, pool, lock);
  if (!block) fail_out_of_memory(bytes);
  if (pool.splits(block->size, size, max_split_)) split(*block, size);
  block->allocated = true;
  block->requested = bytes;
  statistics_.allocated.add(std::int64_t(block->size));
  statistics_.active.add(std::int64_t(block->size));
  if (fill_ && !capturing_) check(cudaMemsetAsync(block->pointer, 0xff, block->size, stream), "allocate");
  return block->pointer;
}

inline void CachingAllocator::free(void* pointer) {
  if (!pointer) return;
  const DeviceGuard guard(device_);
  Lock lock(mutex_);
  Block& block = find_allocated(pointer, "free");
  deferred_.reserve(deferred_.size() + 1);
  record_events(block);  // where it throws, the block is allocated as before
  block.allocated = false;
  statistics_.allocated.add(-std::int64_t(block.size));
  if (!block.used_on.empty()) deferred_.push_back(&block);
  else if (block.pending_events == 0) put_back(block, lock);
}

inline void CachingAllocator::record_stream(void* pointer, const StreamRef& stream) {
  if (!pointer) return;
  const std::lock_guard lock(mutex_);
  Block& block = find_allocated(pointer, "record_stream");
  auto& streams = block.used_on;
  const bool is_own = stream == StreamRef(device_, block.stream);
  if (!is_own && std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

inline void CachingAllocator::empty_cache() {
  const DeviceGuard guard(device_);
  Lock lock(mutex_);
  if (!capturing_) poll_events(true, lock);
  release_free(lock);
}

inline int CachingAllocator::begin_private_pool() {
  const std::lock_guard lock(mutex_);
  if (capturing_) fail("begin_private_pool: another pool is open; end_private_pool comes first");
  const int number = next_private_++;
  capturing_ = (private_[number] = std::make_unique<detail::PrivatePools>()).get();
  return number;
}

inline void CachingAllocator::end_private_pool() {
  const DeviceGuard guard(device_);
  Lock lock(mutex_);
  if (!capturing_) fail("end_private_pool: no pool is open; begin_private_pool comes first");
  capturing_ = nullptr;
  record_deferred();
}

inline void CachingAllocator::release_private_pool(int number) {
  const DeviceGuard guard(device_);
  Lock lock(mutex_);
  const auto found = private_.find(number);
  if (found == private_.end() || found->second->small.released) {
    fail({"release_private_pool: there is no pool ", number});
  }
  std::vector<Block*> whole;
  for (Pool* pool : {&found->second->small, &found->second->large}) {
    pool->released = true;
    pool->list_segments(whole);
  }
  release(std::move(whole), lock);
}

inline std::vector<BlockInfo> CachingAllocator::memory_snapshot() const {
  using State = BlockInfo::State;
  const std::lock_guard lock(mutex_);
  std::vector<BlockInfo> infos;
  for (const auto& [pointer, block] : blocks_) {
    const State state = block.allocated ? State::allocated : block.in_pool ? State::free : State::awaiting_streams;
    infos.push_back(
        {pointer, block.size, block.requested, block.stream, state, !block.previous, is_private(*block.pool)});
  }
  return infos;
}

inline CachingAllocator::Block& CachingAllocator::find_allocated(void* pointer, const char* op) {
  const auto found = blocks_.find(static_cast<char*>(pointer));
  if (found == blocks_.end()) fail({op, ": the pointer was not allocated here"});
  if (!found->second.allocated) fail({op, ": the memory was freed before"});
  return found->second;
}

inline CachingAllocator::Pool& CachingAllocator::pool_for(std::size_t size) {
  const bool is_small = size <= detail::largest_small;
  if (capturing_) return is_small ? capturing_->small : capturing_->large;
  return is_small ? small_ : large_;
}

/// Events, unsplit segments of others: all that may be given back is, before the request fails.
inline CachingAllocator::Block* CachingAllocator::take_from_cuda(std::size_t size, cudaStream_t stream, Pool& pool,
                                                                 Lock& lock) {
  const std::size_t bytes = detail::segment_size(size);
  if (!capturing_) collect_garbage(lock);
  if (Block* block = try_cuda_malloc(bytes, stream, pool, lock)) return block;
  ++statistics_.retries;
  if (release_one(bytes, lock)) {
    if (Block* block = try_cuda_malloc(bytes, stream, pool, lock)) return block;
  }
  if (!capturing_) poll_events(true, lock);
  if (Block* block = pool.find(size, stream, max_split_)) return leave_pool(*block), block;
  release_free(lock);
  if (Block* block = try_cuda_malloc(bytes, stream, pool, lock)) return block;
  ++statistics_.out_of_memory;
  return nullptr;
}

inline CachingAllocator::Block* CachingAllocator::try_cuda_malloc(std::size_t bytes, cudaStream_t stream, Pool& pool,
                                                                  Lock& lock) {
  if (bytes > limit_ || std::size_t(statistics_.reserved.current) > limit_ - bytes) return nullptr;
  statistics_.reserved.add(std::int64_t(bytes));  // before the lock is given up, so that the limit holds
  void* memory = nullptr;
  lock.unlock();
  cudaError_t code;
  {
    const detail::RelaxedCapture relaxed;
    code = cudaMalloc(&memory, bytes);
  }
  lock.lock();
  if (code == cudaSuccess) {
    statistics_.segments.add(1);
    char* begin = static_cast<char*>(memory);
    return &blocks_.emplace(begin, Block{begin, bytes, 0, stream, &pool}).first->second;
  }
  statistics_.reserved.add(-std::int64_t(bytes));
  if (code != cudaErrorMemoryAllocation) check(code, "allocate");
  (void)cudaGetLastError();
  return nullptr;
}

inline void CachingAllocator::split(Block& block, std::size_t size) {
  char* at = block.pointer + size;
  Block& rest = blocks_.emplace(at, Block{at, block.size - size, 0, block.stream, block.pool}).first->second;
  rest.previous = &block;
  rest.next = block.next;
  if (rest.next) rest.next->previous = &rest;
  block.next = &rest;
  block.size = size;
  enter_pool(rest);
}

/// Joins a block that nobody uses with its free neighbours, and offers it again.
inline void CachingAllocator::put_back(Block& freed, Lock& lock) {
  statistics_.active.add(-std::int64_t(freed.size));
  if (fill_ && !capturing_) check(cudaMemsetAsync(freed.pointer, 0xff, freed.size, freed.stream), "free");
  Block* block = &freed;
  if (Block* next = block->next; next && next->in_pool) {
    leave_pool(*next);
    join(*block, *next);
  }
  if (Block* previous = block->previous; previous && previous->in_pool) {
    leave_pool(*previous);
    join(*previous, *block);
    block = previous;
  }
  block->requested = 0;
  enter_pool(*block);
  if (block->pool->released && block->is_whole_segment()) release({block}, lock);
}

inline void CachingAllocator::join(Block& left, Block& right) {
  left.size += right.size;
  left.next = right.next;
  if (left.next) left.next->previous = &left;
  blocks_.erase(right.pointer);
}

inline void CachingAllocator::enter_pool(Block& block) {
  if (!block.is_whole_segment()) statistics_.inactive_split.add(std::int64_t(block.size));
  block.pool->insert(block);
}
inline void CachingAllocator::leave_pool(Block& block) {
  if (!block.is_whole_segment()) statistics_.inactive_split.add(-std::int64_t(block.size));
  block.pool->erase(block);
}

/// Marks the end of what the streams that use the block were given. Those that are captured stay in used_on.
inline void CachingAllocator::record_events(Block& block) {
  std::vector<std::pair<StreamRef, Event>> events;
  std::vector<StreamRef> captured;
  for (const StreamRef& stream : block.used_on) {
    if (detail::takes_events(stream)) events.emplace_back(stream, stream.record_event());
    else captured.push_back(stream);
  }
  for (auto& [stream, event] : events) {
    pending_[{stream.device(), stream.native()}].push_back({std::move(event), &block});
    ++block.pending_events;
  }
  block.used_on = std::move(captured);
}

inline void CachingAllocator::record_deferred() {
  for (std::size_t i = deferred_.size(); i-- > 0;) {
    record_events(*deferred_[i]);
    if (deferred_[i]->used_on.empty()) deferred_.erase(deferred_.begin() + std::ptrdiff_t(i));
  }
}

/// Puts back blocks whose streams are done with them, stream by stream in the order they were given back. One by
/// one, so that a call of CUDA that fails loses none; other threads may change pending_ where put_back unlocks.
inline void CachingAllocator::poll_events(bool wait, Lock& lock) {
  const detail::RelaxedCapture relaxed;
  record_deferred();
  for (auto& [stream, queue] : pending_) {
    while (!queue.empty()) {
      if (wait) queue.front().event.synchronize();
      else if (!queue.front().event.query()) break;
      Block* block = queue.front().block;
      queue.pop_front();
      if (--block->pending_events == 0 && block->used_on.empty()) put_back(*block, lock);
    }
  }
}

inline void CachingAllocator::collect_garbage(Lock& lock) {
  if (std::size_t(statistics_.reserved.current) <= garbage_threshold_) return;
  std::uint64_t ages = 0;
  std::vector<Block*> whole;
  large_.list_segments(whole);
  for (const Block* block : whole) ages += large_.clock - block->freed_at;
  std::erase_if(whole, [&](const Block* block) { return (large_.clock - block->freed_at) * whole.size() < ages; });
  release(std::move(whole), lock);
}

/// The smallest segment that is free and large enough.
inline bool CachingAllocator::release_one(std::size_t at_least, Lock& lock) {
  Block* best = nullptr;
  for (Block* block : large_.free) {
    if (block->is_whole_segment() && block->size >= at_least && (!best || block->size < best->size)) best = block;
  }
  if (best) release({best}, lock);
  return best;
}

inline void CachingAllocator::release_free(Lock& lock) {
  std::vector<Block*> whole;
  for_each_pool([&](const Pool& pool) {
    if (is_private(pool) && !pool.released) return;  // the graph will write there at its next replay
    pool.list_segments(whole);
  });
  release(std::move(whole), lock);
}

/// Gives free segments back to CUDA. They leave the books before the lock is given up.
inline void CachingAllocator::release(std::vector<Block*> segments, Lock& lock) {
  if (segments.empty()) return;
  std::vector<std::pair<char*, std::size_t>> memory;
  for (Block* block : segments) {
    memory.emplace_back(block->pointer, block->size);
    block->pool->erase(*block);
    statistics_.segments.add(-1);
    blocks_.erase(block->pointer);
  }
  lock.unlock();
  {
    const detail::RelaxedCapture relaxed;
    for (const auto& [pointer, size] : memory) check(cudaFree(pointer), "CachingAllocator");
  }
  lock.lock();
  for (const auto& [pointer, size] : memory) statistics_.reserved.add(-std::int64_t(size));
}

inline void CachingAllocator::fail_out_of_memory(std::size_t bytes) {
  std::size_t free_bytes = 0, largest = 0;
  for (const auto& [pointer, block] : blocks_) {
    if (!block.in_pool) continue;
    free_bytes += block.size;
    largest = (std::max)(largest, block.size);
  }
  const MemoryStatistics& now = statistics_;
  tt::detail::Sentence text;
  tt::detail::join(text, {"allocate: out of memory on device ", device_, ": ", bytes, " bytes are wanted; of ",
                          now.reserved.current, " taken from CUDA in ", now.segments.current, " segments ",
                          now.allocated.current, " are in use, ", now.active.current - now.allocated.current,
                          " wait for streams and ", free_bytes, " are free, the largest piece ", largest});
  throw OutOfMemoryError(text.text, cudaErrorMemoryAllocation);
}

}  // namespace tt::gpu
