// A stack of its own for a thread of a kernel that has to wait.
#pragma once
#include <cstddef>

namespace tt::sim {

class Fiber {
 public:
  Fiber();  // its memory stays for the life of the program: executors keep their fibers
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next resume() calls `entry` on the empty stack.
  void start(void (*entry)());
  /// Scheduler: runs the fiber until it suspends itself or its entry returns.
  void resume();
  /// Fiber: back to the scheduler; returns at the next resume().
  void suspend();
  /// Scheduler: the entry has returned, and ThreadSanitizer may forget the fiber.
  void finish();

 private:
  static void run();
  void leave(bool last);

  char* memory_;
  void (*entry_)() = nullptr;
  void* stack_pointer_ = nullptr;
  void* tsan_ = nullptr;
  void* fake_stack_ = nullptr;
};

}  // namespace tt::sim
