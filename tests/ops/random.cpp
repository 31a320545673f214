#include "../catch.hpp"
#include "../tensors.hpp"

#include <tt/random.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using tests::values;
using tt::dyn;
using tt::Shape;

namespace {

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum / double(x.size());
}
double variance_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (double v : x) sum += (v - mean) * (v - mean);
  return sum / double(x.size());
}

}  // namespace

TEST_CASE("random: every floating dtype is drawn inside its range, with its mean and variance", "[ops]") {
  tt::manual_seed(3);
  for (tt::dtype t : {tt::dtype::float16, tt::dtype::bfloat16, tt::dtype::float32, tt::dtype::float64}) {
    INFO(tt::name_of(t));
    const auto u = values(tt::rand(t, {200, 500})), n = values(tt::randn(t, {200, 500}));
    CHECK(*std::min_element(u.begin(), u.end()) >= 0);
    CHECK(*std::max_element(u.begin(), u.end()) < 1);
    CHECK(mean_of(u) == Approx(0.5).margin(0.006));
    CHECK(variance_of(u) == Approx(1. / 12).margin(0.002));
    CHECK(mean_of(n) == Approx(0).margin(0.02));
    CHECK(variance_of(n) == Approx(1).margin(0.03));
  }
  CHECK_THROWS_WITH(tt::rand(tt::dtype::int64, {2}), Contains("int64"));
  CHECK(tt::rand<tt::half, Shape<0>>().numel() == 0);
  CHECK(tt::randn<double, Shape<>>().rank() == 0);
}

TEST_CASE("random: a seed gives the same numbers again, on any number of threads", "[ops]") {
  const auto all = [] {
    tt::Generator g(11);
    const tt::Tensor x = tt::randn<float, Shape<dyn, dyn>>({300, 400}, g);
    exponential_(x, 2, g);
    return std::tuple(x, tt::randint<Shape<50>>(-5, 9, {50}, g), tt::randperm(40, g), tt::bernoulli(x * 0.01, g),
                      tt::dropout(x, 0.3, true, g));
  };
  const auto one = all();
  tt::set_num_threads(2);
  const auto two = all();
  tt::set_num_threads(1);
  CHECK(tests::same_bits(std::get<0>(one), std::get<0>(two)));
  CHECK(tests::same_bits(std::get<1>(one), std::get<1>(two)));
  CHECK(tests::same_bits(std::get<2>(one), std::get<2>(two)));
  CHECK(tests::same_bits(std::get<3>(one), std::get<3>(two)));
  CHECK(tests::same_bits(std::get<4>(one), std::get<4>(two)));
}

TEST_CASE("random: uniform_, normal_ and exponential_ write through any layout", "[ops]") {
  tt::manual_seed(5);
  const auto x = tt::zeros<float, Shape<dyn, dyn>>({400, 600});
  const tt::Tensor part = tt::slice<1>(x, 0, 600, 2);
  uniform_(part, -2, 3);
  const auto u = values(part);
  CHECK(*std::min_element(u.begin(), u.end()) >= -2);
  CHECK(*std::max_element(u.begin(), u.end()) < 3);
  CHECK(mean_of(u) == Approx(0.5).margin(0.02));
  CHECK(x(3, 1) == 0);
  CHECK(x(3, 2) != 0);
  normal_(x, 4, 0.5);
  CHECK(mean_of(values(x)) == Approx(4).margin(0.01));
  CHECK(variance_of(values(x)) == Approx(0.25).margin(0.01));
  exponential_(x, 4);
  const auto e = values(x);
  CHECK(*std::min_element(e.begin(), e.end()) > 0);
  CHECK(mean_of(e) == Approx(0.25).margin(0.005));
  CHECK(variance_of(e) == Approx(1. / 16).margin(0.003));
  const auto narrow = tt::zeros<tt::bfloat16, Shape<1000>>();
  uniform_(narrow, 10, 10);
  CHECK(values(narrow)[7] == 10);

  const auto coarse = tt::zeros<tt::half, Shape<dyn>>({100000});
  uniform_(coarse, 0, 1);
  const auto halves = values(coarse);
  CHECK(*std::max_element(halves.begin(), halves.end()) < 1);
  CHECK_THROWS_WITH(uniform_(x, -3e38, 3e38), Contains("does not hold the range"));
  CHECK_THROWS_WITH(uniform_(coarse, 0, 1e6), Contains("float16 does not hold the range"));

  const auto waiting = x + 1;
  uniform_(x);
  CHECK_THROWS_WITH(tt::eval(waiting), Contains("changed in place"));
  CHECK_THROWS_WITH(uniform_(x, 3, 1), Contains("no range"));
  CHECK_THROWS_WITH(normal_(x, 0, -1), Contains("negative"));
  CHECK_THROWS_WITH(exponential_(x, 0), Contains("positive"));
  CHECK_THROWS_WITH(uniform_(tt::zeros<std::int64_t, Shape<2>>()), Contains("int64"));
  auto leaf = tests::leaf<float, Shape<3>>({3});
  CHECK_THROWS_WITH(normal_(leaf), Contains("no_grad"));
  {
    const tt::no_grad guard;
    normal_(leaf, 7, 0);
  }
  CHECK(values(leaf) == std::vector<double>{7, 7, 7});
}

// Half has two numbers in [1000, 1001), bfloat16 one. What is rounded to nearest would reach the end; what is put back to
// the start would come up too often.
TEST_CASE("random: rand and uniform_ follow one rule, which neither leaves the range nor favours its ends", "[ops]") {
  const auto counts = []<class Type>(Type, double from, double to) {
    tt::manual_seed(8);
    const auto x = tt::zeros<Type, Shape<dyn>>({40000});
    uniform_(x, from, to);
    std::map<double, int> of;
    for (double v : values(x)) ++of[v];
    return of;
  };
  const auto halves = counts(tt::half{}, 1000, 1001);
  REQUIRE(halves.size() == 2);
  CHECK(halves.at(1000) == Approx(20000).margin(600));
  CHECK(halves.at(1000.5) == Approx(20000).margin(600));
  CHECK(counts(tt::bfloat16{}, 1000, 1001).size() == 1);
  CHECK(counts(tt::half{}, -1001, -1000).size() == 2);
  CHECK(counts(tt::half{}, -1001, -1000).rbegin()->first == -1000.5);
  const auto floats = counts(float{}, 0x1p23, 0x1p23 + 4);
  REQUIRE(floats.size() == 4);
  for (const auto& [value, count] : floats) CHECK(count == Approx(10000).margin(500));
  const auto tight = counts(float{}, 1, 1 + 0x1p-23);
  CHECK((tight.size() == 1 && tight.begin()->first == 1));
  const double tenth = 0.1;   // half has no 0.1: the range begins after it
  CHECK(counts(tt::half{}, tenth, 0.2).begin()->first >= tenth);
  CHECK(counts(tt::half{}, -0.2, -tenth).rbegin()->first < -tenth);
  CHECK(counts(tt::half{}, -0x1p-24, 0).rbegin()->first == -0x1p-24);
  const auto same = []<class Type>(Type) {
    tt::manual_seed(5);
    const auto drawn = tt::rand<Type, Shape<1000>>(), written = tt::zeros<Type, Shape<1000>>();
    tt::manual_seed(5);
    uniform_(written);
    CHECK(tests::same_bits(drawn, written));
  };
  same(tt::half{}), same(tt::bfloat16{}), same(float{}), same(double{});
}

TEST_CASE("random: randint reaches every integer of its range alike, randperm is an order", "[ops]") {
  tt::manual_seed(1);
  const auto x = values<std::int64_t>(tt::randint<Shape<dyn>>(-3, 4, {70000}));
  for (std::int64_t k = -3; k < 4; ++k) CHECK(std::count(x.begin(), x.end(), k) == Approx(10000).margin(500));
  CHECK(values(tt::randint<Shape<4>, std::uint8_t>(7, 8)) == std::vector<double>(4, 7));
  const auto wide = values<std::int64_t>(tt::randint<Shape<1000>>(INT64_MIN, INT64_MAX));
  CHECK(std::count_if(wide.begin(), wide.end(), [](auto v) { return v < 0; }) == Approx(500).margin(80));
  CHECK_THROWS_WITH((tt::randint<Shape<2>>(3, 3)), Contains("3"));
  CHECK_THROWS_WITH((tt::randint<Shape<2>, std::int8_t>(0, 300)), Contains("int8"));

  auto order = values<std::int64_t>(tt::randperm(1000));
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::int64_t i = 0; i < 1000; ++i) CHECK(order[std::size_t(i)] == i);
  CHECK(tt::randperm(0).numel() == 0);
  CHECK_THROWS_AS(tt::randperm(-1), tt::Error);
}

TEST_CASE("random: bernoulli follows its probabilities", "[ops]") {
  tt::manual_seed(2);
  const auto p = tt::full<float, Shape<dyn>>({50000}, 0.2);
  const auto x = values(tt::bernoulli(p));
  CHECK(std::count(x.begin(), x.end(), 1.) == Approx(10000).margin(400));
  CHECK(std::count(x.begin(), x.end(), 0.) + std::count(x.begin(), x.end(), 1.) == 50000);
  CHECK(values(tt::bernoulli(tt::zeros<double, Shape<9>>())) == std::vector<double>(9, 0));
  CHECK(values(tt::bernoulli(tt::ones<tt::half, Shape<9>>())) == std::vector<double>(9, 1));
  CHECK_THROWS_WITH(tt::bernoulli(p * 6), Contains("no probability"));
  CHECK_THROWS_WITH(tt::bernoulli(p * std::numeric_limits<float>::quiet_NaN()), Contains("no probability"));
}

TEST_CASE("random: multinomial draws by weight, and no position twice without replacement", "[ops]") {
  tt::manual_seed(4);
  const tt::Vector<float> w({4}, std::array{1.f, 0.f, 3.f, 6.f});
  const auto x = values<std::int64_t>(tt::multinomial(w, 20000, true));
  CHECK(std::count(x.begin(), x.end(), 0) == Approx(2000).margin(200));
  CHECK(std::count(x.begin(), x.end(), 1) == 0);
  CHECK(std::count(x.begin(), x.end(), 3) == Approx(12000).margin(300));
  int first_is_last = 0;
  for (int i = 0; i < 2000; ++i) {
    auto drawn = values<std::int64_t>(tt::multinomial(w, 3));
    first_is_last += drawn[0] == 3;
    std::sort(drawn.begin(), drawn.end());
    CHECK(drawn == std::vector<std::int64_t>{0, 2, 3});
  }
  CHECK(first_is_last == Approx(1200).margin(100));
  const auto rows = tt::multinomial(tt::ones<double, Shape<5, 7>>(), 7);
  CHECK(rows.sizes() == tt::dims{5, 7});
  CHECK(values(tt::sum<1>(rows)) == std::vector<double>(5, 21));
  CHECK_THROWS_WITH(tt::multinomial(w, 4), Contains("only 3"));
  CHECK_THROWS_WITH(tt::multinomial(w, 5), Contains("5 of 4"));
  CHECK_THROWS_WITH(tt::multinomial(w * -1, 1), Contains("negative"));
  CHECK_THROWS_WITH(tt::multinomial(w, 0), Contains("0 samples"));
  CHECK_THROWS_WITH(tt::multinomial(tt::full<double, Shape<20>>(1e308), 3, true), Contains("not finite"));
}

TEST_CASE("random: multinomial of subnormal weights, alone and beside large ones", "[ops]") {
  tt::manual_seed(5);
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const auto count = [](const std::vector<std::int64_t>& x, std::int64_t at) { return std::count(x.begin(), x.end(), at); };
  const auto drawn = [](const auto& w, tt::index_t n, bool back) { return values<std::int64_t>(tt::multinomial(w, n, back)); };
  CHECK(count(drawn(tt::Vector<double>{0, least, 0}, 1000, true), 1) == 1000);
  CHECK(count(drawn(tt::Vector<double>{least, 0, 3 * least, 0}, 20000, true), 0) == Approx(5000).margin(300));
  CHECK(count(drawn(tt::Vector<double>{1e308, 0, least}, 1000, true), 0) == 1000);
  CHECK(count(drawn(tt::Vector<float>{1e-45f, 3e-45f, 0}, 20000, true), 2) == 0);
  int first = 0, second = 0;
  for (int i = 0; i < 2000; ++i) {
    first += drawn(tt::Vector<double>{0, least, 3 * least}, 1, false)[0] == 1;
    const auto three = drawn(tt::Vector<double>{least, 1e308, 3 * least}, 3, false);
    second += three[0] == 1 && three[1] == 0;
  }
  CHECK(first == Approx(500).margin(100));
  CHECK(second == Approx(500).margin(100));
}

TEST_CASE("random: dropout keeps the mean, its gradient is its mask, and outside of training it is nothing", "[ops]") {
  tt::manual_seed(6);
  auto x = tests::leaf<float, Shape<dyn>>({20000}, 1, 2);
  const tt::Tensor y = tt::dropout(x, 0.25);
  const auto got = values(y), was = values(x);
  CHECK(std::count(got.begin(), got.end(), 0.) == Approx(5000).margin(300));
  backward(tt::sum(y));
  const auto g = values(x.grad());
  for (std::size_t i = 0; i < got.size(); ++i)
    if (g[i] != (got[i] == 0 ? 0 : double(float(1 / 0.75)))) FAIL("at " << i);
  CHECK(mean_of(got) == Approx(mean_of(was)).epsilon(0.03));
  CHECK(tests::same_bits(tt::dropout(x, 0.25, false), x));
  CHECK(values(tt::dropout(x, 1)) == std::vector<double>(20000, 0));
  CHECK(tests::same_bits(tt::dropout(x, 0), x));
  CHECK_THROWS_WITH(tt::dropout(x, 1.5), Contains("no probability"));
  CHECK_THROWS_WITH(tt::dropout(x, 7, false), Contains("no probability"));
}

TEST_CASE("random: a range that is refused leaves the elements and the generator as they were", "[random]") {
  tt::Generator generator(7), other(7);
  const tt::Vector<float> x{1, 2, 3};
  CHECK_THROWS_AS(tt::uniform_(x, 0, 1e300, generator), tt::Error);
  CHECK(tests::values(x) == std::vector<double>{1, 2, 3});
  const tt::Vector<float> y{1, 2, 3};
  tt::uniform_(x, 0, 1, generator), tt::uniform_(y, 0, 1, other);
  CHECK(tests::same_bits(x, y));
}
