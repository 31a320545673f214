// Indexing by tensors: gather and index_select. Elements are moved by size, so that nothing is compiled for each dtype.
#pragma once
#include <tt/core/copy.hpp>
#include <tt/core/walk.hpp>
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/expr/index.hpp>

namespace tt::detail {

[[noreturn]] TT_NOINLINE inline void index_outside(std::string_view op, index_t index, index_t extent) {
  fail_index({"tt::", op, ": index ", index, " is outside an axis of ", extent});
}
inline AnyTensor index_as_int64(std::string_view op, const AnyTensor& index) {
  if (index.dtype() != dtype::int64 && index.dtype() != dtype::uint8)
    fail({"tt::", op, ": the index must be an integer tensor, not ", name_of(index.dtype())});
  return index.dtype() == dtype::int64 ? index.packed() : copied_as(index, dtype::int64);
}

inline AnyTensor take(const AnyTensor& x, const dims& size, const Positions& from, std::string_view name, RecordIndex record) {
  AnyTensor out = AnyTensor::empty(x.dtype(), size);
  const AnyTensor flat = x.packed();
  const auto* position = reinterpret_cast<const index_t*>(from->data);
  visit_word(size_of(x.dtype()), [&]<class Word>(Word) {
    auto* to = reinterpret_cast<Word*>(out.data_ptr());
    const auto* p = reinterpret_cast<const Word*>(flat.data_ptr());
    for (index_t i = 0, n = size.count(); i < n; ++i) std::memcpy(to + i, p + position[i], sizeof(Word));
  });
  if (record && recording && x.requires_grad()) record(out, x, from, name);
  return out;
}

/// Indexing on a device, by an index that is laid over the result; null until a file that has the kernels is part of the
/// program (cuda/indexing.hpp). An index out of range gives zeros, and is reported as that file says.
struct DeviceIndexing {
  void (*take)(const AnyTensor& x, int axis, const AnyTensor& index, const AnyTensor& out) = nullptr;
  /// What the tape keeps: Positions.
  void (*positions)(const dims& size, int axis, const AnyTensor& index, std::byte* to) = nullptr;
  /// sums[to[i]] += gradient[i] for i < n, of `count` sums.
  void (*add)(std::byte* sums, index_t count, const index_t* to, const std::byte* gradient, index_t n, dtype) = nullptr;
};
inline constinit DeviceIndexing device_indexing{};

[[noreturn]] TT_NOINLINE inline void no_device_indexing(std::string_view op) {
  fail_not_implemented({"tt::", op, ": no file of the program that includes <tt/cuda/indexing.hpp> was compiled by nvcc or clang"});
}
TT_NOINLINE inline AnyTensor take_on_device(std::string_view op, const AnyTensor& x, int axis, const AnyTensor& index,
                                            RecordIndex record) {
  const Memory* const memory = memory_of(op, device::cuda, {&x, &index});
  if (!device_indexing.take) no_device_indexing(op);
  const AnyTensor out = AnyTensor::empty(x.dtype(), index.sizes(), memory);
  device_indexing.take(x, axis, index, out);
  if (!record || !recording || !x.requires_grad()) return out;
  Positions from = make_storage(std::size_t(out.numel()) * sizeof(index_t), memory);
  device_indexing.positions(x.sizes(), axis, index, from->data);
  record(out, x, from, op);
  return out;
}

/// out[i][j][k] = x[index[i][j][k]][j][k] for axis 0, and so on. https://pytorch.org/docs/stable/generated/torch.gather.html
inline AnyTensor run_gather(const AnyTensor& x, index_t along, const AnyTensor& index, RecordIndex record) {
  static constexpr std::string_view name = "gather";
  const AnyTensor* const inputs[] = {&x, &index};
  return dispatched({"index", {&name, 1}, inputs}, [&] {
    const int axis = view_axis("gather", along, x.rank());
    if (x.memory() || index.memory()) return take_on_device(name, x, axis, index, record);
    const AnyTensor wide = index_as_int64(name, index);
    const int rank = (std::max)(x.rank(), 1);
    if ((std::max)(index.rank(), 1) != rank && index.numel() != 0)
      fail({"tt::gather: the index ", index.sizes(), " must have as many axes as the input ", x.sizes()});
    const dims& size = index.sizes();
    for (int i = 0; i < size.rank && index.numel() != 0 && x.rank() != 0; ++i)
      if (i != axis && size.extent[i] > x.sizes()[i])
        fail({"tt::gather: the index ", size, " is larger than the input ", x.sizes(), " along axis ", i});
    const index_t n = size.count(), extent = x.rank() ? x.sizes()[axis] : 1;
    index_t stride[max_rank]{};
    row_major(x.sizes(), stride);
    Positions from = make_storage(std::size_t(n) * sizeof(index_t));
    auto* position = reinterpret_cast<index_t*>(from->data);
    const auto* choice = reinterpret_cast<const std::int64_t*>(wide.data_ptr());
    index_t at[max_rank]{};
    for (index_t i = 0; i < n; ++i) {
      if (choice[i] < 0 || choice[i] >= extent) index_outside(name, choice[i], extent);
      index_t p = 0;
      for (int a = 0; a < size.rank && x.rank(); ++a) p += (a == axis ? choice[i] : at[a]) * stride[a];
      position[i] = p;
      for (int a = size.rank - 1; a >= 0; --a) {
        if (++at[a] < size.extent[a]) break;
        at[a] = 0;
      }
    }
    return take(x, size, from, name, record);
  });
}

/// The slices of x at the positions of a vector along one axis. https://pytorch.org/docs/stable/generated/torch.index_select.html
inline AnyTensor run_index_select(const AnyTensor& x, index_t along, const AnyTensor& index, RecordIndex record) {
  static constexpr std::string_view name = "index_select";
  const AnyTensor* const inputs[] = {&x, &index};
  return dispatched({"index", {&name, 1}, inputs}, [&] {
    const int axis = view_axis("index_select", along, x.rank());
    if (index.rank() > 1) fail({"tt::index_select: the index must be a vector, not ", index.sizes()});
    if (x.memory() || index.memory()) {  // a vector over all slices
      dims slices = x.sizes();
      index_t stride[max_rank] = {};
      if (x.rank()) slices.extent[axis] = index.numel(), stride[axis] = index.rank() ? index.stride(0) : 0;
      else if (index.numel() != 1) fail("tt::index_select: a tensor without axes takes one index");
      return take_on_device(name, x, axis, index.with_layout(slices, stride, 0), record);
    }
    const AnyTensor wide = index_as_int64(name, index);
    const auto* choice = reinterpret_cast<const std::int64_t*>(wide.data_ptr());
    const index_t count = index.numel(), extent = x.rank() ? x.sizes()[axis] : 1;
    if (x.rank() == 0 && count != 1) fail("tt::index_select: a tensor without axes takes one index");
    dims size = x.sizes();
    if (x.rank()) size.extent[axis] = count;
    index_t inner = 1, outer = 1;
    for (int i = 0; i < x.rank(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : x.sizes()[i];
    for (index_t c = 0; c < count; ++c)
      if (choice[c] < 0 || choice[c] >= extent) index_outside(name, choice[c], extent);
    Positions from = make_storage(std::size_t(outer * count * inner) * sizeof(index_t));
    auto* position = reinterpret_cast<index_t*>(from->data);
    for (index_t o = 0; o < outer; ++o)
      for (index_t c = 0; c < count; ++c)
        for (index_t i = 0; i < inner; ++i) *position++ = (o * extent + choice[c]) * inner + i;
    return take(x, size, from, name, record);
  });
}

}  // namespace tt::detail
