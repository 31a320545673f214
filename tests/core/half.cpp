#include <tt/core/half.hpp>

#include "../catch.hpp"

#include <cmath>
#include <limits>

using tt::bfloat16;
using tt::half;

namespace {

/// Every number that half has, by the definition of binary16.
double half_by_definition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent ? std::ldexp(1 + mantissa / 1024., exponent - 15) : std::ldexp(mantissa / 1024., -14));
}

/// The nearest of all finite numbers and 2^largest, ties to the even mantissa: bits of a positive x.
template <class Number>
std::uint16_t nearest_bits(float x, std::uint16_t infinity) {
  std::uint16_t low = 0, high = infinity;  // bits of positive numbers are ordered as they are
  const auto value = [&](std::uint16_t b) {
    if (b == infinity) return 2 * double(float(std::bit_cast<Number>(std::uint16_t(infinity - 1)))) -
                              double(float(std::bit_cast<Number>(std::uint16_t(infinity - 2))));  // as if the exponent went on
    return double(float(std::bit_cast<Number>(b)));
  };
  while (high - low > 1) {
    const auto middle = std::uint16_t((low + high) / 2);
    (value(middle) <= double(x) ? low : high) = middle;
  }
  const double below = double(x) - value(low), above = value(high) - double(x);
  return below < above || (below == above && low % 2 == 0) ? low : high;
}

}  // namespace

TEST_CASE("half: every one of its numbers goes to float and back", "[core]") {
  for (unsigned b = 0; b < 0x10000; ++b) {
    const half h = std::bit_cast<half>(std::uint16_t(b));
    const double want = half_by_definition(std::uint16_t(b));
    if (want != want) {
      CHECK(std::isnan(float(h)));
      CHECK(std::isnan(float(half(float(h)))));
    } else if (double(float(h)) != want || half(float(h)).bits != b) {
      FAIL("bits " << b);
    }
  }
}

TEST_CASE("half and bfloat16: floats round to the nearest, ties to even", "[core]") {
  std::uint32_t bits = 12345;
  for (int i = 0; i < 200000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    const float x = std::bit_cast<float>(bits & 0x7fffffff);
    if (!(x < std::numeric_limits<float>::infinity())) continue;
    const float y = std::ldexp(x, -((int(bits >> 23 & 255) - 127) / 6));  // many of them in half's range
    if (x < 131000 && half(x).bits != nearest_bits<half>(x, 0x7c00)) FAIL("half(" << x << ")");
    if (y < 131000 && half(y).bits != nearest_bits<half>(y, 0x7c00)) FAIL("half(" << y << ")");
    if (half(-y).bits != (half(y).bits | 0x8000)) FAIL("half(-" << y << ")");
    if (bfloat16(y).bits != nearest_bits<bfloat16>(y, 0x7f80)) FAIL("bfloat16(" << y << ")");
  }
  CHECK(half(65519.f).bits == 0x7bff);
  CHECK(half(65520.f).bits == 0x7c00);
  CHECK(half(1e30f).bits == 0x7c00);
  CHECK(half(0x1p-24f).bits == 1);
  CHECK(half(0x1p-25f).bits == 0);
  CHECK(half(0x1.8p-25f).bits == 1);
  CHECK(half(-0.f).bits == 0x8000);
  CHECK(bfloat16(3.4e38f).bits == 0x7f80);
  CHECK(bfloat16(std::numeric_limits<float>::quiet_NaN()).bits == 0x7fc0);
  CHECK(std::isnan(float(half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("half and bfloat16: they are numbers in constant expressions, and arithmetic is float's", "[core]") {
  static_assert(float(half(1.5f)) == 1.5f && half(2) + half(3) == 5.f && float(bfloat16(0.25)) == 0.25f);
  static_assert(std::is_same_v<decltype(half(1) * half(1)), float>);
  static_assert(!std::is_convertible_v<float, half> && std::is_convertible_v<half, float>);
  half h(1);
  h += 0.5f;
  h *= 4;
  CHECK(float(h) == 6);
  CHECK(float(half(bfloat16(3))) == 3);
}
