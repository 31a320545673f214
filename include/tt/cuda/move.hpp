// Moves on the device: elements from one strided layout into another, as core/move.hpp runs them on the CPU. Kernels
// are typed on the size of an element, not on its dtype.
#pragma once
#include <tt/core/move.hpp>
#include <tt/cuda/divide.hpp>
#include <tt/cuda/launch.hpp>

namespace tt::gpu::detail {

using tt::detail::Move;

/// The same move with its axes in the order of the destination's strides, and merged: neighbouring threads write
/// neighbouring elements.
TT_NOINLINE inline Move by_destination(const Move& m) {
  int order[max_rank];
  for (int i = 0; i < m.size.rank; ++i) order[i] = i;
  std::stable_sort(order, order + m.size.rank, [&](int a, int b) { return std::abs(m.to[a]) > std::abs(m.to[b]); });
  Move sorted;
  sorted.from_at = m.from_at, sorted.to_at = m.to_at;
  for (int i = 0; i < m.size.rank; ++i) sorted.push_back(m.size.extent[order[i]], m.from[order[i]], m.to[order[i]]);
  return tt::detail::merged(sorted);
}

#if TT_CUDA_KERNELS

template <class Word, class Index>
__global__ void __launch_bounds__(256) move_kernel(const Word* from, Word* to, Index count, Axes<Index, 2> axes) {
  const Index step = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    std::make_signed_t<Index> at[2];
    axes.locate(i, at);
    to[at[1]] = from[at[0]];
  }
}

inline constexpr int tile = 32, tile_pitch = tile + 1, tile_step = 8;  // the spare column keeps banks apart

/// Many transpositions of a matrix (rows, columns): rows are neighbours in `from`, columns in `to`.
struct Transposition {
  index_t rows, columns;
  index_t from_column, to_row;  ///< strides of what are no neighbours
  index_t row_tiles, column_tiles, tiles;
  Axes<std::uint64_t, 2> matrices;
};

/// By tiles of 32 x 32, turned in shared memory, so that reads and writes are both of neighbours. Blocks of 32 x 8
/// threads.
template <class Word>
__global__ void __launch_bounds__(256) transpose_kernel(const Word* from, Word* to, Transposition t) {
  TT_SHARED(Word, staged, tile * tile_pitch);
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  for (index_t i = blockIdx.x; i < t.tiles; i += gridDim.x) {
    const index_t first_row = i % t.row_tiles * tile, first_column = i / t.row_tiles % t.column_tiles * tile;
    std::int64_t at[2];
    t.matrices.locate(std::uint64_t(i / (t.row_tiles * t.column_tiles)), at);
    for (int k = y; k < tile; k += tile_step)
      if (first_row + x < t.rows && first_column + k < t.columns)
        staged[k * tile_pitch + x] = from[at[0] + first_row + x + (first_column + k) * t.from_column];
    __syncthreads();
    for (int k = y; k < tile; k += tile_step)
      if (first_row + k < t.rows && first_column + x < t.columns)
        to[at[1] + (first_row + k) * t.to_row + first_column + x] = staged[x * tile_pitch + k];
    __syncthreads();  // before the next tile takes its place
  }
}

template <class Index>
Axes<Index, 2> axes_of(const Move& m) {
  Axes<Index, 2> axes{};
  axes.rank = m.size.rank;
  for (int i = 0; i < m.size.rank; ++i) {
    using Offset = std::make_signed_t<Index>;
    axes.extent[i] = Divisor<Index>(m.size.extent[i]);
    axes.stride[i][0] = Offset(m.from[i]), axes.stride[i][1] = Offset(m.to[i]);
  }
  return axes;
}
template <class Word, class Index>
void move_strided(const Move& m, const Word* from, Word* to, const StreamRef& stream) {
  const index_t count = m.size.count();
  launch(move_kernel<Word, Index>, blocks_for(count, 256), 256, 0, stream, from, to, Index(count), axes_of<Index>(m));
}

/// A move whose destination has its last axis as neighbours, and its source `row_axis`.
inline Transposition transposition_of(const Move& m, int row_axis) {
  const int last = m.size.rank - 1;
  Transposition t{};
  t.rows = m.size.extent[row_axis], t.columns = m.size.extent[last];
  t.from_column = m.from[last], t.to_row = m.to[row_axis];
  t.row_tiles = (t.rows + tile - 1) / tile, t.column_tiles = (t.columns + tile - 1) / tile;
  t.tiles = t.row_tiles * t.column_tiles;
  for (int i = 0; i < last; ++i) {
    if (i == row_axis) continue;
    t.matrices.extent[t.matrices.rank] = Divisor<std::uint64_t>(m.size.extent[i]);
    t.matrices.stride[t.matrices.rank][0] = m.from[i], t.matrices.stride[t.matrices.rank][1] = m.to[i];
    t.tiles *= m.size.extent[i];
    ++t.matrices.rank;
  }
  return t;
}
template <class Word>
void move_transposed(const Transposition& t, const Word* from, Word* to, const StreamRef& stream) {
  launch(transpose_kernel<Word>, blocks_for(t.tiles, 1), dim3(tile, tile_step), 0, stream, from, to, t);
}

/// Queues a move of elements of `item` bytes (1, 2, 4, 8 or 16) between places of the stream's device.
/// @throws CudaError if CUDA refuses it
TT_NOINLINE inline void run_move(const Move& whole, const void* from, void* to, std::size_t item,
                                 const StreamRef& stream) {
  const Move m = by_destination(whole);
  if (m.size.count() == 0) return;
  const DeviceGuard guard(stream.device());
  const int last = m.size.rank - 1;
  tt::detail::visit_word(item, [&]<class Word>(Word) {
    const Word* source = static_cast<const Word*>(from) + m.from_at;
    Word* target = static_cast<Word*>(to) + m.to_at;
    if (last < 0 || (last == 0 && m.from[0] == 1 && m.to[0] == 1)) {
      const std::size_t bytes = std::size_t(m.size.count()) * sizeof(Word);
      return check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream), "run_move");
    }
    if (m.to[last] == 1 && m.from[last] != 1)
      for (int axis = 0; axis < last; ++axis)
        if (m.from[axis] == 1) return move_transposed(transposition_of(m, axis), source, target, stream);
    const index_t* strides[] = {m.from, m.to};
    if (fits_32_bits(m.size, strides, 2)) move_strided<Word, std::uint32_t>(m, source, target, stream);
    else move_strided<Word, std::uint64_t>(m, source, target, stream);
  });
}

#endif

}  // namespace tt::gpu::detail
