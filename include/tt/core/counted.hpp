// Intrusive reference counts. Everything shared below the typed face is one counted block: storage, tensor, tape node.
#pragma once
#include <tt/core/config.hpp>

#include <atomic>
#include <utility>
#if defined(__GLIBC__)
#include <sys/single_threaded.h>
#endif

namespace tt::detail {

/// Counts are plain arithmetic until the process has a second thread: the test that libstdc++'s shared_ptr makes.
inline bool single_threaded() {
#if defined(__GLIBC__)
  return __libc_single_threaded;
#else
  return false;
#endif
}

class Count {
 public:
  void up() {
    if (single_threaded())
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      count_.fetch_add(1, std::memory_order_relaxed);
  }
  /// True if that was the last.
  bool down() {
    if (!single_threaded()) return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const int left = count_.load(std::memory_order_relaxed) - 1;
    count_.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  int value() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> count_{1};
};

/// Gives one count back. Out of line: handles end in many places, each of which would hold both ways of counting.
template <class Pointee>
TT_NOINLINE void release(Pointee* p) {
  if (p->refs.down()) destroy(p);
}

/// A counted pointer. `destroy(Pointee*)`, found by argument-dependent lookup, ends the pointee.
template <class Pointee>
class Ref {
 public:
  Ref() = default;
  /// Takes over one count.
  explicit Ref(Pointee* p) : p_(p) {}
  Ref(const Ref& other) : p_(other.p_) {
    if (p_) p_->refs.up();
  }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() {
    if (p_) release(p_);
  }
  /// One more owner of what somebody else owns already.
  static Ref share(Pointee* p) {
    if (p) p->refs.up();
    return Ref(p);
  }
  Pointee* get() const { return p_; }
  Pointee* operator->() const { return p_; }
  Pointee& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& other) const { return p_ == other.p_; }

 private:
  Pointee* p_ = nullptr;
};

}  // namespace tt::detail
