// What is built from many passes over an array on the device: a stable sort, sums of what stands before, where runs
// begin. CUB does it on a device; the tests' executor runs one thread in its place, in the order of the stream as well.
// CUB takes long to compile: only files that sort include this.
// https://nvidia.github.io/cccl/cub
#pragma once
#include <tt/cuda/launch.hpp>

#include <cstddef>
#include <cstdint>

#if TT_CUDA_KERNELS && !defined(TT_CUDA_SIM)
// g++ 12 takes an object of CUB's scan for unset.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#pragma GCC diagnostic pop
#endif

namespace tt::gpu {

namespace detail {
#if TT_CUDA_KERNELS

/// Whether a run of equal keys begins at i.
template <class Key>
struct BeginsRun {
  const Key* keys;

  template <class Index>
  TT_HD bool operator()(Index i) const {
    return i == 0 || keys[i] != keys[i - 1];
  }
};

#ifdef TT_CUDA_SIM

/// By merging pairs of sorted pieces, which allocates nothing: a kernel's thread may not.
template <class Key, class Value>
__global__ void sort_alone(const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values,
                           Key* other_keys, Value* other_values, index_t n, Key mask) {
  for (index_t i = 0; i < n; ++i) sorted_keys[i] = keys[i], sorted_values[i] = values[i];
  for (index_t width = 1; width < n; width *= 2) {
    for (index_t begin = 0; begin < n; begin += 2 * width) {
      const index_t middle = (std::min)(begin + width, n), end = (std::min)(begin + 2 * width, n);
      index_t left = begin, right = middle;
      for (index_t i = begin; i < end; ++i) {
        const bool takes_left =
            left < middle && (right == end || (sorted_keys[left] & mask) <= (sorted_keys[right] & mask));
        const index_t from = takes_left ? left++ : right++;
        other_keys[i] = sorted_keys[from], other_values[i] = sorted_values[from];
      }
    }
    for (index_t i = 0; i < n; ++i) sorted_keys[i] = other_keys[i], sorted_values[i] = other_values[i];
  }
}
template <class Number>
__global__ void scan_alone(const Number* from, Number* to, index_t n) {
  Number sum = 0;
  for (index_t i = 0; i < n; ++i) {
    const Number own = from[i];
    to[i] = sum;
    sum = Number(sum + own);
  }
}
template <class Index, class Key>
__global__ void select_alone(BeginsRun<Key> begins, Index* starts, Index* runs, index_t n) {
  Index found = 0;
  for (index_t i = 0; i < n; ++i)
    if (begins(i)) starts[found++] = Index(i);
  *runs = found;
}

#else

/// f(memory, bytes) asks for its workspace where `memory` is null, and works where it is not.
template <class Function, class Workspace>
void run_cub(const char* op, Workspace&& workspace, Function&& f) {
  std::size_t bytes = 0;
  check(f(nullptr, bytes), op);
  check(f(workspace((std::max)(bytes, std::size_t(1))), bytes), op);
}

#endif
#endif
}  // namespace detail

#if TT_CUDA_KERNELS

// Each queues its work. `workspace(bytes)` gives device memory that lives until the work is done, and is aligned as
// cudaMalloc's. Arrays do not overlap.

/// Sorts `n` pairs by the lowest `bits` of their keys, which are unsigned. Pairs of equal keys keep their order.
/// @throws CudaError if CUDA refuses it
template <class Key, class Value, class Workspace>
void sort_pairs(const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values, index_t n, int bits,
                Workspace&& workspace, const StreamRef& stream) {
  static_assert(std::is_unsigned_v<Key>);
  if (n == 0) return;
  const DeviceGuard guard(stream.device());
#ifdef TT_CUDA_SIM
  auto* const other_keys = static_cast<Key*>(workspace(std::size_t(n) * sizeof(Key)));
  auto* const other_values = static_cast<Value*>(workspace(std::size_t(n) * sizeof(Value)));
  const Key mask = bits >= int(8 * sizeof(Key)) ? Key(~Key(0)) : Key((Key(1) << bits) - 1);
  launch(detail::sort_alone<Key, Value>, 1, 1, 0, stream, keys, sorted_keys, values, sorted_values, other_keys,
         other_values, n, mask);
#else
  detail::run_cub("sort_pairs", workspace, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sorted_keys, values, sorted_values, n, 0, bits, stream);
  });
#endif
}

/// to[i] = the sum of from[j] for j < i.
/// @throws CudaError if CUDA refuses it
template <class Number, class Workspace>
void exclusive_scan(const Number* from, Number* to, index_t n, [[maybe_unused]] Workspace&& workspace,
                    const StreamRef& stream) {
  static_assert(std::is_integral_v<Number>);
  if (n == 0) return;
  const DeviceGuard guard(stream.device());
#ifdef TT_CUDA_SIM
  launch(detail::scan_alone<Number>, 1, 1, 0, stream, from, to, n);
#else
  detail::run_cub("exclusive_scan", workspace, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, from, to, n, stream);
  });
#endif
}

/// starts[r] = where run r of equal keys begins; *runs = how many there are. `starts` has room for n.
/// @throws CudaError if CUDA refuses it
template <class Index, class Key, class Workspace>
void run_starts(const Key* keys, Index* starts, Index* runs, index_t n, [[maybe_unused]] Workspace&& workspace,
                const StreamRef& stream) {
  const DeviceGuard guard(stream.device());
  const detail::BeginsRun<Key> begins{keys};
#ifdef TT_CUDA_SIM
  launch(detail::select_alone<Index, Key>, 1, 1, 0, stream, begins, starts, runs, n);
#else
  detail::run_cub("run_starts", workspace, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<Index>(0), starts, runs, n, begins, stream);
  });
#endif
}

#endif

}  // namespace tt::gpu
