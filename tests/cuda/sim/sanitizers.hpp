// The doors of AddressSanitizer and ThreadSanitizer; null where the program was built without. The executor and the run
// time are always built without: switches of stacks in instrumented code underflow ThreadSanitizer's own stack.
#pragma once
#include <cstddef>

#define TT_SIM_WEAK __attribute__((weak))
extern "C" {
TT_SIM_WEAK void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
TT_SIM_WEAK void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
TT_SIM_WEAK void __asan_poison_memory_region(const volatile void* begin, std::size_t size);
TT_SIM_WEAK void __asan_unpoison_memory_region(const volatile void* begin, std::size_t size);
TT_SIM_WEAK void* __tsan_create_fiber(unsigned flags);
TT_SIM_WEAK void __tsan_destroy_fiber(void* fiber);
TT_SIM_WEAK void* __tsan_get_current_fiber();
TT_SIM_WEAK void __tsan_switch_to_fiber(void* fiber, unsigned flags);
TT_SIM_WEAK void __tsan_acquire(void* address);
TT_SIM_WEAK void __tsan_release(void* address);
}
#undef TT_SIM_WEAK

namespace tt::sim {

inline bool under_asan() { return __asan_poison_memory_region; }
inline bool under_tsan() { return __tsan_create_fiber; }

inline void poison(const void* begin, std::size_t size) {
  if (under_asan()) __asan_poison_memory_region(begin, size);
}
inline void unpoison(const void* begin, std::size_t size) {
  if (under_asan()) __asan_unpoison_memory_region(begin, size);
}
/// What comes before a release of an address is seen by what comes after an acquire of it.
inline void acquire(void* address) {
  if (under_tsan()) __tsan_acquire(address);
}
inline void release(void* address) {
  if (under_tsan()) __tsan_release(address);
}

/// Sets bytes to 0xff: NaN in every float type. Not memset, which sanitizers intercept and take for the kernel's own.
inline void fill_with_nan(void* begin, std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(begin);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = 0xff;
    asm volatile("" ::: "memory");
  }
}

}  // namespace tt::sim
