// The CPU's reductions: rows of an elementwise region are joined while they are in the first-level cache.
#pragma once
#include <tt/cpu/region.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// Values each lane joins before they are added to a wider accumulator: keeps the error of float sums to a few roundings.
inline constexpr index_t joins_a_lane = 32;

template <class Op, class Number, class Accumulator>
struct Joining {
  static void fill(void* accumulators, index_t n) {
    std::fill_n(static_cast<Accumulator*>(accumulators), n, Op::template identity<Accumulator>());
  }
  static void row(void* accumulator, const void* values, index_t n) {
    using V = simd<Number>;
    constexpr index_t step = 4 * V::width, join_block = joins_a_lane * step;
    const auto* p = static_cast<const Number*>(values);
    auto& total = *static_cast<Accumulator*>(accumulator);
    while (n >= step) {
      const index_t block = (std::min)(n, join_block) / step * step;
      V a = V::load(p), b = V::load(p + V::width), c = V::load(p + 2 * V::width), d = V::load(p + 3 * V::width);
      for (index_t i = step; i < block; i += step) {
        a = Op::join(a, V::load(p + i));
        b = Op::join(b, V::load(p + i + V::width));
        c = Op::join(c, V::load(p + i + 2 * V::width));
        d = Op::join(d, V::load(p + i + 3 * V::width));
      }
      Number lane[V::width];
      Op::join(Op::join(a, b), Op::join(c, d)).store(lane);
      for (Number x : lane) total = Op::join(total, Accumulator(x));
      p += block;
      n -= block;
    }
    for (index_t i = 0; i < n; ++i) total = Op::join(total, Accumulator(p[i]));
  }
  static void columns(void* accumulators, const void* values, index_t n) {
    auto* to = static_cast<Accumulator*>(accumulators);
    const auto* p = static_cast<const Number*>(values);
    for (index_t i = 0; i < n; ++i) to[i] = Op::join(to[i], Accumulator(p[i]));
  }
  static void join(void* accumulators, const void* others, index_t n) {
    auto* to = static_cast<Accumulator*>(accumulators);
    const auto* p = static_cast<const Accumulator*>(others);
    for (index_t i = 0; i < n; ++i) to[i] = Op::join(to[i], p[i]);
  }
  static void finish(const void* accumulators, std::byte* out, dtype type, index_t n,
                     [[maybe_unused]] double divisor) {
    const auto* p = static_cast<const Accumulator*>(accumulators);
    if constexpr (requires { Op::divides; }) {
      if (divisor != 1) {
        for (index_t i = 0; i < n; ++i) {
          const Accumulator x = p[i] / Accumulator(divisor);
          unpack_row(&x, out + i * index_t(size_of(type)), type, 1, 1);
        }
        return;
      }
    }
    unpack_row(p, out, type, 1, n);
  }
};

/// Whether the values are those of one leaf. They are joined where they lie, if they lie in rows of the right dtype.
inline bool is_leaf(const MapKernel& map, const Region& r) {
  return r.leaves == 1 && map.name_count == 1 && map.names[0] == "copy";
}
template <class Number>
bool lies_in_rows(const Region& r) {
  return access_of<Number>(r.leaf[0].type, r.leaf[0].stride[r.size.rank - 1]) == Access::direct;
}

/// Joins the items first .. end of a region into accumulators.
template <class Number>
TT_NOINLINE void reduce_items(const MapKernel& map, const ReduceKernel& k, const Region& r, const Cut& cut, index_t item,
                              index_t end, std::byte* accumulators) {
  constexpr int width = simd<Number>::width;
  const int last = r.size.rank - 1, operands = r.leaves + 1;
  Reads<Number> reads(r.leaves, r.leaf, last);
  const bool bare = is_leaf(map, r);
  const index_t accumulator_bytes = index_t(size_of(k.accumulator));
  const bool along_row = r.out.stride[last] == 0;
  RowBuffer<Number> row;
  Packet<Number> tail;
  Operand o[max_leaves];
  const index_t* stride[max_leaves + 1];
  index_t offset[max_leaves + 1];
  for (int i = 0; i < r.leaves; ++i) stride[i] = r.leaf[i].stride;
  stride[r.leaves] = r.out.stride;
  Odometer odometer;
  if (item == end) return;
  odometer.seek(r.size, cut, item, stride, operands, offset);
  for (;;) {
    const index_t n = (std::min)(cut.segment, cut.row_length - odometer.segment_index * cut.segment);
    const void* values = row.element;
    if (bare) {
      values = reads.at(0, offset[0]);
    } else {
      const index_t t = n % width, m = n - t;
      reads.bind(o, offset, n);
      if (m) map.forward(o, row.element, m);
      if (t) {
        reads.bind_tail(o, n, t);
        map.forward(o, tail.lane, width);
        std::copy_n(tail.lane, t, row.element + m);
      }
    }
    (along_row ? k.row : k.columns)(accumulators + offset[r.leaves] * accumulator_bytes, values, n);
    if (++item == end) return;
    odometer.next(r.size, cut, stride, operands, offset);
  }
}

/// Values that are packed at once where the rows of a space are not rows of memory: whole blocks of Joining::row, so that
/// joining them one after the other gives the bits of joining them at once.
template <class Number>
struct PieceBuffer {
  static constexpr index_t block = joins_a_lane * 4 * simd<Number>::width;
  static constexpr index_t capacity = (std::max)(block, packed_row);
  alignas(64) Number element[std::size_t(capacity + simd<Number>::width)];
};

/// As reduce_items, where the operands do not step through the rows as they step through memory: `whole` has the rows and the
/// strides of out, `r` the axes of the operands. A segment is put together from the pieces of r's rows that it is made of.
template <class Number>
TT_NOINLINE void reduce_pieces(const MapKernel& map, const ReduceKernel& k, const Region& r, const Region& whole, const Cut& cut,
                               index_t item, index_t end, std::byte* accumulators) {
  constexpr int width = simd<Number>::width;
  const int last = r.size.rank - 1;
  const index_t run = r.size.extent[last], accumulator_bytes = index_t(size_of(k.accumulator));
  const bool leaf = is_leaf(map, r);
  const index_t most = leaf ? PieceBuffer<Number>::block : packed_row;
  const bool along_row = whole.out.stride[whole.size.rank - 1] == 0;
  Reads<Number> reads(r.leaves, r.leaf, last);
  PieceBuffer<Number> values;
  Packet<Number> tail;
  Operand o[max_leaves];
  const index_t *stride[max_leaves], *out_stride = whole.out.stride;
  index_t offset[max_leaves], out_offset, at = 0;
  for (int i = 0; i < r.leaves; ++i) stride[i] = r.leaf[i].stride;
  const Cut runs(r.size, run);  // one item a row
  Odometer place, piece;
  if (item == end) return;
  place.seek(whole.size, cut, item, &out_stride, 1, &out_offset);
  const index_t first = item / cut.segments_per_row * cut.row_length + place.segment_index * cut.segment;
  piece.seek(r.size, runs, first / run, stride, r.leaves, offset);
  at = first % run;
  for (;;) {
    const index_t n = (std::min)(cut.segment, cut.row_length - place.segment_index * cut.segment);
    for (index_t done = 0; done < n;) {
      const index_t wanted = (std::min)(n - done, most);
      for (index_t filled = 0; filled < wanted;) {
        const index_t length = (std::min)({wanted - filled, run - at, packed_row});
        if (leaf) {
          pack_row(values.element + filled, reads.at(0, offset[0] + at * stride[0][last]), r.leaf[0].type, stride[0][last], length);
        } else {
          index_t from[max_leaves];
          for (int i = 0; i < r.leaves; ++i) from[i] = offset[i] + at * stride[i][last];
          reads.bind(o, from, length);
          const index_t t = length % width, m = length - t;
          if (m) map.forward(o, values.element + filled, m);
          if (t) {
            reads.bind_tail(o, length, t);
            map.forward(o, tail.lane, width);
            std::copy_n(tail.lane, t, values.element + filled + m);
          }
        }
        filled += length;
        at += length;
        if (at == run) {
          at = 0;
          piece.next(r.size, runs, stride, r.leaves, offset);
        }
      }
      if (along_row) k.row(accumulators + out_offset * accumulator_bytes, values.element, wanted);
      else k.columns(accumulators + (out_offset + done) * accumulator_bytes, values.element, wanted);
      done += wanted;
    }
    if (++item == end) return;
    place.next(whole.size, cut, &out_stride, 1, &out_offset);
  }
}

/// Chunks follow the outermost axis. Where that is reduced, each has accumulators of its own, joined in order. The order in
/// which values are joined follows from the shape and the reduced axes alone, so that every layout gives the same bits.
template <class Number>
TT_NOINLINE void drive_reduce(const MapKernel& map, const ReduceKernel& k, Region& r, index_t out_count) {
  Region whole;
  whole.size = r.size;
  std::copy_n(r.out.stride, r.size.rank, whole.out.stride);
  index_t* whole_stride = whole.out.stride;
  coalesce(whole.size, &whole_stride, 1, 1);
  index_t* stride[max_leaves + 1];
  for (int i = 0; i < r.leaves; ++i) stride[i] = r.leaf[i].stride;
  stride[r.leaves] = r.out.stride;
  coalesce(r.size, stride, r.leaves + 1, r.leaves + 1);
  k.fill(r.out.data, out_count);
  const index_t n = r.size.count();
  if (n == 0) return;
  const bool leaf = is_leaf(map, r), in_rows = r.size == whole.size && (!leaf || lies_in_rows<Number>(r));
  const Cut cut(whole.size, leaf ? longest_row : packed_row);
  const auto items = [&](index_t first, index_t end, std::byte* accumulators) {
    if (in_rows) reduce_items<Number>(map, k, r, cut, first, end, accumulators);
    else reduce_pieces<Number>(map, k, r, whole, cut, first, end, accumulators);
  };
  if (cut.chunks == 1) return items(0, cut.items, r.out.data);
  const bool kept_outside = whole.size.rank > 1 && whole.out.stride[0] != 0;
  if (kept_outside) {
    const index_t outer = whole.size.extent[0], each = cut.items / outer, chunks = (std::min)(cut.chunks, outer);
    parallel_chunks(chunks, [&](index_t c) { items(c * outer / chunks * each, (c + 1) * outer / chunks * each, r.out.data); });
    return;
  }
  const index_t chunks = (std::min)(cut.chunks, std::max<index_t>(1, n / out_count));
  if (chunks == 1) return items(0, cut.items, r.out.data);
  const index_t bytes = out_count * index_t(size_of(k.accumulator));
  const auto parts = detail::make_storage(std::size_t(chunks * bytes));
  parallel_chunks(chunks, [&](index_t c) {
    std::byte* part = parts->data + c * bytes;
    k.fill(part, out_count);
    items(c * cut.items / chunks, (c + 1) * cut.items / chunks, part);
  });
  for (index_t c = 0; c < chunks; ++c) k.join(r.out.data, parts->data + c * bytes, out_count);
}

template <class Op, dtype Compute>
constexpr ReduceKernel make_reduce_kernel() {
  using number = element_of<Compute>;
  using joining = Joining<Op, number, element_of<Op::accumulator(Compute)>>;
  return {Op::name,           Op::accumulator(Compute), requires { Op::divides; }, joining::fill, joining::row,
          joining::columns, joining::join,            drive_reduce<number>,       joining::finish};
}
template <class Op, dtype Compute>
inline constexpr ReduceKernel reduce_kernel = make_reduce_kernel<Op, Compute>();

template <class Op, class Stored>
std::int64_t best_position(const std::byte* first, index_t length, index_t step) {
  const auto* p = reinterpret_cast<const Stored*>(first);
  index_t best = 0;
  for (index_t i = 1; i < length; ++i)
    if (Op::better(p[i * step], p[best * step])) best = i;
  return best;
}
template <class Op, dtype Type>
inline constexpr ArgKernel arg_kernel{Op::name, best_position<Op, element_of<Type>>};

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
