#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::values;
using tt::dyn;
using tt::Shape;
using list = std::vector<double>;
using frozen = tt::Tensor<float, Shape<2>, tt::cpu, tt::frozen>;

static_assert(std::is_same_v<decltype(tt::zeros<float, Shape<2, 3>>()), tt::Tensor<float, Shape<2, 3>>>);
static_assert(std::is_same_v<decltype(tt::arange(3)), tt::Vector<std::int64_t>>);
static_assert(tt::order_of<decltype(tt::zeros_like(std::declval<frozen>()))> == tt::frozen);
static_assert(tt::order_of<decltype(tt::new_zeros<Shape<3>>(std::declval<tt::Variable<double, Shape<2>>>()))> == 1);

TEST_CASE("creation: constants of every dtype, static and dynamic", "[ops]") {
  CHECK(values(tt::zeros<float, Shape<2, 2>>()) == list(4, 0));
  CHECK(values(tt::ones<std::uint8_t, Shape<dyn>>({3})) == list(3, 1));
  CHECK(values(tt::full<double, Shape<2>>(2.5)) == list{2.5, 2.5});
  CHECK(values(tt::full<std::int64_t, Shape<dyn>>({2}, -7)) == list{-7, -7});
  CHECK(values<std::int64_t>(tt::full<std::int64_t, Shape<1>>(INT64_MAX))[0] == INT64_MAX);
  CHECK(values(tt::full<bool, Shape<2>>(0.5)) == list{1, 1});
  CHECK(values(tt::full<std::uint8_t, Shape<1>>(-1)) == list{255});
  CHECK(std::isinf(values(tt::full<float, Shape<1>>(std::numeric_limits<double>::infinity()))[0]));
  CHECK(tt::empty<float, Shape<dyn, 3>>({4, 3}).sizes() == tt::dims{4, 3});
  CHECK(tt::zeros<float, Shape<dyn>>({0}).numel() == 0);
  CHECK(tt::zeros<float, Shape<>>().item() == 0);
  CHECK_THROWS_WITH((tt::zeros<float, Shape<dyn, 3>>({4, 2})), Contains("[4, 2]"));
  CHECK_THROWS_AS((tt::ones<float, Shape<dyn>>({-1})), tt::Error);
}

TEST_CASE("creation: arange counts each element from the start", "[ops]") {
  CHECK(values(tt::arange(4)) == list{0, 1, 2, 3});
  CHECK(values(tt::arange<float>(1, 2, 0.25)) == list{1, 1.25, 1.5, 1.75});
  CHECK(values(tt::arange<std::int64_t>(5, -1, -2)) == list{5, 3, 1});
  CHECK(tt::arange(0).numel() == 0);
  CHECK(tt::arange<float>(3, 3).numel() == 0);
  const auto tenths = tt::arange<double>(0, 1000, 0.1);
  CHECK(tenths.numel() == 10000);
  CHECK(tenths(9999) == Approx(999.9).epsilon(1e-15));
  CHECK_THROWS_WITH(tt::arange<float>(0, 5, 0), Contains("step"));
  CHECK_THROWS_WITH(tt::arange<float>(0, 5, -1), Contains("away"));
  CHECK_THROWS_AS(tt::arange<float>(0, std::nan("")), tt::Error);
  CHECK_THROWS_AS(tt::arange<float>(0, 1e300), tt::Error);
}

TEST_CASE("creation: _like takes dtype and extents, of an expression too", "[ops]") {
  const auto x = tests::numbers<float, Shape<2, 3>>({2, 3});
  CHECK(tests::same_bits(tt::zeros_like(x), tt::zeros<float, Shape<2, 3>>()));
  CHECK(tests::same_bits(tt::ones_like(x > 0), tt::ones<bool, Shape<2, 3>>()));
  CHECK(tests::same_bits(tt::full_like(x * 2, 3), tt::full<float, Shape<2, 3>>(3)));
  CHECK(tests::same_bits(tt::new_zeros<Shape<4>>(x), tt::zeros<float, Shape<4>>()));
}

TEST_CASE("creation: random numbers follow from the seed, whole or in parts", "[ops]") {
  tt::manual_seed(5);
  const auto a = tt::rand<float, Shape<1000>>();
  const auto b = tt::randn<double, Shape<dyn>>({500});
  tt::manual_seed(5);
  CHECK(tests::same_bits(tt::rand<float, Shape<1000>>(), a));
  CHECK(tests::same_bits(tt::randn<double, Shape<dyn>>({500}), b));
  CHECK_FALSE(tests::same_bits(tt::rand<float, Shape<1000>>(), a));
  tt::Generator own(5), other(6);
  CHECK(tests::same_bits(tt::rand<float, Shape<1000>>(Shape<1000>::value, own), a));
  CHECK_FALSE(tests::same_bits(tt::rand<float, Shape<1000>>(Shape<1000>::value, other), a));
  double low = 1, high = 0;
  for (double x : values(a)) low = std::min(low, x), high = std::max(high, x);
  CHECK((low >= 0 && low < 0.05 && high < 1 && high > 0.95));
}

TEST_CASE("creation: a generator's streams of different widths do not overlap, and below() is even", "[core]") {
  tt::Generator g(3);
  float f[3];
  double d[2];
  g.fill<tt::philox::uniform<float>>(f, 3);
  CHECK(g.offset() == 3);
  g.fill<tt::philox::uniform<double>>(d, 2);
  CHECK(g.offset() == 8);   // a new block of four words, two for each double
  std::vector<int> seen(7);
  for (int i = 0; i < 70000; ++i) ++seen[std::size_t(g.below(7))];
  for (int n : seen) CHECK((n > 9500 && n < 10500));
  CHECK(g.below(1) == 0);
  CHECK(g.seed() == 3);
}

TEST_CASE("equal: whole tensors, by extents and elements", "[ops]") {
  const auto x = tests::numbers<float, Shape<dyn, dyn>>({2, 3});
  CHECK(tt::equal(x, tt::clone(x)));
  CHECK(tt::equal(tt::transpose<0, 1>(x), tests::scattered(tt::Tensor(tt::transpose<0, 1>(x)))));
  CHECK_FALSE(tt::equal(x, x + 1));
  CHECK_FALSE(tt::equal(x, tt::reshape<3, 2>(x)));
  CHECK_FALSE(tt::equal(x, tt::reshape<6>(x)));
  CHECK_FALSE(tt::equal(x, tt::slice<0>(x, 0, 1)));
  CHECK(tt::equal(tt::zeros<float, Shape<0>>(), tt::zeros<float, Shape<0>>()));
  CHECK_FALSE(tt::equal(tt::full<float, Shape<1>>(std::nan("")), tt::full<float, Shape<1>>(std::nan(""))));
}
