// What a kernel names, for a host compiler: the text that nvcc compiles for a device runs here on tests/cuda/sim's
// executor. Included by <tt/cuda/config.hpp> where TT_CUDA_SIM is defined.
#pragma once
#include <tt/core/place.hpp>

#include <cuda_runtime.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#define __launch_bounds__(...)

// One array of the block, keyed by the type of a lambda: one for each declaration in each instance of a template.
#define TT_SHARED(type, name, count)                                                                \
  type(&name)[count] = *static_cast<type(*)[count]>(                                                \
      ::tt::sim::shared_array([] {}, sizeof(type[count]), alignof(type)))
#define TT_DYN_SHARED(type, name) type* name = static_cast<type*>(::tt::sim::shared_dynamic())

inline uint3 threadIdx{}, blockIdx{};
inline dim3 blockDim{}, gridDim{};

namespace tt::sim {

/// Waits for all threads of the block; how many of them hand in `predicate`.
int block_barrier(bool predicate, place where);
/// Waits for the lanes of the mask, and orders their memory.
void warp_barrier(unsigned mask, place where);
/// Each lane of the mask offers bits and names a source; returns what the source offered. Orders no memory.
std::uint64_t warp_exchange(unsigned mask, std::uint64_t bits, int source, place where);
/// Bit i: lane i is in the mask and handed in true. Orders no memory.
unsigned warp_vote(unsigned mask, bool predicate, place where);
/// Another thread may run first. Whether a fence stands before: then the atomic operation that follows orders memory.
bool before_atomic();
void fence();

void* shared_array_of(const void* key, std::size_t bytes, std::size_t align);
void* shared_dynamic();
template <class Key>
void* shared_array(Key, std::size_t bytes, std::size_t align) {
  static char key;
  return shared_array_of(&key, bytes, align);
}

/// How to call a kernel that is known by its address only.
struct KernelInfo {
  void (*call)(const void* kernel, void** arguments);
  int parameters;
  const std::size_t* sizes;
};
void describe_kernel(const void* kernel, const KernelInfo& info);
template <class... P>
void describe(void (*kernel)(P...)) {
  static constexpr std::size_t sizes[] = {sizeof(P)..., 0};
  const auto call = [](const void* function, void** arguments) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      reinterpret_cast<void (*)(P...)>(const_cast<void*>(function))(*static_cast<P*>(arguments[Index])...);
    }(std::index_sequence_for<P...>{});
  };
  describe_kernel(reinterpret_cast<const void*>(kernel), KernelInfo{call, int(sizeof...(P)), sizes});
}

inline int lane() {
  return int((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

template <class T>
T exchange(unsigned mask, T value, int source, place where) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = warp_exchange(mask, bits, source, where);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// *p = change(*p) as one step; returns what was there. Relaxed, unless a fence stands before it.
template <class T, class F>
T atomic_update(T* p, F change) {
  const bool ordered = before_atomic();
  T old, next;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do {
    next = change(old);
  } while (!(ordered ? __atomic_compare_exchange(p, &old, &next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
                     : __atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)));
  return old;
}

}  // namespace tt::sim

inline void __syncthreads(tt::place where = tt::place::current()) { tt::sim::block_barrier(false, where); }
inline int __syncthreads_count(int predicate, tt::place where = tt::place::current()) {
  return tt::sim::block_barrier(predicate != 0, where);
}
inline int __syncthreads_and(int predicate, tt::place where = tt::place::current()) {
  return tt::sim::block_barrier(predicate == 0, where) == 0;
}
inline int __syncthreads_or(int predicate, tt::place where = tt::place::current()) {
  return tt::sim::block_barrier(predicate != 0, where) != 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, tt::place where = tt::place::current()) {
  tt::sim::warp_barrier(mask, where);
}

// https://docs.nvidia.com/cuda/cuda-c-programming-guide (warp shuffle functions): a source outside the group of `width`
// lanes gives the caller's own value, except that xor may read earlier groups.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, tt::place where = tt::place::current()) {
  const int lane = tt::sim::lane();
  return tt::sim::exchange(mask, value, (lane & ~(width - 1)) | (source & (width - 1)), where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, tt::place where = tt::place::current()) {
  const int lane = tt::sim::lane(), source = lane ^ bits;
  return tt::sim::exchange(mask, value, (source & ~(width - 1)) > lane ? lane : source, where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, tt::place where = tt::place::current()) {
  const int lane = tt::sim::lane(), source = lane + int(delta);
  return tt::sim::exchange(mask, value, source < (lane & ~(width - 1)) + width ? source : lane, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, tt::place where = tt::place::current()) {
  const int lane = tt::sim::lane(), source = lane - int(delta);
  return tt::sim::exchange(mask, value, source >= (lane & ~(width - 1)) ? source : lane, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, tt::place where = tt::place::current()) {
  return tt::sim::warp_vote(mask, predicate != 0, where);
}
inline int __any_sync(unsigned mask, int predicate, tt::place where = tt::place::current()) {
  return tt::sim::warp_vote(mask, predicate != 0, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate, tt::place where = tt::place::current()) {
  return tt::sim::warp_vote(mask, predicate != 0, where) == mask;
}

template <class T>
T atomicAdd(T* p, std::type_identity_t<T> value) {
  return tt::sim::atomic_update(p, [=](T old) { return T(old + value); });
}
template <class T>
T atomicMax(T* p, std::type_identity_t<T> value) {
  return tt::sim::atomic_update(p, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicMin(T* p, std::type_identity_t<T> value) {
  return tt::sim::atomic_update(p, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicExch(T* p, std::type_identity_t<T> value) {
  return tt::sim::atomic_update(p, [=](T) { return value; });
}
template <std::integral T>
T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return tt::sim::atomic_update(p, [=](T old) { return old == expected ? value : old; });
}
inline void __threadfence() { tt::sim::fence(); }

template <class T>
T __ldg(const T* p) {
  return *p;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
