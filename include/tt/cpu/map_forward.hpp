// Forward drive of an elementwise region.
#pragma once
#include <tt/cpu/region.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// Runs the segments of one chunk. Where out has another dtype or a stride, rows pass through a buffer.
template <class Number>
TT_NOINLINE void forward_chunk(RowFunction row, const Region& r, const Cut& cut, index_t chunk) {
  constexpr int width = simd<Number>::width;
  const int last = r.size.rank - 1, operands = r.leaves + 1;
  Reads<Number> reads(r.leaves, r.leaf, last);
  const bool direct_out = r.out.stride[last] == 1 && r.out.type == dtype_of<Number>;
  RowBuffer<Number> out_row;
  Packet<Number> out_tail;
  Operand o[max_leaves];
  const index_t* stride[max_leaves + 1];
  index_t offset[max_leaves + 1];
  for (int k = 0; k < r.leaves; ++k) stride[k] = r.leaf[k].stride;
  stride[r.leaves] = r.out.stride;
  Odometer odometer;
  index_t item = chunk * cut.items / cut.chunks;
  const index_t end = (chunk + 1) * cut.items / cut.chunks;
  if (item == end) return;
  odometer.seek(r.size, cut, item, stride, operands, offset);
  for (;;) {
    const index_t n = (std::min)(cut.segment, cut.row_length - odometer.segment_index * cut.segment);
    const index_t t = n % width, m = n - t;
    std::byte* out = r.out.data + offset[r.leaves] * index_t(size_of(r.out.type));
    Number* to = direct_out ? reinterpret_cast<Number*>(out) : out_row.element;
    reads.bind(o, offset, n);
    if (m) row(o, to, m);
    if (t) {
      reads.bind_tail(o, n, t);
      row(o, out_tail.lane, width);
      std::copy_n(out_tail.lane, t, to + m);
    }
    if (!direct_out) unpack_row(out_row.element, out, r.out.type, r.out.stride[last], n);
    if (++item == end) return;
    odometer.next(r.size, cut, stride, operands, offset);
  }
}

/// One run over contiguous and single operands: whole packets, past the end into the spare ones.
template <class Number>
TT_INLINE bool forward_flat(RowFunction row, const Region& r) {
  if (r.size.rank != 1 || r.size.extent[0] > longest_row) return false;
  if (r.out.stride[0] != 1 || r.out.type != dtype_of<Number> || !r.out.spare) return false;
  Operand o[max_leaves];
  Packet<Number> single[max_leaves];
  for (int k = 0; k < r.leaves; ++k) {
    const Strided& s = r.leaf[k];
    o[k].read = s.data;
    o[k].read_mask = -1;
    if (s.stride[0] == 0) {
      single[k].fill_from(s.data, s.type);
      o[k].read = single[k].lane;
      o[k].read_mask = 0;
    } else if (s.stride[0] != 1 || s.type != dtype_of<Number> || !s.spare) {
      return false;
    }
  }
  row(o, r.out.data, r.size.extent[0]);
  return true;
}

template <class Number>
TT_NOINLINE void drive_forward(RowFunction row, Region& r) {
  if (r.size.rank == 1 && r.size.extent[0] > 1 && forward_flat<Number>(row, r)) return;  // the common case, without coalesce
  index_t* stride[max_leaves + 1];
  for (int k = 0; k < r.leaves; ++k) stride[k] = r.leaf[k].stride;
  stride[r.leaves] = r.out.stride;
  coalesce(r.size, stride, r.leaves + 1, r.leaves);
  if (r.size.count() == 0 || forward_flat<Number>(row, r)) return;
  bool packed = r.out.stride[r.size.rank - 1] != 1 || r.out.type != dtype_of<Number>;
  for (int k = 0; k < r.leaves; ++k)
    packed |= access_of<Number>(r.leaf[k].type, r.leaf[k].stride[r.size.rank - 1]) == Access::packed;
  const Cut cut(r.size, packed ? packed_row : longest_row);
  parallel_chunks(cut.chunks, [&](index_t chunk) { forward_chunk<Number>(row, r, cut, chunk); });
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
