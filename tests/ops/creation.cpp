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
  CHECK(values(tt::arange<std::int64_t>(0, 3, 1.5)) == list{0, 1});
  CHECK(tt::arange<std::uint64_t>(std::int64_t(1) << 60, (std::int64_t(1) << 60) + 3).numel() == 3);
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
  CHECK(g.offset() == 8);  // a new block of four words, two for each double
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

TEST_CASE("creation: int64 ranges count in integers, the dtype follows from the literals", "[ops]") {
  static_assert(std::is_same_v<decltype(tt::arange(2.5)), tt::Vector<float>>);
  static_assert(std::is_same_v<decltype(tt::arange(1, 4, 2)), tt::Vector<std::int64_t>>);
  const std::int64_t big = (std::int64_t(1) << 53) + 1;
  CHECK(values<std::int64_t>(tt::arange(big, big + 2)) == std::vector<std::int64_t>{big, big + 1});
  CHECK(values(tt::arange(2.5)) == list{0, 1, 2});
  CHECK(values(tt::arange<std::int64_t>(0, 3.5)) == list{0, 1, 2, 3});  // as PyTorch: the end is truncated first
  CHECK(values(tt::arange<std::uint8_t>(-1, 5, 2.5)) == list{255, 1, 3});
  CHECK(values(tt::arange(7, -1, -3)) == list{7, 4, 1});
  CHECK_THROWS_WITH(tt::arange<std::int64_t>(0, 5, 0.5), Contains("step"));
  CHECK_THROWS_AS(tt::arange(INT64_MIN, INT64_MAX), tt::Error);
  CHECK_THROWS_WITH(tt::arange<bool>(2), Contains("bools"));
}

TEST_CASE("creation: linspace and logspace reach both ends exactly", "[ops]") {
  CHECK(values(tt::linspace<float>(0, 1, 5)) == list{0, 0.25, 0.5, 0.75, 1});
  CHECK(values(tt::linspace<std::int64_t>(0.5, 10.9, 4)) == list{0, 3, 6, 10});  // PyTorch's values
  CHECK(values(tt::linspace<std::int64_t>(-3, -10.9, 5)) == list{-3, -4, -6, -8, -10});
  CHECK(values(tt::linspace<double>(2, 9, 1)) == list{2});
  CHECK(tt::linspace<double>(2, 9, 0).numel() == 0);
  const auto tenths = tt::linspace<double>(0.1, 0.7, 61);
  CHECK((tenths(0) == 0.1 && tenths(60) == 0.7));
  CHECK(values(tt::logspace<double>(0, 3, 4)) == list{1, 10, 100, 1000});
  CHECK(values(tt::logspace<std::int64_t>(0, 3.5, 5)) == list{1, 5, 31, 177, 1000});
  CHECK(values(tt::logspace<float>(0, 2, 3, -2)) == list{1, -2, 4});
  CHECK_THROWS_WITH(tt::linspace<float>(0, 1, -1), Contains("-1 steps"));
  CHECK_THROWS_WITH(tt::logspace<bool>(0, 1, 2), Contains("bools"));
  CHECK(std::isnan(values(tt::linspace<float>(std::nan(""), 1, 3))[2]));
}

TEST_CASE("creation: eye, and the indices of triangles", "[ops]") {
  static_assert(std::is_same_v<decltype(tt::eye<float, 2, 3>()), tt::Tensor<float, Shape<2, 3>>>);
  CHECK(values(tt::eye<float, 2, 3>()) == list{1, 0, 0, 0, 1, 0});
  CHECK(values(tt::eye<bool, 2>()) == list{1, 0, 0, 1});
  CHECK(values(tt::eye<std::int64_t>(3, 2)) == list{1, 0, 0, 1, 0, 0});
  CHECK(tt::eye<double>(0).sizes() == tt::dims{0, 0});
  CHECK_THROWS_AS(tt::eye<double>(-1), tt::Error);
  CHECK(values(tt::tril_indices(3, 3)) == list{0, 1, 1, 2, 2, 2, 0, 0, 1, 0, 1, 2});
  CHECK(values(tt::triu_indices(2, 3, 1)) == list{0, 0, 1, 1, 2, 2});
  CHECK(values(tt::tril_indices<std::uint8_t>(2, 3, 5)) == list{0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2});
  CHECK(tt::triu_indices(2, 2, INT64_MAX).sizes() == tt::dims{2, 0});
  CHECK(tt::tril_indices(20, 0).sizes() == tt::dims{2, 0});
  CHECK_THROWS_AS(tt::tril_indices(-1, 2), tt::Error);
  CHECK_THROWS_WITH(tt::tril_indices<float>(2, 2), Contains("integers"));
  CHECK_THROWS_AS(tt::tril_indices(tt::index_t(1) << 40, tt::index_t(1) << 40), tt::Error);
}

TEST_CASE("creation: _like and new_ in another dtype, and of every order", "[ops]") {
  const auto x = tests::numbers<float, Shape<2, 3>>({2, 3});
  const tt::Variable<float, Shape<2>> v{{1, 2}};
  CHECK(tests::same_bits(tt::zeros_like<double>(x), tt::zeros<double, Shape<2, 3>>()));
  CHECK(tests::same_bits(tt::full_like<std::int64_t>(x, 2.7), tt::full<std::int64_t, Shape<2, 3>>(2)));
  CHECK(tests::same_bits(tt::ones_like<bool>(x), tt::ones<bool, Shape<2, 3>>()));
  CHECK(tt::empty_like(x + 1).sizes() == x.sizes());
  CHECK(tests::same_bits(tt::new_full<Shape<2>>(x, 7), tt::full<float, Shape<2>>(7)));
  CHECK(tests::same_bits(tt::new_full<Shape<dyn>>(x, {2}, 7), tt::full<float, Shape<dyn>>({2}, 7)));
  CHECK(tests::same_bits(tt::new_ones<Shape<2>, std::uint8_t>(x), tt::ones<std::uint8_t, Shape<2>>()));
  CHECK(tt::new_empty<Shape<dyn, 2>>(x, {4, 2}).sizes() == tt::dims{4, 2});
  static_assert(tt::order_of<decltype(tt::empty_like(v))> == 1);
  static_assert(tt::order_of<decltype(tt::zeros_like<std::int64_t>(v))> == 0);
  static_assert(tt::order_of<decltype(tt::new_ones<Shape<1>, double>(std::declval<frozen>()))> == tt::frozen);
}

TEST_CASE("creation: complex numbers and 16-bit floats", "[ops]") {
  using complex = std::complex<float>;
  CHECK(tt::full<complex, Shape<2>>(complex(1, -2))(1) == complex(1, -2));
  CHECK(tt::full(tt::dtype::complex128, {1}, std::complex<double>(3, 4)).item<std::complex<double>>() ==
        std::complex<double>(3, 4));
  CHECK(tt::ones<complex, Shape<1>>()(0) == complex(1, 0));
  CHECK(tt::eye<complex, 2>()(1, 1) == complex(1, 0));
  CHECK(tt::linspace<complex>(0, 1, 3)(1) == complex(0.5f, 0));
  CHECK(values(tt::linspace<tt::half>(0, 1, 5)) == list{0, 0.25, 0.5, 0.75, 1});
  CHECK(values(tt::arange<tt::bfloat16>(0, 2, 0.5)) == list{0, 0.5, 1, 1.5});
  CHECK(values(tt::arange<std::int16_t>(-2, 3, 2)) == list{-2, 0, 2});
  CHECK(tt::tril_indices<std::int32_t>(2, 2).dtype() == tt::dtype::int32);
}

TEST_CASE("creation: dtypes known at run time give what typed factories give", "[ops]") {
  const auto check = []<class Type>(Type) {
    const tt::dtype type = tt::dtype_of<Type>;
    CHECK(tests::same_bits(tt::zeros(type, {2, 3}), tt::AnyTensor(tt::zeros<Type, Shape<2, 3>>())));
    CHECK(tests::same_bits(tt::ones(type, {2}), tt::AnyTensor(tt::ones<Type, Shape<2>>())));
    CHECK(tests::same_bits(tt::full(type, {2}, 3), tt::AnyTensor(tt::full<Type, Shape<2>>(3))));
    CHECK(tests::same_bits(tt::eye(type, 2, 3), tt::AnyTensor(tt::eye<Type, 2, 3>())));
    CHECK(tt::empty(type, {4, 0}).dtype() == type);
    if (type == tt::dtype::boolean) return;
    CHECK(tests::same_bits(tt::arange(type, 1, 9, 3), tt::AnyTensor(tt::arange<Type>(1, 9, 3))));
    CHECK(tests::same_bits(tt::linspace(type, 1, 9, 3), tt::AnyTensor(tt::linspace<Type>(1, 9, 3))));
    CHECK(tests::same_bits(tt::logspace(type, 0, 2, 3), tt::AnyTensor(tt::logspace<Type>(0, 2, 3))));
  };
  for (int i = 0; i < tt::dtype_count; ++i) tt::visit(tt::dtype(i), check);
  CHECK(tests::same_bits(tt::tril_indices(tt::dtype::int64, 3, 4, -1), tt::AnyTensor(tt::tril_indices(3, 4, -1))));
  CHECK(
      tests::same_bits(tt::triu_indices(tt::dtype::uint8, 3, 4), tt::AnyTensor(tt::triu_indices<std::uint8_t>(3, 4))));
}
