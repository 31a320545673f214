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

  /// T[i] = g[i] + carry * T[i + 1] from the end, the gradient being share * T: one pass, and no division.
  static void back(const ScanBack& s) {
    const index_t n = s.size.rank ? s.size[s.axis] : 1, item = index_t(size_of(s.type));
    index_t inner = 1;
    for (int axis = s.axis + 1; axis < s.size.rank; ++axis) inner *= s.size[axis];
    const index_t rows = n ? s.size.count() / n : 0;
    const index_t chunks = std::clamp<index_t>(s.size.count() / parallel_grain, 1, std::clamp<index_t>(rows, 1, 32));
    parallel_chunks(chunks, [&](index_t chunk) {
      for (index_t r = chunk * rows / chunks; r < (chunk + 1) * rows / chunks; ++r)
        back_row(s, (r / inner * n * inner + r % inner) * item, inner, n);
    });
  }

 private:
  static void back_row(const ScanBack& s, index_t at, index_t step, index_t n) {
    Number x[packed_row], y[packed_row], g[packed_row];
    Accumulator total{}, x_after{}, y_after{};
    const index_t last = (n - 1) / packed_row * packed_row;
    for (index_t first = last; first >= 0; first -= packed_row) {
      const index_t here = at + first * step * index_t(size_of(s.type)), count = (std::min)(packed_row, n - first);
      pack_row(x, s.x + here, s.type, step, count);
      pack_row(y, s.y + here, s.type, step, count);
      pack_row(g, s.gradient + here, s.type, step, count);
      Number before{};
      if (first > 0) pack_row(&before, s.y + here - step * index_t(size_of(s.type)), s.type, step, 1);
      for (index_t i = count - 1; i >= 0; --i) {
        const auto x_here = converted<Accumulator>(x[i]), y_here = converted<Accumulator>(y[i]);
        const bool begins = first + i == 0, ends = first + i == n - 1;
        const auto y_before =
            begins ? Op::template identity<Accumulator>() : converted<Accumulator>(i ? y[i - 1] : before);
        const auto own = converted<Accumulator>(g[i]);
        total = ends ? own : own + turned(Op::carry(x_after, y_here, y_after)) * total;
        g[i] = converted<Number>(turned(Op::share(x_here, y_before, y_here)) * total);
        x_after = x_here, y_after = y_here;
      }
      unpack_row(g, s.to + here, s.type, step, count);
    }
  }
  /// Gradients of complex numbers are multiplied by conjugates of slopes.
  static Accumulator turned(Accumulator slope) {
    if constexpr (is_complex(dtype_of<Accumulator>)) return std::conj(slope);
    else return slope;
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
  const int last = s.around.rank - 1;
  const index_t inner = last >= 0 ? s.around.extent[last] : 1;
  const bool side_by_side = inner >= least_columns && s.to_stride[last] < std::abs(s.to_step);
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
  ScanKernel k{Op::name, Op::accumulator(Compute), scanning::fill, scanning::row, scanning::columns, drive_scan<number>,
               nullptr};
  if constexpr (requires { Op::has_slopes; } && is_differentiable(Compute)) k.back = scanning::back;
  return k;
}
template <class Op, dtype Compute>
inline constexpr ScanKernel scan_kernel = make_scan_kernel<Op, Compute>();

template <class Op, class Stored>
void best_positions(const std::byte* first, std::int64_t* to, index_t n, index_t columns) {
  const auto* const p = reinterpret_cast<const Stored*>(first);
  std::fill_n(to, columns, 0);
  if (columns == 1) {  // the best one stays in a register
    std::int64_t best = 0;
    for (index_t i = 1; i < n; ++i) to[i] = best = Op::takes_over(loaded(p + i), loaded(p + best)) ? i : best;
    return;
  }
  for (index_t i = 1; i < n; ++i)
    for (index_t c = 0; c < columns; ++c) {
      const std::int64_t best = to[(i - 1) * columns + c];
      to[i * columns + c] = Op::takes_over(loaded(p + i * columns + c), loaded(p + best * columns + c)) ? i : best;
    }
}
template <class Op, dtype Type>
inline constexpr PositionScanKernel position_scan_kernel{Op::name, best_positions<Op, element_of<Type>>};

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
