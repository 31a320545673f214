// The driver of elementwise kernels: iteration space, broadcasting, strided and converted leaves, tails, chunks. Nothing
// here knows a program; it is compiled once for each compute type.
#pragma once
#include <tt/core/parallel.hpp>
#include <tt/cpu/convert.hpp>
#include <tt/cpu/complex.hpp>
#include <tt/dispatch/coalesce.hpp>

#include <vector>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

using detail::coalesce;

/// Elements of a row that are packed at once: the buffers of all leaves stay in the first-level cache.
inline constexpr index_t packed_row = 256;
/// Rows longer than this are cut, so that chunks exist where there is one long row only.
inline constexpr index_t longest_row = 16384;

/// How one operand's elements in a row are reached.
enum class Access : std::uint8_t { direct, single, packed };
template <class Number>
Access access_of(dtype type, index_t stride) {
  return stride == 0 ? Access::single : stride == 1 && type == dtype_of<Number> ? Access::direct : Access::packed;
}

template <class Number>
struct alignas(64) Packet {
  Number lane[simd<Number>::width];
  void fill(Number x) { std::fill_n(lane, simd<Number>::width, x); }
  /// A single element of any dtype in all lanes.
  void fill_from(const std::byte* p, dtype type) {
    if (type == dtype_of<Number>) return fill(*reinterpret_cast<const Number*>(p));
    Number x;
    pack_row(&x, p, type, 0, 1);
    fill(x);
  }
};
/// What a first gradient is added to: -0 for floating numbers, for -0 + x is x bit for bit.
template <class Number>
inline constexpr Packet<Number> nothing = [] {
  Packet<Number> p{};
  for (Number& x : p.lane) x = is_differentiable(dtype_of<Number>) ? -Number(0) : Number(0);
  return p;
}();

/// The cut of an iteration space into rows and of the rows into chunks. It follows from the shape alone.
struct Cut {
  index_t row_length, segment, segments_per_row, items, chunks;
  Cut(const dims& size, index_t longest) {
    row_length = size[-1];
    segment = longest;
    segments_per_row = (row_length + segment - 1) / segment;
    const index_t total = size.count();
    items = row_length ? total / row_length * segments_per_row : 0;
    chunks = std::clamp<index_t>(total / parallel_grain, 1, std::min<index_t>(std::max<index_t>(items, 1), 32));
  }
};

/// Walks the rows of a chunk: `where[k]` follows operand k without divisions.
struct Odometer {
  index_t at[max_rank];
  index_t segment_index;

  /// Positions at `item`; offset[k] becomes the element offset of operand k.
  void seek(const dims& size, const Cut& cut, index_t item, const index_t* const* stride, int operands, index_t* offset) {
    segment_index = item % cut.segments_per_row;
    index_t row = item / cut.segments_per_row;
    for (int k = 0; k < operands; ++k) offset[k] = segment_index * cut.segment * stride[k][size.rank - 1];
    for (int axis = size.rank - 2; axis >= 0; --axis) {
      at[axis] = row % size.extent[axis];
      row /= size.extent[axis];
      for (int k = 0; k < operands; ++k) offset[k] += at[axis] * stride[k][axis];
    }
  }
  void next(const dims& size, const Cut& cut, const index_t* const* stride, int operands, index_t* offset) {
    const int last = size.rank - 1;
    if (++segment_index < cut.segments_per_row) {
      for (int k = 0; k < operands; ++k) offset[k] += cut.segment * stride[k][last];
      return;
    }
    for (int k = 0; k < operands; ++k) offset[k] -= (segment_index - 1) * cut.segment * stride[k][last];
    segment_index = 0;
    for (int axis = last - 1; axis >= 0; --axis) {
      if (++at[axis] < size.extent[axis]) {
        for (int k = 0; k < operands; ++k) offset[k] += stride[k][axis];
        return;
      }
      at[axis] = 0;
      for (int k = 0; k < operands; ++k) offset[k] -= (size.extent[axis] - 1) * stride[k][axis];
    }
  }
};

/// A row buffer with room for the lanes that fill up its last packet.
template <class Number>
struct alignas(64) RowBuffer {
  static constexpr index_t capacity = packed_row + simd<Number>::width;
  Number element[capacity];
  /// Lanes past n repeat the last element, so that no formula meets values that are not there.
  TT_INLINE void fill_up(index_t n) {
    const index_t whole = (n + simd<Number>::width - 1) / simd<Number>::width * simd<Number>::width;
    for (index_t j = n; j < whole; ++j) element[j] = element[n - 1];
  }
};

/// The operands of one region as rows: direct where they lie as the kernel wants them, else one element for all lanes, or
/// packed into a buffer.
template <class Number>
struct Reads {
  static constexpr int width = simd<Number>::width;
  int count;
  const Strided* from;
  int last_axis;
  Access access[max_leaves + 1];
  Packet<Number> single[max_leaves + 1];
  Packet<Number> tail[max_leaves + 1];
  RowBuffer<Number> packed[max_leaves + 1];

  TT_INLINE Reads(int operands, const Strided* strided, int last) : count(operands), from(strided), last_axis(last) {
    for (int k = 0; k < count; ++k) access[k] = access_of<Number>(from[k].type, from[k].stride[last]);
  }
  TT_INLINE const std::byte* at(int k, index_t offset) const {
    return from[k].data + offset * index_t(size_of(from[k].type));
  }
  /// Points the operands at n elements that start at the offsets.
  TT_INLINE void bind(Operand* o, const index_t* offset, index_t n) {
    for (int k = 0; k < count; ++k) {
      o[k].read_mask = -1;
      if (access[k] == Access::direct) {
        o[k].read = at(k, offset[k]);
      } else if (access[k] == Access::single) {
        single[k].fill_from(at(k, offset[k]), from[k].type);
        o[k].read = single[k].lane;
        o[k].read_mask = 0;
      } else {
        pack_row(packed[k].element, at(k, offset[k]), from[k].type, from[k].stride[last_axis], n);
        packed[k].fill_up(n);
        o[k].read = packed[k].element;
      }
    }
  }
  /// After bind(): points the operands at the last t elements of n, in packets of their own. Spare lanes repeat the last
  /// element, so that no formula meets values that are not there.
  TT_NOINLINE void bind_tail(Operand* o, index_t n, index_t t) {
    for (int k = 0; k < count; ++k) {
      if (access[k] == Access::single) continue;
      const Number* row = static_cast<const Number*>(o[k].read) + (n - t);
      for (index_t j = 0; j < width; ++j) tail[k].lane[j] = row[(std::min)(j, t - 1)];
      o[k].read = tail[k].lane;
    }
  }
};

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
