// Random numbers as a function: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011. A block of 128 random bits depends on (key, counter) alone; nothing is carried from one number to
// the next, so any split of the work over threads or devices draws the same numbers.
//
//   key     = {seed low, seed high}
//   counter = {block low, block high, stream low, stream high}
//
// Element i of a stream is lane i % 4 of block i / 4 for 32-bit numbers (float, uint32), lane i % 2 of block i / 2 for
// double. Who draws n elements after `offset` others uses the elements offset .. offset + n - 1.
#pragma once
#include <tt/core/config.hpp>

#include <cmath>
#include <cstdint>

namespace tt {

namespace philox {
/// A plain array that functions can return. Not std::array: its members are no device functions.
template <class Value, int Size>
struct lanes {
  static constexpr int size = Size;
  Value lane[Size];

  TT_HD constexpr Value& operator[](int i) { return lane[i]; }
  TT_HD constexpr const Value& operator[](int i) const { return lane[i]; }
  friend constexpr bool operator==(const lanes&, const lanes&) = default;
};
using words = lanes<std::uint32_t, 4>;
using key = lanes<std::uint32_t, 2>;

TT_HD constexpr std::uint32_t low(std::uint64_t x) { return std::uint32_t(x & 0xFFFFFFFFu); }
TT_HD constexpr std::uint32_t high(std::uint64_t x) { return std::uint32_t(x >> 32); }
}  // namespace philox

/// Ten rounds. Each multiplies two words by constants and crosses the halves of the products; the key grows by Weyl
/// constants (golden ratio - 1, sqrt(3) - 1).
TT_HD constexpr philox::words philox4x32(philox::words counter, philox::key key) {
  using philox::high, philox::low;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t q = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {{high(q) ^ counter[1] ^ key[0], low(q), high(p) ^ counter[3] ^ key[1], low(p)}};
    key = {{key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u}};
  }
  return counter;
}

namespace philox {

/// Block number `index` of a stream, in the layout stated above.
TT_HD constexpr words block(std::uint64_t seed, std::uint64_t index, std::uint64_t stream = 0) {
  return philox4x32({{low(index), high(index), low(stream), high(stream)}}, {{low(seed), high(seed)}});
}

/// [0, 1) in steps of 2^-24: all that a float holds below 1, so no rounding reaches 1.
TT_HD constexpr float uniform_float(std::uint32_t bits) { return float(bits >> 8) * 0x1p-24f; }

/// [0, 1) in steps of 2^-53.
TT_HD constexpr double uniform_double(std::uint32_t low_bits, std::uint32_t high_bits) {
  return double(((std::uint64_t{high_bits} << 32) | low_bits) >> 11) * 0x1p-53;
}

/// Box and Muller 1958: sqrt(-2 log r) (cos 2 pi t, sin 2 pi t) are two independent normal numbers.
/// @pre 0 < r <= 1, so that the logarithm is finite
template <class Real>
TT_HD lanes<Real, 2> box_muller(Real r, Real t) {
  const Real radius = std::sqrt(Real(-2) * std::log(r));
  const Real angle = Real(6.283185307179586476925286766559) * t;
  return {{radius * std::cos(angle), radius * std::sin(angle)}};
}

/// r = (a + 1/2) / 2^32 takes all bits of a and reaches 6.7 standard deviations; the 24 bits of uniform_float, 5.8.
TT_HD inline lanes<float, 2> normal_pair(std::uint32_t a, std::uint32_t b) {
  return box_muller(float(a) * 0x1p-32f + 0x1p-33f, uniform_float(b));
}
TT_HD inline lanes<double, 2> normal_pair(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return box_muller(1 - uniform_double(a, b), uniform_double(c, d));
}

// A distribution is one struct: value_type, and the lanes that a block becomes.

struct bits {
  using value_type = std::uint32_t;
  TT_HD static constexpr words from(const words& w) { return w; }
};

struct bits64 {
  using value_type = std::uint64_t;
  TT_HD static constexpr lanes<std::uint64_t, 2> from(const words& w) {
    return {{std::uint64_t{w[1]} << 32 | w[0], std::uint64_t{w[3]} << 32 | w[2]}};
  }
};

/// [0, 1). The same bits on every machine.
template <class Real>
struct uniform;
template <>
struct uniform<float> {
  using value_type = float;
  TT_HD static constexpr lanes<float, 4> from(const words& w) {
    return {{uniform_float(w[0]), uniform_float(w[1]), uniform_float(w[2]), uniform_float(w[3])}};
  }
};
template <>
struct uniform<double> {
  using value_type = double;
  TT_HD static constexpr lanes<double, 2> from(const words& w) {
    return {{uniform_double(w[0], w[1]), uniform_double(w[2], w[3])}};
  }
};

/// Mean 0, variance 1. The same bits as far as the log, sin and cos of two machines agree.
template <class Real>
struct normal;
template <>
struct normal<float> {
  using value_type = float;
  TT_HD static lanes<float, 4> from(const words& w) {
    const lanes<float, 2> a = normal_pair(w[0], w[1]), b = normal_pair(w[2], w[3]);
    return {{a[0], a[1], b[0], b[1]}};
  }
};
template <>
struct normal<double> {
  using value_type = double;
  TT_HD static lanes<double, 2> from(const words& w) { return normal_pair(w[0], w[1], w[2], w[3]); }
};

/// The density exp(-t): -log r with r as in normal_pair, so that it is never 0.
template <class Real>
struct exponential;
template <>
struct exponential<float> {
  using value_type = float;
  TT_HD static lanes<float, 4> from(const words& w) { return {{number(w[0]), number(w[1]), number(w[2]), number(w[3])}}; }
  TT_HD static float number(std::uint32_t a) { return float(-std::log(double(a) * 0x1p-32 + 0x1p-33)); }
};
template <>
struct exponential<double> {
  using value_type = double;
  TT_HD static lanes<double, 2> from(const words& w) { return {{number(w[0], w[1]), number(w[2], w[3])}}; }
  TT_HD static double number(std::uint32_t a, std::uint32_t b) { return -std::log(uniform_double(a, b) + 0x1p-54); }
};

/// Element `index` of a stream.
template <class Distribution>
TT_HD constexpr typename Distribution::value_type draw(std::uint64_t seed, std::uint64_t index,
                                                       std::uint64_t stream = 0) {
  constexpr unsigned width = 16 / sizeof(typename Distribution::value_type);
  return Distribution::from(block(seed, index / width, stream))[int(index % width)];
}

/// Elements offset .. offset + count - 1, each block computed once.
/// @post out[i] == draw<Distribution>(seed, offset + i, stream)
template <class Distribution>
TT_HD constexpr void fill(typename Distribution::value_type* out, index_t count, std::uint64_t seed,
                          std::uint64_t offset, std::uint64_t stream = 0) {
  constexpr unsigned width = 16 / sizeof(typename Distribution::value_type);
  int lane = int(offset % width);
  for (std::uint64_t index = offset / width; count > 0; ++index, lane = 0) {
    const auto values = Distribution::from(block(seed, index, stream));
    for (; lane < values.size && count > 0; ++lane, --count) *out++ = values[lane];
  }
}

}  // namespace philox
}  // namespace tt
