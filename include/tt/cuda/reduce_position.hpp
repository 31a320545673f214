// argmax and argmin on a device: a reduction whose states are places.
#pragma once
#include <tt/cuda/reduce.hpp>

namespace tt::gpu {

namespace detail {
/// What elements are compared as; each of them is one of these numbers.
template <class Stored>
using compared = std::conditional_t<std::is_same_v<Stored, std::uint64_t>, std::uint64_t, compute_t<Stored>>;
}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues on the current stream: each of the out_count std::int64_t of r.out, row-major, is the position, counted in
/// row-major order along the reduced axes, of the first element of r.leaf[0] that no other is better than. The leaf is
/// of the dtype of Stored, which is not complex, and of any layout. The rest as in reduce.
/// @pre the reduced axes hold an element, or there is no result
/// @throws CudaError if CUDA refuses a launch
template <class Op, class Stored, class Workspace>
void reduce_position(const Region& r, index_t out_count, Workspace&& workspace, const MapGrid& grid = {}) {
  const PlaceJoin<Op, detail::compared<Stored>> join;
  detail::reduce_by<prog::copy>(join, r, 0, out_count, workspace, grid);
}

#endif

}  // namespace tt::gpu
