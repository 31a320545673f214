// scatter, scatter_add and index_put on the device. Of several values for one place the last one stays, as in a loop on
// the CPU: PyTorch's kernels leave open which.
#pragma once
#include <tt/core/walk.hpp>
#include <tt/cuda/index_add.hpp>

namespace tt::gpu {

namespace detail {
#if TT_CUDA_KERNELS

/// The last entry of each place writes; zero where there are no values.
template <class Word, class Index>
__global__ void __launch_bounds__(256) put_kernel(SortedPlaces<Index> sorted, const Word* values, const index_t* from,
                                                  Word* to) {
  const Index threads = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < sorted.count; i += threads) {
    const Index place = sorted.place[i];
    if (place == sorted.end || (i + 1 < sorted.count && sorted.place[i + 1] == place)) continue;
    const index_t entry = index_t(sorted.member[i]);
    to[place] = values ? values[from ? from[entry] : entry] : Word{};
  }
}

/// Positions of a scatter: of its index, and of its source if that is not read in order.
struct ScatterPositions {
  index_t *to, *from = nullptr;
  index_t count;
};
template <class Workspace>
ScatterPositions scatter_positions(const char* op, const DeviceView& x, index_t axis, const DeviceView& index,
                                   const DeviceView& source, Workspace&& workspace, const StreamRef& stream) {
  if (source.type != x.type)
    fail({"tt::", op, ": the source is ", name_of(source.type), ", the tensor ", name_of(x.type)});
  if (!x.is_packed()) fail({"tt::", op, ": the tensor must be contiguous"});
  const index_t count = index.size.count();
  bool fits = source.size.rank == index.size.rank || count == 0;
  for (int i = 0; fits && count != 0 && i < index.size.rank; ++i) fits = index.size.extent[i] <= source.size.extent[i];
  if (!fits) fail({"tt::", op, ": the index ", index.size, " is larger than the source ", source.size});
  ScatterPositions positions{nullptr, nullptr, count};
  if (count != 0) positions.to = device_memory<index_t>(workspace, count);
  if (count != 0 && !(source.is_packed() && source.size == index.size))
    positions.from = device_memory<index_t>(workspace, count);
  axis_positions(op, x.size, axis, index, source.stride, positions.to, positions.from, stream);
  return positions;
}

#endif
}  // namespace detail

#if TT_CUDA_KERNELS

// Each queues its work, and needs a workspace as in index_add.hpp. Tensors that are written are row-major; sources and
// indices have any layout. An index outside of its axis is left out: see check_index_errors.

/// to[position[i]] = values[from[i]] for i < count, of `places` elements of `item` bytes; of several for one place the
/// last one stays. Null `from` stands for i itself, null `values` for zeros. What has no place (-1) is left out.
/// @throws CudaError if CUDA refuses a launch
template <class Workspace>
void put_by_positions(void* to, index_t places, const index_t* position, const void* values, const index_t* from,
                      index_t count, std::size_t item, Workspace&& workspace, const StreamRef& stream) {
  if (count == 0) return;
  const DeviceGuard guard(stream.device());
  detail::with_place_type(count, places, [&]<class Index>(Index) {
    const auto sorted = detail::sort_places<Index>(position, count, places, workspace, stream);
    const unsigned threads = detail::index_threads(count);
    tt::detail::visit_word(item, [&]<class Word>(Word) {
      launch(detail::put_kernel<Word, Index>, blocks_for(count, threads), threads, 0, stream, sorted,
             static_cast<const Word*>(values), from, static_cast<Word*>(to));
    });
  });
}

/// x[index[i][j][k]][j][k] = source[i][j][k] for axis 0, and so on. The index, int64 or uint8, has the rank of x and is
/// at most as large as the source, and as x along other axes.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html
/// @throws Error for extents, dtypes and layouts that do not fit, IndexError for the axis, CudaError if CUDA refuses a
///         launch
template <class Workspace>
void scatter(const DeviceView& x, index_t axis, const DeviceView& index, const DeviceView& source,
             Workspace&& workspace, const StreamRef& stream) {
  const auto at = detail::scatter_positions("scatter", x, axis, index, source, workspace, stream);
  put_by_positions(x.data, x.size.count(), at.to, source.data, at.from, at.count, size_of(x.type), workspace, stream);
}

/// The same with +=, in the order of the index: see index_add.hpp.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html
template <class Workspace>
void scatter_add(const DeviceView& x, index_t axis, const DeviceView& index, const DeviceView& source,
                 Workspace&& workspace, const StreamRef& stream) {
  const auto at = detail::scatter_positions("scatter_add", x, axis, index, source, workspace, stream);
  add_by_positions({x.data, x.type, x.size.count()}, at.to, source.data, at.from, at.count, x.type, workspace, stream);
}

/// x[index[0], index[1], ..] = values, which broadcast to the places; with `accumulate` they are added to what is
/// there.
/// Indices are int64 or uint8; negative ones count from the end.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
/// @throws Error for extents, dtypes and layouts that do not fit, CudaError if CUDA refuses a launch
template <class Workspace>
void index_put(const DeviceView& x, std::span<const DeviceView> index, const DeviceView& values, bool accumulate,
               Workspace&& workspace, const StreamRef& stream) {
  if (x.type != values.type)
    fail({"tt::index_put: the values are ", name_of(values.type), ", the tensor is ", name_of(x.type), ": cast them"});
  if (!x.is_packed()) fail("tt::index_put: the tensor must be contiguous");
  const index_t count = put_places(x.size, index).count(), places = x.size.count();
  auto* const to = count ? detail::device_memory<index_t>(workspace, count) : nullptr;
  auto* const from = count ? detail::device_memory<index_t>(workspace, count) : nullptr;
  put_positions(x.size, index, values, to, from, stream);
  if (accumulate) add_by_positions({x.data, x.type, places}, to, values.data, from, count, x.type, workspace, stream);
  else put_by_positions(x.data, places, to, values.data, from, count, size_of(x.type), workspace, stream);
}

#endif

}  // namespace tt::gpu
