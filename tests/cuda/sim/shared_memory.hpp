// The shared memory of the block that runs: NaN until it is written, with unreadable gaps between its arrays.
#pragma once
#include <cstddef>

namespace tt::sim {

class SharedMemory {
 public:
  /// Fresh memory with `dynamic_bytes` at its begin. False if no address is left.
  bool begin_block(std::size_t dynamic_bytes);
  void* dynamic() const { return begin_; }
  /// The array of this key, made at its first use. Null if it does not fit.
  void* array(const void* key, std::size_t bytes, std::size_t align);

  /// An address for ThreadSanitizer that no other block has: tokens 0 .. 32. With one for all blocks, they would look
  /// ordered, and a race between them would go unseen.
  void* token(int index) const;

 private:
  // A fixed number: a kernel's thread may not allocate, or ThreadSanitizer sees a race within malloc.
  static constexpr int max_arrays = 64;
  struct Array {
    const void* key;
    void* at;
  };
  char* arena_ = nullptr;
  std::size_t next_ = 0;
  char* begin_ = nullptr;
  std::size_t used_ = 0;
  Array arrays_[max_arrays];
  int count_ = 0;
};

}  // namespace tt::sim
