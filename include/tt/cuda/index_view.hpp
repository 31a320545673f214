// Tensors in memory of the device, as the functions of indexing take them, and how an index is read.
#pragma once
#include <tt/core/dtype.hpp>
#include <tt/core/message.hpp>
#include <tt/cuda/divide.hpp>
#include <tt/dispatch/coalesce.hpp>

#include <algorithm>
#include <cstddef>

namespace tt::gpu {

/// A tensor in memory of the device. Strides count elements; they may be 0 or negative where it is read.
struct DeviceView {
  void* data;
  dtype type;
  dims size;
  index_t stride[max_rank];

  /// Row-major.
  static DeviceView packed(void* data, dtype type, const dims& size) {
    DeviceView view{data, type, size, {}};
    index_t unit = 1;
    for (int i = size.rank - 1; i >= 0; --i) view.stride[i] = unit, unit *= size.extent[i];
    return view;
  }
  bool is_packed() const {
    const DeviceView same = packed(data, type, size);
    for (int i = 0; i < size.rank; ++i)
      if (size.extent[i] != 1 && stride[i] != same.stride[i]) return size.count() == 0;
    return true;
  }
};

namespace detail {

inline int index_axis(const char* op, index_t axis, int rank) {
  const int normal = normal_axis(axis, rank);
  if (normal < 0) fail_index({"tt::", op, ": axis ", axis, " of a tensor with ", rank, " axes"});
  return normal;
}
/// Indices are of the dtypes that the CPU takes.
inline void require_index(const char* op, const DeviceView& index) {
  if (index.type != dtype::int64 && index.type != dtype::uint8)
    fail({"tt::", op, ": the index must be an integer tensor, not ", name_of(index.type)});
}

/// The threads of a block for so many elements: whole warps, 256 at most.
inline unsigned index_threads(index_t count) {
  return unsigned((std::clamp<index_t>(count, 1, 256) + 31) / 32 * 32);
}

/// The indices that a kernel reads.
struct IndexSource {
  const void* data;
  dtype type;

  TT_HD index_t at(std::int64_t offset) const {
    if (type == dtype::uint8) return static_cast<const std::uint8_t*>(data)[offset];
    return static_cast<const std::int64_t*>(data)[offset];
  }
};

/// An iteration space on the host, with Operands operands laid over it.
template <int Operands>
struct IndexSpace {
  dims size;
  index_t stride[Operands][max_rank];

  template <class... Stride>
  void push_back(index_t extent, Stride... step) {
    static_assert(sizeof...(Stride) == Operands);
    int operand = 0;
    ((stride[operand++][size.rank] = step), ...);
    size.push_back(extent);
  }
  /// Merges axes; the order of elements stays.
  void merge() {
    index_t* strides[Operands];
    for (int j = 0; j < Operands; ++j) strides[j] = stride[j];
    tt::detail::coalesce(size, strides, Operands, Operands);
  }
  /// Orders the axes as operand `k` lies in memory, and merges them: neighbouring threads meet neighbours there.
  void order_by(int k) {
    int order[max_rank];
    for (int i = 0; i < size.rank; ++i) order[i] = i;
    std::stable_sort(order, order + size.rank,
                     [&](int a, int b) { return std::abs(stride[k][a]) > std::abs(stride[k][b]); });
    IndexSpace sorted{};
    for (int i = 0; i < size.rank; ++i) {
      for (int j = 0; j < Operands; ++j) sorted.stride[j][i] = stride[j][order[i]];
      sorted.size.push_back(size.extent[order[i]]);
    }
    *this = sorted;
    merge();
  }
  /// Whether offsets fit in 32 bits, also those of operand `k` when `steps` of `step` are added.
  bool fits_32_bits(int k = 0, index_t step = 0, index_t steps = 0) const {
    const index_t* strides[Operands];
    for (int j = 0; j < Operands; ++j) strides[j] = stride[j];
    constexpr index_t limit = index_t(1) << 31;
    if (!gpu::fits_32_bits(size, strides, Operands) || std::abs(step) >= limit || steps >= limit) return false;
    index_t farthest = std::abs(step) * steps;
    for (int i = 0; i < size.rank; ++i) farthest += std::abs(stride[k][i]) * (size.extent[i] - 1);
    return farthest < limit;
  }
  template <class Index>
  Axes<Index, Operands> axes() const {
    Axes<Index, Operands> axes{};
    axes.rank = size.rank;
    for (int i = 0; i < size.rank; ++i) {
      axes.extent[i] = Divisor<Index>(size.extent[i]);
      for (int j = 0; j < Operands; ++j) axes.stride[i][j] = std::make_signed_t<Index>(stride[j][i]);
    }
    return axes;
  }
};

}  // namespace detail
}  // namespace tt::gpu
