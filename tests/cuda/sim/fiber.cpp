// Switches stacks, and tells the sanitizers of each switch.
#include "fiber.hpp"

#include "sanitizers.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#ifndef __x86_64__
#error "tests/cuda/sim: the switch of stacks is written for x86-64"
#endif

/// Saves the registers that a call keeps, exchanges stack pointers, and takes the registers of the other stack.
extern "C" void tt_sim_switch(void** save, void* load);
asm(R"(
.text
.globl tt_sim_switch
.type tt_sim_switch, @function
tt_sim_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size tt_sim_switch, .-tt_sim_switch
)");

namespace tt::sim {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;
constexpr int kept_registers = 6;
constexpr unsigned no_ordering = 1;  // the switch itself orders nothing, or ThreadSanitizer would see no race at all

struct Scheduler {
  void* stack_pointer;
  void* tsan;
  void* fake_stack;
  const void* bottom;
  std::size_t size;
} scheduler;
Fiber* running = nullptr;

}  // namespace

Fiber::Fiber() {
  void* memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("tt-sim: mmap of a stack");
    std::_Exit(1);
  }
  memory_ = static_cast<char*>(memory);
}

void Fiber::start(void (*entry)()) {
  entry_ = entry;
  fake_stack_ = nullptr;
  void** top = reinterpret_cast<void**>(memory_ + stack_bytes) - 2;  // run() finds the alignment that a call leaves
  *top = reinterpret_cast<void*>(&Fiber::run);
  for (int i = 0; i < kept_registers; ++i) *--top = nullptr;
  stack_pointer_ = top;
  if (under_tsan()) tsan_ = __tsan_create_fiber(0);
}

void Fiber::run() {
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(nullptr, &scheduler.bottom, &scheduler.size);
  running->entry_();
  running->leave(true);
}

void Fiber::resume() {
  running = this;
  if (__sanitizer_start_switch_fiber) __sanitizer_start_switch_fiber(&scheduler.fake_stack, memory_, stack_bytes);
  if (under_tsan()) {
    scheduler.tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_, no_ordering);
  }
  tt_sim_switch(&scheduler.stack_pointer, stack_pointer_);
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(scheduler.fake_stack, nullptr, nullptr);
}

void Fiber::leave(bool last) {
  if (__sanitizer_start_switch_fiber) {
    __sanitizer_start_switch_fiber(last ? nullptr : &fake_stack_, scheduler.bottom, scheduler.size);
  }
  if (under_tsan()) __tsan_switch_to_fiber(scheduler.tsan, no_ordering);
  tt_sim_switch(&stack_pointer_, scheduler.stack_pointer);
}

void Fiber::suspend() {
  leave(false);
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
}

void Fiber::finish() {
  if (under_tsan()) __tsan_destroy_fiber(tsan_);
}

}  // namespace tt::sim
