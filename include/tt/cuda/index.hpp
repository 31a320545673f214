// gather, index_select and embedding on the device. Kernels are typed on the size of an element, not on its dtype.
#pragma once
#include <tt/core/walk.hpp>
#include <tt/cuda/index_errors.hpp>
#include <tt/cuda/index_view.hpp>
#include <tt/cuda/packet.hpp>

namespace tt::gpu {

namespace detail {

/// Operands of a space of elements to be taken: the index, the input without its axis, the result, and the position of
/// the index in its tensor.
enum take_operand { take_index, take_input, take_result, take_position };
using TakeSpace = IndexSpace<4>;

/// What is taken, and how wide its elements are.
struct TakePlan {
  TakeSpace space;
  index_t step;  ///< of the input along its axis
  std::size_t item;

  /// Neighbours move together as far as all layouts and addresses allow, by up to 16 bytes: the same plan with elements
  /// of twice the size.
  void widen(const void* from, const void* to) {
    const int last = space.size.rank - 1;
    if (last < 0 || space.size.count() == 0) return;
    const auto address = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
    while (item < 16 && address % (2 * item) == 0 && can_double(last)) {
      for (int i = 0; i < last; ++i) space.stride[take_input][i] /= 2, space.stride[take_result][i] /= 2;
      space.size.extent[last] /= 2, step /= 2, item *= 2;
    }
  }

 private:
  bool can_double(int last) const {
    if (space.stride[take_index][last] != 0 || space.stride[take_input][last] != 1 ||
        space.stride[take_result][last] != 1)
      return false;
    index_t odd = space.size.extent[last] | step;
    for (int i = 0; i < last; ++i) odd |= space.stride[take_input][i] | space.stride[take_result][i];
    return odd % 2 == 0;
  }
};

#if TT_CUDA_KERNELS

template <class Index>
struct Take {
  IndexSource index;
  Index count;
  std::make_signed_t<Index> step;
  Axes<Index, 4> axes;
  IndexCheck check;
};

/// Each thread its elements; zeros where the index is outside.
template <class Word, class Index>
__global__ void __launch_bounds__(256) take_kernel(const Word* from, Word* to, Take<Index> take) {
  using Offset = std::make_signed_t<Index>;
  const Index threads = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < take.count; i += threads) {
    Offset at[4];
    take.axes.locate(i, at);
    const index_t chosen = take.index.at(at[take_index]);
    Word word{};
    if (take.check.admits(chosen, at[take_position])) word = from[at[take_input] + Offset(chosen) * take.step];
    to[at[take_result]] = word;
  }
}

template <class Word, class Index>
void launch_take(const TakePlan& plan, const IndexSource& index, const IndexCheck& check, const void* from, void* to,
                 const StreamRef& stream) {
  const index_t count = plan.space.size.count();
  const Take<Index> take{index, Index(count), std::make_signed_t<Index>(plan.step), plan.space.axes<Index>(), check};
  const unsigned threads = index_threads(count);
  launch(take_kernel<Word, Index>, blocks_for(count, threads), threads, 0, stream, static_cast<const Word*>(from),
         static_cast<Word*>(to), take);
}

/// Queues it. `extent` is the input's, along the axis.
TT_NOINLINE inline void run_take(const char* op, TakePlan plan, index_t extent, const DeviceView& index,
                                 const void* from, void* to, const StreamRef& stream) {
  if (plan.space.size.count() == 0) return;
  const DeviceGuard guard(stream.device());
  plan.space.order_by(take_result);
  const auto address = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  if (plan.item == 16 && address % 16 != 0) {  // complex<double> is aligned to 8
    for (int i = 0; i < plan.space.size.rank; ++i)
      plan.space.stride[take_input][i] *= 2, plan.space.stride[take_result][i] *= 2;
    plan.space.push_back(2, 0, 1, 1, 0);
    plan.step *= 2, plan.item = 8;
    plan.space.order_by(take_result);
  }
  plan.widen(from, to);
  const bool small = plan.space.fits_32_bits(take_input, plan.step, extent);
  const IndexCheck check = index_check(stream.device(), op, extent);
  const IndexSource source{index.data, index.type};
  const auto by_word = [&]<class Word>(Word) {
    if (small) launch_take<Word, std::uint32_t>(plan, source, check, from, to, stream);
    else launch_take<Word, std::uint64_t>(plan, source, check, from, to, stream);
  };
  if (plan.item == 16) by_word(Packet<std::uint64_t, 2>{});
  else if (plan.item == 8) by_word(std::uint64_t{});
  else if (plan.item == 4) by_word(std::uint32_t{});
  else if (plan.item == 2) by_word(std::uint16_t{});
  else by_word(std::uint8_t{});
}

inline void require_result(const char* op, const DeviceView& x, const dims& size, const DeviceView& out) {
  if (!(out.size == size)) fail({"tt::", op, ": the result has extents ", out.size, " instead of ", size});
  if (out.type != x.type)
    fail({"tt::", op, ": the result is ", name_of(out.type), ", the input ", name_of(x.type)});
}

/// The slices of x at `index`, whose axes stand in the result where the axis of x stood.
TT_NOINLINE inline void run_slices(const char* op, const DeviceView& x, index_t along, const DeviceView& index,
                                   const DeviceView& out, const StreamRef& stream) {
  const int axis = index_axis(op, along, x.size.rank);
  require_index(op, index);
  dims want;
  for (int i = 0; i < axis; ++i) want.push_back(x.size.extent[i]);
  for (int i = 0; i < index.size.rank; ++i) want.push_back(index.size.extent[i]);
  for (int i = axis + 1; i < x.size.rank; ++i) want.push_back(x.size.extent[i]);
  require_result(op, x, want, out);
  const DeviceView positions = DeviceView::packed(nullptr, dtype::int64, index.size);
  TakePlan plan{{}, x.size.rank ? x.stride[axis] : 0, size_of(x.type)};
  for (int i = 0; i < want.rank; ++i) {
    const int of_index = i - axis, of_x = of_index < 0 ? i : i - index.size.rank + 1;
    if (of_index >= 0 && of_index < index.size.rank)
      plan.space.push_back(want.extent[i], index.stride[of_index], 0, out.stride[i], positions.stride[of_index]);
    else plan.space.push_back(want.extent[i], 0, x.stride[of_x], out.stride[i], 0);
  }
  run_take(op, plan, x.size.rank ? x.size.extent[axis] : 1, index, x.data, out.data, stream);
}

#endif

}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues out[i][j][k] = x[index[i][j][k]][j][k] for axis 0, and so on. The index, int64 or uint8, has the rank of x
/// and is along other axes at most as large; out has its extents, and shares no memory with the others. An index
/// outside of the axis gives 0: see check_index_errors.
/// https://pytorch.org/docs/stable/generated/torch.gather.html
/// @throws Error for extents and dtypes that do not fit, IndexError for the axis, CudaError if CUDA refuses the launch
inline void gather(const DeviceView& x, index_t along, const DeviceView& index, const DeviceView& out,
                   const StreamRef& stream) {
  static constexpr const char* name = "gather";
  const int axis = detail::index_axis(name, along, x.size.rank);
  detail::require_index(name, index);
  const dims& size = index.size;
  detail::require_result(name, x, size, out);
  if (size.count() == 0) return;
  if ((std::max)(size.rank, 1) != (std::max)(x.size.rank, 1))
    fail({"tt::gather: the index ", size, " must have as many axes as the input ", x.size});
  const DeviceView positions = DeviceView::packed(nullptr, dtype::int64, size);
  detail::TakePlan plan{{}, x.size.rank ? x.stride[axis] : 0, size_of(x.type)};
  for (int i = 0; i < size.rank; ++i) {
    const bool is_along = i == axis || x.size.rank == 0;
    if (!is_along && size.extent[i] > x.size.extent[i])
      fail({"tt::gather: the index ", size, " is larger than the input ", x.size, " along axis ", i});
    plan.space.push_back(size.extent[i], index.stride[i], is_along ? 0 : x.stride[i], out.stride[i],
                         positions.stride[i]);
  }
  detail::run_take(name, plan, x.size.rank ? x.size.extent[axis] : 1, index, x.data, out.data, stream);
}

/// Queues the slices of x at the positions of a vector along one axis, into out, which has the vector's extent there.
/// Indices and errors as in gather.
/// https://pytorch.org/docs/stable/generated/torch.index_select.html
inline void index_select(const DeviceView& x, index_t axis, const DeviceView& index, const DeviceView& out,
                         const StreamRef& stream) {
  if (index.size.rank > 1) fail({"tt::index_select: the index must be a vector, not ", index.size});
  if (x.size.rank != 0 && index.size.rank == 0)
    return detail::run_slices("index_select", x, axis, {index.data, index.type, {1}, {1}}, out, stream);
  if (x.size.rank == 0 && index.size.count() != 1)
    fail("tt::index_select: a tensor without axes takes one index");
  if (x.size.rank == 0)
    return detail::run_slices("index_select", x, axis, {index.data, index.type, {}, {}}, out, stream);
  detail::run_slices("index_select", x, axis, index, out, stream);
}

/// Queues out[.., :] = weight[index[..], :]: rows of a matrix at an index of any shape. Indices, errors as in gather.
/// https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
inline void embedding(const DeviceView& weight, const DeviceView& index, const DeviceView& out,
                      const StreamRef& stream) {
  if (weight.size.rank != 2) fail({"tt::embedding: the weight must be a matrix, not ", weight.size});
  detail::run_slices("embedding", weight, 0, index, out, stream);
}

#endif

}  // namespace tt::gpu
