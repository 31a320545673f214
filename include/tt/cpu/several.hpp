// Several programs in one pass: for each packet one program after another, so that a program reads what those before it
// have stored.
#pragma once
#include <tt/cpu/lanes.hpp>
#include <tt/cpu/region.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// What a row reads and writes, in registers: a compiler must expect a store to change what it reads through a pointer.
/// Numbers stay whole vectors. Singles: other operands may be single elements too.
template <class Number, bool Singles, class... Assigned>
struct SeveralOperands {
  static constexpr int reads = (Assigned::program::leaves + ...), writes = int(sizeof...(Assigned));
  struct Numbers {
    bool is[reads];
  };
  static constexpr Numbers number = [] {
    Numbers all{};
    int k = 0;
    const auto note = [&](unsigned bits, int leaves) {
      for (int i = 0; i < leaves; ++i) all.is[k++] = bits >> i & 1;
    };
    (note(Assigned::numbers, Assigned::program::leaves), ...);
    return all;
  }();
  simd<Number> constant[reads];
  const Number* read[reads];
  index_t mask[reads];
  Number* write[writes];

  TT_INLINE explicit SeveralOperands(const Operand* o) {
    for (int k = 0; k < reads; ++k) {
      read[k] = static_cast<const Number*>(o[k].read);
      if (number.is[k]) constant[k] = simd<Number>::load(read[k]);
      if (Singles) mask[k] = o[k].read_mask;
    }
    for (int k = 0; k < writes; ++k) write[k] = static_cast<Number*>(o[reads + k].write);
  }
  template <class>
  TT_INLINE simd<Number> load(int k, index_t i) const {
    if (number.is[k]) return constant[k];
    return simd<Number>::load(read[k] + (Singles ? i & mask[k] : i));
  }
};

template <class Number, int First, int Position>
TT_INLINE void run_programs(const auto&, index_t) {}
template <class Number, int First, int Position, class Program, class... Rest>
TT_INLINE void run_programs(const auto& o, index_t i) {
  Lanes<simd<Number>, Program, First> lanes;
  lanes.forward(o, i);
  lanes.value.store(o.write[Position] + i);
  run_programs<Number, First + Program::leaves, Position + 1, Rest...>(o, i);
}
template <class Number, bool Singles, class... Assigned>
TT_INLINE void several_packets(const Operand* operands, index_t n) {
  const SeveralOperands<Number, Singles, Assigned...> o(operands);
  for (index_t i = 0; i < n; i += simd<Number>::width) run_programs<Number, 0, 0, typename Assigned::program...>(o, i);
}

template <class Number, class... Assigned>
__attribute__((flatten)) void row_several(const Operand* operands, void*, index_t n) {
  using all = SeveralOperands<Number, false, Assigned...>;
  index_t contiguous = -1;
  for (int k = 0; k < all::reads; ++k)
    if (!all::number.is[k]) contiguous &= operands[k].read_mask;
  if (contiguous == -1) several_packets<Number, false, Assigned...>(operands, n);
  else several_packets<Number, true, Assigned...>(operands, n);
}

/// The last t elements, in packets of their own. Operands that begin at one element share a packet, as they share memory.
template <class Number>
TT_NOINLINE void several_tail(RowFunction row, Operand* o, const FlatOperand* operand, int leaves, int written, index_t first, index_t t) {
  Packet<Number> packet[max_assignments * (max_leaves + 1)];
  Packet<Number>* mine[max_assignments * (max_leaves + 1)];
  for (int k = 0; k < leaves + written; ++k) {
    if (operand[k].single) continue;
    mine[k] = &packet[k];
    for (int j = 0; j < k; ++j)
      if (!operand[j].single && operand[j].data == operand[k].data) mine[k] = mine[j];
    const Number* row_end = reinterpret_cast<const Number*>(operand[k].data) + first;
    // Spare lanes repeat the last element, so that no formula meets values that are not there.
    if (mine[k] == &packet[k])
      for (index_t j = 0; j < simd<Number>::width; ++j) packet[k].lane[j] = row_end[(std::min)(j, t - 1)];
    o[k].read = o[k].write = mine[k]->lane;
  }
  row(o, nullptr, simd<Number>::width);
  for (int k = leaves; k < leaves + written; ++k)
    std::copy_n(mine[k]->lane, t, reinterpret_cast<Number*>(operand[k].data) + first);
}

template <class Number>
TT_NOINLINE void drive_several(RowFunction row, const FlatOperand* operand, int leaves, int written, index_t n) {
  constexpr int width = simd<Number>::width;
  const index_t packets = n / width, chunks = std::clamp<index_t>(n / parallel_grain, 1, 32);
  parallel_chunks(chunks, [&](index_t chunk) {
    const index_t begin = chunk * packets / chunks * width, end = (chunk + 1) * packets / chunks * width;
    Operand o[max_assignments * (max_leaves + 1)];
    Packet<Number> single[max_assignments * (max_leaves + 1)];
    for (int k = 0; k < leaves + written; ++k) {
      o[k].read_mask = operand[k].single ? 0 : -1;
      if (operand[k].single) {
        single[k].fill_from(operand[k].data, operand[k].type);
        o[k].read = single[k].lane;
      } else {
        o[k].read = o[k].write = operand[k].data + begin * index_t(sizeof(Number));
      }
    }
    if (end > begin) row(o, nullptr, end - begin);
    if (chunk == chunks - 1 && n % width) several_tail<Number>(row, o, operand, leaves, written, end, n % width);
  });
}

/// @tparam Assigned  prog::assigned
template <dtype Type, class... Assigned>
inline constexpr SeveralKernel several_kernel{Type, row_several<element_of<Type>, Assigned...>, drive_several<element_of<Type>>};

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
