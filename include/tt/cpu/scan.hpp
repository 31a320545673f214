// The CPU's scans: rows are converted, joined from their beginning on and stored, piece by piece. Where neighbours in
// memory belong to different rows, many rows go side by side.
#pragma once
#include <tt/cpu/region.hpp>
#include <tt/expr/scan.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

template <class Op, class Number, class Accumulator>
struct Scanning {
  static void fill(void* accumulators, index_t n) {
    std::fill_n(static_cast<Accumulator*>(accumulators), n, Op::template identity<Accumulator>());
  }
  static void row(void* accumulator, void* values, index_t n) {
    auto* const p = static_cast<Number*>(values);
    Accumulator total = *static_cast<Accumulator*>(accumulator);
    for (index_t i = 0; i < n; ++i) p[i] = converted<Number>(total = Op::join(total, converted<Accumulator>(p[i])));
    *static_cast<Accumulator*>(accumulator) = total;
  }
  static void columns(void* accumulators, void* values, index_t n) {
    auto* const total = static_cast<Accumulator*>(accumulators);
    auto* const p = static_cast<Number*>(values);
    for (index_t i = 0; i < n; ++i)
      p[i] = converted<Number>(total[i] = Op::join(total[i], converted<Accumulator>(p[i])));
  }
};

/// Neighbours along the last axis around the rows from which on those go side by side.
inline constexpr index_t least_columns = 16;

/// As many accumulators as columns are side by side, of any type.
struct alignas(64) ScanAccumulators {
  std::byte bytes[packed_row * index_t(sizeof(std::complex<double>))];
};

/// Rows first .. end, one after the other.
template <class Number>
TT_NOINLINE void scan_rows(const ScanKernel& k, const ScanSpace& s, index_t first, index_t end) {
  const index_t from_item = index_t(size_of(s.from_type)), to_item = index_t(size_of(s.to_type));
  Number values[packed_row];
  ScanAccumulators total;
  for (index_t r = first; r < end; ++r) {
    const std::byte* from = s.from;
    std::byte* to = s.to;
    index_t rest = r;
    for (int axis = s.around.rank - 1; axis >= 0; rest /= s.around.extent[axis--]) {
      from += rest % s.around.extent[axis] * s.from_stride[axis] * from_item;
      to += rest % s.around.extent[axis] * s.to_stride[axis] * to_item;
    }
    k.fill(total.bytes, 1);
    for (index_t at = 0; at < s.length; at += packed_row) {
      const index_t n = (std::min)(packed_row, s.length - at);
      pack_row(values, from + at * s.from_step * from_item, s.from_type, s.from_step, n);
      k.row(total.bytes, values, n);
      unpack_row(values, to + at * s.to_step * to_item, s.to_type, s.to_step, n);
    }
  }
}
/// Blocks of columns first .. end: each lies along the last axis around the rows.
template <class Number>
TT_NOINLINE void scan_columns(const ScanKernel& k, const ScanSpace& s, index_t blocks, index_t first, index_t end) {
  const index_t from_item = index_t(size_of(s.from_type)), to_item = index_t(size_of(s.to_type));
  const int last = s.around.rank - 1;
  Number values[packed_row];
  ScanAccumulators total;
  for (index_t b = first; b < end; ++b) {
    const index_t column = b % blocks * packed_row, n = (std::min)(packed_row, s.around.extent[last] - column);
    const std::byte* from = s.from + column * s.from_stride[last] * from_item;
    std::byte* to = s.to + column * s.to_stride[last] * to_item;
    index_t rest = b / blocks;
    for (int axis = last - 1; axis >= 0; rest /= s.around.extent[axis--]) {
      from += rest % s.around.extent[axis] * s.from_stride[axis] * from_item;
      to += rest % s.around.extent[axis] * s.to_stride[axis] * to_item;
    }
    k.fill(total.bytes, n);
    for (index_t at = 0; at < s.length; ++at, from += s.from_step * from_item, to += s.to_step * to_item) {
      pack_row(values, from, s.from_type, s.from_stride[last], n);
      k.columns(total.bytes, values, n);
      unpack_row(values, to, s.to_type, s.to_stride[last], n);
    }
  }
}

/// Every row is joined in its own order, so that neither threads nor layouts change a bit.
template <class Number>
TT_NOINLINE void drive_scan(const ScanKernel& k, const ScanSpace& s) {
  const index_t rows = s.around.count(), total = rows * s.length;
  if (total == 0) return;
  const index_t inner = s.around.rank ? s.around.extent[s.around.rank - 1] : 1;
  const bool side_by_side = inner >= least_columns;
  const index_t blocks = (inner + packed_row - 1) / packed_row, items = side_by_side ? rows / inner * blocks : rows;
  const index_t chunks = std::clamp<index_t>(total / parallel_grain, 1, std::min<index_t>(items, 32));
  parallel_chunks(chunks, [&](index_t chunk) {
    const index_t first = chunk * items / chunks, end = (chunk + 1) * items / chunks;
    if (side_by_side) scan_columns<Number>(k, s, blocks, first, end);
    else scan_rows<Number>(k, s, first, end);
  });
}

template <class Op, dtype Compute>
constexpr ScanKernel make_scan_kernel() {
  using number = element_of<Compute>;
  using scanning = Scanning<Op, number, element_of<Op::accumulator(Compute)>>;
  return {Op::name, Op::accumulator(Compute), scanning::fill, scanning::row, scanning::columns, drive_scan<number>};
}
template <class Op, dtype Compute>
inline constexpr ScanKernel scan_kernel = make_scan_kernel<Op, Compute>();

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
