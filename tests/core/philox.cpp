#include <tt/core/philox.hpp>

#include "../catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace philox = tt::philox;

// Random123 1.14, tests/kat_vectors, the lines "philox4x32 10".
static_assert(tt::philox4x32({{0, 0, 0, 0}}, {{0, 0}}) ==
              philox::words{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
static_assert(tt::philox4x32({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, {{0xffffffff, 0xffffffff}}) ==
              philox::words{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
static_assert(tt::philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}) ==
              philox::words{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});

// The counter layout: key = seed, counter = {block, stream}, low words first.
static_assert(philox::block(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e) ==
              philox::words{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});

static_assert(philox::uniform_float(0) == 0.f && philox::uniform_float(0xffffffff) == 1.f - 0x1p-24f);
static_assert(philox::uniform_double(0, 0) == 0. && philox::uniform_double(0xffffffff, 0xffffffff) == 1. - 0x1p-53);

/// The four moments that a wrong conversion or a reused lane would move.
struct moments {
  double mean = 0, variance = 0, neighbours = 0, fourth = 0;
};

template <class Value>
moments moments_of(const std::vector<Value>& x) {
  moments m;
  const auto n = double(x.size());
  for (Value v : x) m.mean += double(v) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = double(x[i]) - m.mean;
    m.variance += d * d / n;
    m.fourth += d * d * d * d / n;
    if (i) m.neighbours += d * (double(x[i - 1]) - m.mean) / n;
  }
  return m;
}

template <class Distribution>
std::vector<typename Distribution::value_type> drawn(std::size_t n, std::uint64_t seed, std::uint64_t offset = 0) {
  std::vector<typename Distribution::value_type> x(n);
  philox::fill<Distribution>(x.data(), tt::index_t(n), seed, offset);
  return x;
}

template <class Distribution>
void check_that_splits_agree() {
  for (std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{3}, (std::uint64_t{1} << 34) - 2})
    for (std::size_t n : {0u, 1u, 2u, 5u, 16u, 33u}) {
      const auto whole = drawn<Distribution>(n, 42, offset);
      for (std::size_t cut = 0; cut <= n; ++cut) {
        auto parts = drawn<Distribution>(cut, 42, offset);
        const auto rest = drawn<Distribution>(n - cut, 42, offset + cut);
        parts.insert(parts.end(), rest.begin(), rest.end());
        CHECK(parts == whole);
      }
      for (std::size_t i = 0; i < n; ++i) CHECK(philox::draw<Distribution>(42, offset + i) == whole[i]);
    }
}

TEST_CASE("philox: an element depends on seed, stream and position alone", "[core]") {
  check_that_splits_agree<philox::bits>();
  check_that_splits_agree<philox::uniform<float>>();
  check_that_splits_agree<philox::uniform<double>>();
  check_that_splits_agree<philox::normal<float>>();
  check_that_splits_agree<philox::normal<double>>();
  CHECK(philox::draw<philox::bits>(1, 0) != philox::draw<philox::bits>(2, 0));
  CHECK(philox::draw<philox::bits>(1, 0, 0) != philox::draw<philox::bits>(1, 0, 1));
}

// 2^18 numbers: the tolerances are about five standard deviations of each moment's estimate.
TEST_CASE("philox: uniform numbers have the moments of [0, 1) and stay inside it", "[core]") {
  const auto check = [](const auto& x) {
    const moments m = moments_of(x);
    CHECK(m.mean == Approx(0.5).margin(0.003));
    CHECK(m.variance == Approx(1. / 12).margin(0.001));
    CHECK(m.fourth == Approx(1. / 80).margin(0.0002));
    CHECK(m.neighbours == Approx(0).margin(0.001));
    std::size_t outside = 0;
    for (auto v : x) outside += v < 0 || v >= 1;
    CHECK(outside == 0);
  };
  check(drawn<philox::uniform<float>>(1 << 18, 7));
  check(drawn<philox::uniform<double>>(1 << 18, 7));
}

TEST_CASE("philox: normal numbers have mean 0, variance 1 and fourth moment 3", "[core]") {
  const auto check = [](const auto& x) {
    const moments m = moments_of(x);
    CHECK(m.mean == Approx(0).margin(0.01));
    CHECK(m.variance == Approx(1).margin(0.015));
    CHECK(m.fourth == Approx(3).margin(0.1));
    CHECK(m.neighbours == Approx(0).margin(0.01));
  };
  check(drawn<philox::normal<float>>(1 << 18, 7));
  check(drawn<philox::normal<double>>(1 << 18, 7));
}

TEST_CASE("philox: the extreme words give finite normal numbers", "[core]") {
  constexpr std::uint32_t top = 0xffffffff;
  for (std::uint32_t a : {std::uint32_t{0}, top})
    for (std::uint32_t b : {std::uint32_t{0}, top}) {
      const auto narrow = philox::normal_pair(a, b);
      const auto wide = philox::normal_pair(a, a, b, b);
      CHECK((std::isfinite(narrow[0]) && std::isfinite(narrow[1])));
      CHECK((std::isfinite(wide[0]) && std::isfinite(wide[1])));
    }
  CHECK(philox::normal_pair(0, 0)[0] == Approx(6.7637).margin(1e-3));
}
