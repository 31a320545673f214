// Hands out shared memory from one range of addresses.
#include "shared_memory.hpp"

#include "executor.hpp"
#include "sanitizers.hpp"

#include <sys/mman.h>

namespace tt::sim {
namespace {

constexpr std::size_t arena_bytes = std::size_t(4) << 30;  // addresses; pages come as they are touched
constexpr std::size_t gap = 64;
constexpr std::size_t page = 4096;
constexpr std::size_t block_bytes = max_shared_bytes + page;  // the page holds the tokens

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

bool SharedMemory::begin_block(std::size_t dynamic_bytes) {
  if (!arena_) {
    constexpr int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* memory = mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, how, -1, 0);
    if (memory == MAP_FAILED) return false;
    arena_ = static_cast<char*>(memory);
  }
  if (!under_tsan()) next_ = 0;  // with it each block has memory of its own, or blocks would look as if they raced
  if (next_ + block_bytes > arena_bytes) return false;
  begin_ = arena_ + next_;
  next_ += round_up(block_bytes, page);
  used_ = dynamic_bytes;
  count_ = 0;
  poison(begin_, max_shared_bytes);
  unpoison(begin_, dynamic_bytes);
  fill_with_nan(begin_, dynamic_bytes);
  return true;
}

void* SharedMemory::array(const void* key, std::size_t bytes, std::size_t align) {
  for (int i = 0; i < count_; ++i) {
    if (arrays_[i].key == key) return arrays_[i].at;
  }
  const std::size_t offset = round_up(used_ + gap, align);
  if (offset + bytes > max_shared_bytes || count_ == max_arrays) return nullptr;
  used_ = offset + bytes;
  char* at = begin_ + offset;
  unpoison(at, bytes);
  fill_with_nan(at, bytes);
  arrays_[count_++] = {key, at};
  return at;
}

void* SharedMemory::token(int index) const { return begin_ + max_shared_bytes + 8 * index; }

}  // namespace tt::sim
