// Where an element of an iteration space lies: division of its index by extents that are known at the launch. A device
// has no instruction for division; the compiler's code for one takes some 20 instructions in 32 bits, 70 in 64.
#pragma once
#include <tt/core/shape.hpp>

#include <type_traits>

namespace tt::gpu {

/// What a division leaves.
template <class Index>
struct Divided {
  Index quotient, rest;
};

/// Division by d, prepared on the host. This one, for 64-bit numbers, divides.
template <class Index>
class Divisor {
 public:
  Divisor() = default;
  /// @pre d > 0
  explicit Divisor(index_t d) : d_(Index(d)) {}

  TT_HD Divided<Index> divide(Index n) const { return {Index(n / d_), Index(n % d_)}; }

 private:
  Index d_;
};

/// For n and d below 2^31, by a product and a shift: with s the least for which 2^s >= d, and 2^32 + m the least whole
/// number above 2^(32 + s) / d, n / d is (n * m / 2^32 + n) / 2^s. The sum stays below 2^32.
/// Granlund and Montgomery, Division by Invariant Integers using Multiplication (1994), figure 4.1
template <>
class Divisor<std::uint32_t> {
 public:
  Divisor() = default;
  /// @pre 0 < d < 2^31
  explicit Divisor(index_t d) : d_(std::uint32_t(d)) {
    while ((std::uint64_t(1) << shift_) < d_) ++shift_;
    factor_ = std::uint32_t(((std::uint64_t(1) << 32) * ((std::uint64_t(1) << shift_) - d_)) / d_ + 1);
  }

  /// @pre n < 2^31
  TT_HD Divided<std::uint32_t> divide(std::uint32_t n) const {
    const std::uint32_t high = std::uint32_t(std::uint64_t(n) * factor_ >> 32), quotient = (high + n) >> shift_;
    return {quotient, n - quotient * d_};
  }

 private:
  std::uint32_t d_, factor_, shift_ = 0;
};

/// The axes of an iteration space, for Operands operands that are laid over it with strides in elements. Index is
/// std::uint32_t where all indices and offsets are below 2^31, std::uint64_t elsewhere.
template <class Index, int Operands>
struct Axes {
  using Offset = std::make_signed_t<Index>;

  int rank;
  Divisor<Index> extent[max_rank];
  Offset stride[max_rank][Operands];

  /// Writes the offset of element i of the space, counted in row-major order, for each operand.
  TT_HD void locate(Index i, Offset* offset) const {
    for (int k = 0; k < Operands; ++k) offset[k] = 0;
    for (int axis = rank - 1; axis > 0; --axis) {
      const Divided<Index> at = extent[axis].divide(i);
      for (int k = 0; k < Operands; ++k) offset[k] += Offset(at.rest) * stride[axis][k];
      i = at.quotient;
    }
    for (int k = 0; k < Operands; ++k) offset[k] += Offset(i) * stride[0][k];
  }
};

/// Whether Axes<std::uint32_t, ...> serves: the number of elements and the offsets of each operand are below 2^31.
inline bool fits_32_bits(const dims& size, const index_t* const* stride, int operands) {
  constexpr index_t limit = index_t(1) << 31;
  if (size.count() >= limit) return false;
  for (int k = 0; k < operands; ++k) {
    index_t farthest = 0;
    for (int axis = 0; axis < size.rank; ++axis) {
      const index_t step = stride[k][axis] < 0 ? -stride[k][axis] : stride[k][axis];
      if (step >= limit) return false;
      farthest += step * (size.extent[axis] - 1);
    }
    if (farthest >= limit) return false;
  }
  return true;
}

}  // namespace tt::gpu
