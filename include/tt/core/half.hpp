// half and bfloat16: 16-bit floating numbers that are stored, while kernels compute in float. Rounding is to nearest, ties
// to even.
#pragma once
#include <tt/core/config.hpp>

#include <cstdint>
#include <type_traits>

namespace tt {

namespace detail {

/// What float can be made of without asking: numbers, and the 16-bit types themselves.
template <class Number>
concept converts_to_float = std::is_convertible_v<Number, float>;

// The compiler's bit_cast: that of the standard library is not for devices.
TT_HD constexpr std::uint16_t half_bits(float x) {
  constexpr std::uint32_t infinity = 0x7f800000, overflow = 0x47800000 /* 2^16 */, least_normal = 0x38800000 /* 2^-14 */;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x), sign = bits & 0x80000000, rest = bits ^ sign;
  std::uint32_t out;
  if (rest >= overflow) {
    out = rest > infinity ? 0x7e00 : 0x7c00;
  } else if (rest < least_normal) {  // next to 0.5 a float has the spacing that half has down here
    constexpr float one_half = 0.5f;
    out = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, rest) + one_half) -
          __builtin_bit_cast(std::uint32_t, one_half);
  } else {
    out = (rest - (std::uint32_t(127 - 15) << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
  }
  return std::uint16_t(out | sign >> 16);
}
TT_HD constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 0)
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, float(mantissa) * 0x1p-24f) | sign);
  return __builtin_bit_cast(float, sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | mantissa << 13);
}

TT_HD constexpr std::uint16_t bfloat16_bits(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  if (x != x) return 0x7fc0;
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
TT_HD constexpr float bfloat16_value(std::uint16_t bits) { return __builtin_bit_cast(float, std::uint32_t(bits) << 16); }

}  // namespace detail

/// IEEE 754 binary16: 11 bits of precision, largest number 65504. Arithmetic on it is float arithmetic.
struct half {
  std::uint16_t bits;

  half() = default;
  template <detail::converts_to_float Number>
    requires(!std::is_same_v<Number, half> && !std::is_same_v<Number, float>)
  TT_HD constexpr explicit half(Number x) : half(static_cast<float>(x)) {}
  TT_HD TT_NOINLINE constexpr explicit half(float x) : bits(detail::half_bits(x)) {}
  TT_HD TT_NOINLINE constexpr operator float() const { return detail::half_value(bits); }
  TT_NOINLINE constexpr half& operator+=(float x) { return *this = half(*this + x); }
  constexpr half& operator-=(float x) { return *this = half(*this - x); }
  constexpr half& operator*=(float x) { return *this = half(*this * x); }
  constexpr half& operator/=(float x) { return *this = half(*this / x); }
};

/// The upper half of a float: its range, 8 bits of precision. Arithmetic on it is float arithmetic.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  template <detail::converts_to_float Number>
    requires(!std::is_same_v<Number, bfloat16> && !std::is_same_v<Number, float>)
  TT_HD constexpr explicit bfloat16(Number x) : bfloat16(static_cast<float>(x)) {}
  TT_HD constexpr explicit bfloat16(float x) : bits(detail::bfloat16_bits(x)) {}
  TT_HD constexpr operator float() const { return detail::bfloat16_value(bits); }
  TT_NOINLINE constexpr bfloat16& operator+=(float x) { return *this = bfloat16(*this + x); }
  constexpr bfloat16& operator-=(float x) { return *this = bfloat16(*this - x); }
  constexpr bfloat16& operator*=(float x) { return *this = bfloat16(*this * x); }
  constexpr bfloat16& operator/=(float x) { return *this = bfloat16(*this / x); }
};

namespace detail {
template <class Type>
inline constexpr bool is_short_float = std::is_same_v<Type, half> || std::is_same_v<Type, bfloat16>;
}

}  // namespace tt
