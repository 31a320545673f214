// Positions in sorted order, so that all that goes to one place stands together, in the order it came in: what makes
// scatters and sums the same in every run.
#pragma once
#include <tt/cuda/index_view.hpp>
#include <tt/cuda/prim.hpp>

#include <bit>

namespace tt::gpu::detail {

#if TT_CUDA_KERNELS

/// Entries by place: those without one have `end`, and are last.
template <class Index>
struct SortedPlaces {
  const Index* place;
  const Index* member;  ///< which entry it was
  Index count, end;
};

template <class Index>
__global__ void __launch_bounds__(256) places_kernel(const index_t* position, Index* place, Index* member, Index count,
                                                     Index end) {
  const Index threads = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    const index_t at = position[i];
    place[i] = at >= 0 && at < index_t(end) ? Index(at) : end;
    member[i] = i;
  }
}

/// `count` of them in device memory that `workspace` gives.
template <class T, class Workspace>
T* device_memory(Workspace&& workspace, index_t count) {
  return static_cast<T*>(workspace(std::size_t(count) * sizeof(T)));
}

/// Sorts positions, of which those outside of [0, end) are none. @pre count > 0
template <class Index, class Workspace>
SortedPlaces<Index> sort_places(const index_t* position, index_t count, index_t end, Workspace&& workspace,
                                const StreamRef& stream) {
  auto* const place = device_memory<Index>(workspace, count);
  auto* const member = device_memory<Index>(workspace, count);
  auto* const sorted_place = device_memory<Index>(workspace, count);
  auto* const sorted_member = device_memory<Index>(workspace, count);
  const unsigned threads = index_threads(count);
  launch(places_kernel<Index>, blocks_for(count, threads), threads, 0, stream, position, place, member, Index(count),
         Index(end));
  sort_pairs(place, sorted_place, member, sorted_member, count, int(std::bit_width(std::uint64_t(end) | 1)), workspace,
             stream);
  return {sorted_place, sorted_member, Index(count), Index(end)};
}

/// f(Index{}) for the type that holds counts and places.
template <class Function>
void with_place_type(index_t count, index_t end, Function&& f) {
  constexpr index_t limit = index_t(1) << 31;
  if (count < limit && end < limit) f(std::uint32_t{});
  else f(std::uint64_t{});
}

#endif

}  // namespace tt::gpu::detail
