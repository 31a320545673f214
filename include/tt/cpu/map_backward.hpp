// Backward drive of an elementwise region: recomputes the forward values and adds into the gradient of every wanted leaf.
#pragma once
#include <tt/cpu/region.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// The gradients of one region as rows.
template <class Number>
struct Writes {
  static constexpr int width = simd<Number>::width;
  int count, last_axis;
  const GradientSlot* slot;
  Access access[max_leaves];
  Packet<Number> scratch;
  Packet<Number> sums[max_leaves];
  Packet<Number> tail[max_leaves];
  RowBuffer<Number> packed[max_leaves];

  Writes(int leaves, const GradientSlot* slots, int last) : count(leaves), last_axis(last), slot(slots) {
    for (int k = 0; k < count; ++k)
      if (slot[k].to.data) access[k] = access_of<Number>(slot[k].to.type, slot[k].to.stride[last]);
  }
  std::byte* at(int k, index_t offset) const { return slot[k].to.data + offset * index_t(size_of(slot[k].to.type)); }
  TT_INLINE static void assign_to(Operand& o, Number* to, index_t mask) {
    o.write = to;
    o.write_mask = mask;
    o.base = nothing<Number>.lane;
    o.base_mask = 0;
  }
  /// For whole packets of a row.
  void bind(Operand* o, const index_t* offset) {
    for (int k = 0; k < count; ++k) {
      if (!slot[k].to.data) {
        assign_to(o[k], scratch.lane, 0);
      } else if (access[k] == Access::packed) {
        assign_to(o[k], packed[k].element, -1);
      } else if (access[k] == Access::single) {
        sums[k] = nothing<Number>;
        assign_to(o[k], sums[k].lane, 0);
        o[k].base = sums[k].lane;
      } else {
        assign_to(o[k], reinterpret_cast<Number*>(at(k, offset[k])), -1);
        if (!slot[k].first) o[k].base = o[k].write, o[k].base_mask = -1;
      }
    }
  }
  /// For the last, partial packet.
  void bind_tail(Operand* o) {
    for (int k = 0; k < count; ++k) assign_to(o[k], slot[k].to.data ? tail[k].lane : scratch.lane, 0);
  }
  /// After the row of n elements, of which the last t were in packets of their own.
  void finish(const index_t* offset, index_t n, index_t t) {
    for (int k = 0; k < count; ++k) {
      if (!slot[k].to.data) continue;
      const auto& to = slot[k].to;
      if (access[k] == Access::single) {
        Number total = 0;
        if (n - t)
          for (Number x : sums[k].lane) total += x;
        for (index_t j = 0; j < t; ++j) total += tail[k].lane[j];
        add_row(&total, at(k, offset[k]), to.type, 0, 1);
      } else if (access[k] == Access::direct) {
        auto* end = reinterpret_cast<Number*>(at(k, offset[k])) + (n - t);
        for (index_t j = 0; j < t; ++j) end[j] = slot[k].first ? tail[k].lane[j] : end[j] + tail[k].lane[j];
      } else {
        std::copy_n(tail[k].lane, t, packed[k].element + (n - t));
        (slot[k].first ? unpack_row<Number> : add_row<Number>)(packed[k].element, at(k, offset[k]), to.type, to.stride[last_axis], n);
      }
    }
  }
};

/// The operands of a backward region: leaves, the incoming gradient, and the leaves' gradients.
struct BackwardOperands {
  static constexpr int most = 2 * max_leaves + 1;
  int count = 0;
  index_t* stride[most];
  explicit BackwardOperands(Region& r) {
    for (int k = 0; k <= r.leaves; ++k) stride[count++] = r.leaf[k].stride;
    for (int k = 0; k < r.leaves; ++k) stride[count++] = r.gradient[k].to.data ? r.gradient[k].to.stride : r.leaf[k].stride;
  }
};

template <class Number>
TT_NOINLINE void backward_chunk(RowFunction row, const Region& r, const GradientSlot* slots, const Cut& cut,
                                const BackwardOperands& all, index_t chunk) {
  constexpr int width = simd<Number>::width;
  const int last = r.size.rank - 1;
  Reads<Number> reads(r.leaves + 1, r.leaf, last);
  Writes<Number> writes(r.leaves, slots, last);
  Operand o[max_leaves + 1];
  index_t offset[BackwardOperands::most];
  const index_t* const gradient_offset = offset + r.leaves + 1;
  Odometer odometer;
  index_t item = chunk * cut.items / cut.chunks;
  const index_t end = (chunk + 1) * cut.items / cut.chunks;
  if (item == end) return;
  odometer.seek(r.size, cut, item, all.stride, all.count, offset);
  for (;;) {
    const index_t n = (std::min)(cut.segment, cut.row_length - odometer.segment_index * cut.segment);
    const index_t t = n % width, m = n - t;
    reads.bind(o, offset, n);
    writes.bind(o, gradient_offset);
    if (m) row(o, nullptr, m);
    if (t) {
      reads.bind_tail(o, n, t);
      writes.bind_tail(o);
      row(o, nullptr, width);
    }
    writes.finish(gradient_offset, n, t);
    if (++item == end) return;
    odometer.next(r.size, cut, all.stride, all.count, offset);
  }
}

/// Everything contiguous: whole packets, past the end into the spare ones of leaves and gradients.
template <class Number>
TT_INLINE bool backward_flat(RowFunction row, const Region& r) {
  if (r.size.rank != 1 || r.size.extent[0] > longest_row) return false;
  Operand o[max_leaves + 1];
  Packet<Number> single[max_leaves + 1], scratch;
  for (int k = 0; k <= r.leaves; ++k) {
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
  for (int k = 0; k < r.leaves; ++k) {
    const GradientSlot& g = r.gradient[k];
    if (!g.to.data) {
      Writes<Number>::assign_to(o[k], scratch.lane, 0);
      continue;
    }
    if (g.to.stride[0] != 1 || g.to.type != dtype_of<Number>) return false;
    Writes<Number>::assign_to(o[k], reinterpret_cast<Number*>(g.to.data), -1);
    if (!g.first) o[k].base = o[k].write, o[k].base_mask = -1;
  }
  row(o, nullptr, r.size.extent[0]);
  return true;
}

/// @pre gradient slots are contiguous buffers of our own; no two of them overlap unless their strides are equal.
template <class Number>
TT_NOINLINE void drive_backward(RowFunction row, Region& r) {
  if (r.size.rank == 1 && r.size.extent[0] > 1 && backward_flat<Number>(row, r)) return;  // the common case, without coalesce
  bool shared[max_leaves];
  for (int k = 0; k < r.leaves; ++k) {
    GradientSlot& g = r.gradient[k];
    shared[k] = false;
    if (!g.to.data) continue;
    for (int axis = 0; axis < r.size.rank; ++axis) shared[k] |= r.size.extent[axis] != 1 && g.to.stride[axis] == 0;
  }
  const index_t n = r.size.count();
  BackwardOperands all(r);
  coalesce(r.size, all.stride, all.count, r.leaves + 1);
  for (int k = 0; k < r.leaves; ++k) {
    GradientSlot& g = r.gradient[k];
    if (!g.to.data || !g.first || !(shared[k] || n == 0)) continue;
    std::memset(g.to.data, 0, std::size_t(g.count) * size_of(g.to.type));  // many rows add to a broadcast leaf
    g.first = false;
  }
  if (n == 0 || backward_flat<Number>(row, r)) return;
  bool packed = false;
  const int last = r.size.rank - 1;
  for (int k = 0; k <= r.leaves; ++k) packed |= access_of<Number>(r.leaf[k].type, r.leaf[k].stride[last]) == Access::packed;
  for (int k = 0; k < r.leaves; ++k)
    packed |= r.gradient[k].to.data && access_of<Number>(r.gradient[k].to.type, r.gradient[k].to.stride[last]) == Access::packed;
  const Cut cut(r.size, packed ? packed_row : longest_row);
  bool wide = false;  // a gradient that many rows add to is stored narrower than it is computed
  for (int k = 0; k < r.leaves; ++k)
    wide |= r.gradient[k].to.data && shared[k] && r.gradient[k].to.type != dtype_of<Number>;
  if (cut.chunks == 1 && !wide) return backward_chunk<Number>(row, r, r.gradient, cut, all, 0);

  // Every chunk adds a broadcast leaf's gradient up by itself; the parts are joined in order, whatever ran them, and
  // are rounded once.
  detail::Ref<Storage> room[max_leaves];
  Number* part[max_leaves]{};
  for (int k = 0; k < r.leaves; ++k) {
    if (!r.gradient[k].to.data || !shared[k]) continue;
    const std::size_t count = std::size_t(cut.chunks * r.gradient[k].count);
    room[k] = detail::make_storage(count * sizeof(Number));
    part[k] = reinterpret_cast<Number*>(room[k]->data);
    std::fill_n(part[k], count, Number(0));
  }
  parallel_chunks(cut.chunks, [&](index_t chunk) {
    GradientSlot slots[max_leaves];
    for (int k = 0; k < r.leaves; ++k) {
      slots[k] = r.gradient[k];
      if (!part[k]) continue;
      slots[k].to.data = reinterpret_cast<std::byte*>(part[k] + chunk * slots[k].count);
      slots[k].to.type = dtype_of<Number>;
    }
    backward_chunk<Number>(row, r, slots, cut, all, chunk);
  });
  for (int k = 0; k < r.leaves; ++k) {
    if (!part[k]) continue;
    const index_t count = r.gradient[k].count;
    Number* const sum = part[k];
    for (const Number* next = sum + count; next < sum + cut.chunks * count; next += count)
      for (index_t i = 0; i < count; ++i) sum[i] += next[i];
    add_row(sum, r.gradient[k].to.data, r.gradient[k].to.type, 1, count);
  }
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
