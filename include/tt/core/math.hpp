// The vocabulary of op formulas for a single number. cpu/simd.hpp has the same words for a packet of numbers, so that one
// formula is the scalar reference, the vector kernel and the device kernel. Truth values are 0 and 1 of the same type.
#pragma once
#include <tt/core/dtype.hpp>

#include <cmath>

namespace tt::math {

template <class Number>
concept real_scalar = std::is_arithmetic_v<Number>;
template <class Number>
concept complex_scalar = std::is_same_v<Number, std::complex<float>> || std::is_same_v<Number, std::complex<double>>;
template <class Number>
concept scalar = real_scalar<Number> || complex_scalar<Number>;

template <scalar Number> TT_HD Number exp(Number x) { return std::exp(x); }
template <scalar Number> TT_HD Number log(Number x) { return std::log(x); }
template <scalar Number> TT_HD Number sqrt(Number x) { return std::sqrt(x); }
template <scalar Number> TT_HD Number tanh(Number x) { return std::tanh(x); }
template <real_scalar Number> TT_HD Number log2(Number x) { return std::log2(x); }
template <real_scalar Number> TT_HD Number sin(Number x) { return std::sin(x); }
template <real_scalar Number> TT_HD Number cos(Number x) { return std::cos(x); }
template <real_scalar Number> TT_HD Number atan2(Number y, Number x) { return std::atan2(y, x); }

/// Whole numbers; integers are whole.
template <real_scalar Number> TT_HD Number floor(Number x) {
  if constexpr (std::is_integral_v<Number>) return x;
  else return std::floor(x);
}
template <real_scalar Number> TT_HD Number ceil(Number x) {
  if constexpr (std::is_integral_v<Number>) return x;
  else return std::ceil(x);
}
template <real_scalar Number> TT_HD Number trunc(Number x) {
  if constexpr (std::is_integral_v<Number>) return x;
  else return std::trunc(x);
}
/// Halves to the even one, in the rounding mode that every program starts in.
template <real_scalar Number> TT_HD Number round(Number x) {
  if constexpr (std::is_integral_v<Number>) return x;
  else return std::nearbyint(x);
}

template <real_scalar Number> TT_HD constexpr Number less(Number a, Number b) { return Number(a < b); }
template <real_scalar Number> TT_HD constexpr Number less_equal(Number a, Number b) { return Number(a <= b); }
template <scalar Number> TT_HD constexpr Number equal(Number a, Number b) { return a == b ? Number(1) : Number(0); }
/// a where condition is not 0, else b.
template <scalar Number> TT_HD constexpr Number choose(Number condition, Number a, Number b) {
  return condition != Number(0) ? a : b;
}

/// Integer powers wrap; a negative exponent gives 0, or 1 and -1 for the bases that have an inverse.
template <scalar Number> TT_HD Number pow(Number base, Number exponent) {
  if constexpr (!std::is_integral_v<Number>) {
    return std::pow(base, exponent);
  } else {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    std::uint64_t result = 1, square = std::uint64_t(base);
    for (std::uint64_t rest = std::uint64_t(exponent); rest; rest >>= 1, square *= square)
      if (rest & 1) result *= square;
    return Number(result);
  }
}

/// Sums, differences and products of integers wrap around, as PyTorch's do; signed overflow is undefined in C++.
template <scalar Number> TT_HD constexpr Number plus(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) return Number(std::uint64_t(a) + std::uint64_t(b));
  else return a + b;
}
template <scalar Number> TT_HD constexpr Number minus(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) return Number(std::uint64_t(a) - std::uint64_t(b));
  else return a - b;
}
template <scalar Number> TT_HD constexpr Number times(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) return Number(std::uint64_t(a) * std::uint64_t(b));
  else return a * b;
}
/// Quotients and what they leave. An integer divisor of 0 gives 0: it is refused where its elements are known. -1 divides by
/// turning the sign, which wraps: the processor would trap on the least integer.
template <real_scalar Number> TT_HD Number trunc_divide(Number a, Number b) {
  if constexpr (!std::is_integral_v<Number>) return std::trunc(a / b);
  else return b == 0 ? Number(0) : b == Number(-1) ? minus(Number(0), a) : Number(a / b);
}
template <real_scalar Number> TT_HD Number fmod(Number a, Number b) {
  if constexpr (!std::is_integral_v<Number>) return std::fmod(a, b);
  else return b == 0 || b == Number(-1) ? Number(0) : Number(a % b);
}
template <real_scalar Number> TT_HD Number remainder(Number a, Number b) {
  const Number left = math::fmod(a, b);
  return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}
/// Of floats the whole number next to (a - remainder) / b, as PyTorch and Python have it: floor(a / b) may be one more.
template <real_scalar Number> TT_HD Number floor_divide(Number a, Number b) {
  const Number left = math::fmod(a, b);
  const bool below = left != 0 && (left < 0) != (b < 0);
  if constexpr (std::is_integral_v<Number>) {
    return math::trunc_divide(a, b) - Number(below);
  } else {
    if (b == 0) return a / b;
    const Number quotient = (a - left) / b - Number(below);
    if (quotient == 0) return std::copysign(Number(0), a / b);
    const Number whole = std::floor(quotient);
    return quotient - whole > Number(0.5) ? whole + Number(1) : whole;
  }
}
/// +0 for both zeros; the least integer stays what it is.
template <real_scalar Number> TT_HD constexpr Number abs(Number x) { return x <= Number(0) ? minus(Number(0), x) : x; }

// Of complex numbers. Real results are complex numbers without an imaginary part, as truth values are numbers.
template <complex_scalar Number> TT_HD Number abs(Number x) { return std::abs(x); }
template <complex_scalar Number> TT_HD Number conj(Number x) { return std::conj(x); }
template <complex_scalar Number> TT_HD Number real(Number x) { return x.real(); }
template <complex_scalar Number> TT_HD Number imag(Number x) { return x.imag(); }
template <complex_scalar Number> TT_HD Number angle(Number x) { return std::arg(x); }
template <complex_scalar Number> TT_HD Number times_i(Number x) { return {-x.imag(), x.real()}; }

}  // namespace tt::math
