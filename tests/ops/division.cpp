// Division that rounds: signs, zeros, infinities, the least integers, dtypes, gradients.
#include <tt/autograd/gradcheck.hpp>
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::values;
using tt::AnyTensor;
using tt::call;
using tt::dtype;
using Vector = tt::Shape<tt::dyn>;
using list = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 nan_value = std::numeric_limits<double>::quiet_NaN();

static_assert(std::is_same_v<tt::value_t<decltype(tt::floor_divide(tt::Vector<std::uint8_t>(), 2))>, std::uint8_t>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::Vector<std::int64_t>() % 2.5)>, float>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::reciprocal(tt::Vector<bool>()))>, float>);
static_assert(!tt::ops::fmod::accepts(dtype::boolean));
static_assert([]<class... Op>(tt::op_list<Op...>) {
  return (!tt::detail::accepts<Op>(dtype::uint64) && ...);
}(tt::ops::division{}));

TEST_CASE("division: floor_divide and remainder follow the divisor's sign, trunc_divide and fmod the dividend's",
          "[ops]") {
  const auto check = []<class Number>(Number) {
    const auto a = tt::to<Number>(tt::Vector<double>{7, -7, 7, -7, 6, -6});
    const auto b = tt::to<Number>(tt::Vector<double>{2, 2, -2, -2, -3, 3});
    CHECK(values(tt::floor_divide(a, b)) == list{3, -4, -4, 3, -2, -2});
    CHECK(values(tt::trunc_divide(a, b)) == list{3, -3, -3, 3, -2, -2});
    CHECK(values(tt::remainder(a, b)) == list{1, 1, -1, -1, 0, 0});
    CHECK(values(tt::fmod(a, b)) == list{1, -1, 1, -1, 0, 0});
    CHECK(values(a % 4) == list{3, 1, 3, 1, 2, 2});
    CHECK(values(20 % b) == list{0, 0, 0, 0, -1, 2});
    CHECK(values(a % (b + b * 0)) == values(a % b));  // a divisor that is computed
  };
  check(float{}), check(double{}), check(tt::half{}), check(tt::bfloat16{});
  check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
}

TEST_CASE("division: floats by zero and infinity, and quotients that floor would round up", "[ops]") {
  const tt::Tensor<double, tt::Shape<6>> a{{1, -1, 0, infinity, 1, 1}}, b{{0, 0, 0, 2, infinity, -infinity}};
  const auto same = [](const list& got, const list& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
      CHECK((got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))));
  };
  same(values(tt::floor_divide(a, b)), {infinity, -infinity, nan_value, nan_value, 0, -1});
  same(values(tt::trunc_divide(a, b)), {infinity, -infinity, nan_value, infinity, 0, 0});
  same(values(tt::remainder(a, b)), {nan_value, nan_value, nan_value, nan_value, 1, -infinity});
  same(values(tt::fmod(a, b)), {nan_value, nan_value, nan_value, nan_value, 1, 1});
  CHECK(tt::eval(tt::floor_divide(tt::Vector<double>{1}, 0.1)).item() == 9);  // 0.1 is a little more than a tenth
  CHECK(std::floor(1 / 0.1) == 10);
  CHECK(std::signbit(tt::eval(tt::floor_divide(tt::Vector<double>{0}, -2)).item()));
}

TEST_CASE("division: integers by zero are refused, whatever holds the zero", "[ops]") {
  const tt::Vector<std::int64_t> a{1, 2, 3}, b{1, 0, 1};
  const auto refuses = [](auto f, const char* op) {
    CHECK_THROWS_WITH(f(), Contains("tt::" + std::string(op)) && Contains("divided by zero"));
  };
  refuses([&] { return tt::eval(tt::floor_divide(a, b)); }, "floor_divide");
  refuses([&] { return tt::eval(tt::trunc_divide(a, b * 2)); }, "trunc_divide");
  refuses([&] { return tt::eval(tt::remainder(a, 0)); }, "remainder");
  refuses([&] { return tt::eval(tt::fmod(a, b > 0)); }, "fmod");
  refuses([&] { return tt::floor_divide_(a, b); }, "floor_divide");
  refuses([&] { return call("floor_divide", {a, b}); }, "floor_divide");
  refuses([&] { return call("div", {a, 0}, {{"rounding_mode", "trunc"}}); }, "trunc_divide");
  refuses([&] { return call("remainder_", {a, false}); }, "remainder");
  CHECK(values(a) == list{1, 2, 3});
  CHECK(values(a % tests::scattered(tt::Vector<std::int64_t>{2, 2, 2})) == list{1, 0, 1});
  CHECK(values(tt::floor_divide(tt::zeros<std::int64_t, Vector>({0}), tt::zeros<std::int64_t, Vector>({0}))).empty());
  CHECK(values(tt::floor_divide(a, 0.0)) == list{infinity, infinity, infinity});  // the zero is a float
  CHECK_THROWS_WITH(call("fmod", {tt::ones(dtype::boolean, {2}), true}), Contains("bool"));
}

TEST_CASE("division: unsigned integers of 64 bits are refused by name, in place and rounded; floats divide by their values",
          "[ops]") {
  const std::uint64_t large = std::uint64_t(1) << 63;
  const tt::AnyTensor u = tt::full(dtype::uint64, {2}, large), i = tt::ones(dtype::int64, {2});
  const auto refuses = [](auto f) { CHECK_THROWS_WITH(f(), Contains("uint64") && Contains("cast")); };
  for (const char* op : {"floor_divide", "remainder", "fmod", "floor_divide_", "remainder_", "fmod_"})
    for (const tt::Argument& by : {tt::Argument(u), tt::Argument(i), tt::Argument(2)}) {
      INFO(op);
      refuses([&] { return call(op, {u, by}); });
      if (by.is<AnyTensor>() && std::string(op).back() != '_') refuses([&] { return call(op, {by, u}); });
    }
  for (const char* mode : {"floor", "trunc"})
    for (const char* op : {"div", "div_"}) refuses([&] { return call(op, {u, 2}, {{"rounding_mode", mode}}); });
  CHECK(values(u) == list{0x1p63, 0x1p63});
  const tt::Vector<double> d{0x1.8p64};
  const tt::Vector<std::uint64_t> typed({1}, std::array{large});
  CHECK(values(tt::floor_divide(d, typed)) == list{3});
  CHECK(values(call("floor_divide", {d, typed}).tensor()) == list{3});
  CHECK(values(tt::remainder(typed, d)) == list{0x1p63});
  CHECK(values(tt::trunc_divide(d, large)) == list{3});
}

TEST_CASE("division: a number of C++ that no int64 holds is refused beside integers, in every operation", "[ops]") {
  const std::uint64_t large = std::uint64_t(1) << 63;
  const tt::Vector<std::int64_t> i{7, -7};
  const auto refuses = [](auto f) { CHECK_THROWS_WITH(f(), Contains("9.22337204e+18 is more than an int64 holds")); };
  refuses([&] { return tt::eval(i % large); });
  refuses([&] { return tt::eval(tt::floor_divide(i, large)); });
  refuses([&] { return tt::eval(large % i); });
  refuses([&] { return tt::eval(i < large); });
  refuses([&] { return tt::eval(i + large); });
  refuses([&] { return tt::eval(tt::maximum(i, large)); });
  refuses([&] { return call("remainder", {i, large}); });
  refuses([&] { return call("lt", {i, large}); });
  CHECK(values(tt::floor_divide(i, std::uint64_t(INT64_MAX))) == list{0, -1});
  CHECK(values(tt::to<double>(i) < large) == list{1, 1});
  CHECK(values<std::uint64_t>(tt::full<std::uint64_t, Vector>({1}, large)) == std::vector{large});
}

TEST_CASE("division: the least integer by -1 wraps, in each width", "[ops]") {
  const auto check = []<class Number>(Number) {
    const auto least = (std::numeric_limits<Number>::min)();
    const tt::Tensor<Number, tt::Shape<2>> a{{least, least}};
    const auto first = [](const auto& e) { return values<std::int64_t>(e)[0]; };
    CHECK(first(tt::floor_divide(a, -1)) == least);
    CHECK(first(tt::trunc_divide(a, -1)) == least);
    CHECK(first(tt::remainder(a, -1)) == 0);
    CHECK(first(tt::fmod(a, -1)) == 0);
    CHECK(first(tt::sign(a)) == -1);
  };
  check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
}

TEST_CASE("division: gradients pass to the dividend, quotients have none; views, written in place", "[ops]") {
  const auto x = leaf<double, Vector>({9}, -3, 3), y = leaf<double, Vector>({9}, 0.5, 2, 4);
  CHECK(tt::gradcheck([](const auto& a, const auto& b) { return (a * 3) % (b * b) + tt::fmod(a, b); }, x, y));
  tt::backward(tt::sum(tt::floor_divide(x, y) + tt::trunc_divide(x, y) + tt::sign(x)));
  CHECK(values(x.grad()) == list(9, 0));
  CHECK(values(y.grad()) == list(9, 0));
  const tt::Matrix<float> m{{7, -7}, {5, -5}};
  tt::remainder_(tt::transpose<0, 1>(m), tt::Vector<float>{4, 3});  // rows of m
  CHECK(values(m) == list{3, 1, 2, 1});
  tt::floor_divide_(m, 2);
  CHECK(values(m) == list{1, 0, 1, 0});
  CHECK(values(tt::fmod_(tt::trunc_divide_(m.fill_(-7), 2), 2)) == list{-1, -1, -1, -1});
}

TEST_CASE("sign and reciprocal: NaN, zeros, bools, integers, complex numbers, in place", "[ops]") {
  const tt::Tensor<double, tt::Shape<5>> x{{nan_value, -0.0, 0, -infinity, 2}};
  CHECK(values(tt::sign(x)) == list{0, 0, 0, -1, 1});
  CHECK(values<int>(tt::sign(tt::Vector<bool>{true, false})) == std::vector<int>{1, 0});
  CHECK(call("sign", {tt::ones(dtype::boolean, {2})}).tensor().dtype() == dtype::boolean);
  const list y = values(tt::reciprocal(x));
  CHECK((std::isnan(y[0]) && y[1] == -infinity && y[2] == infinity && y[3] == 0 && y[4] == 0.5));
  CHECK(values(tt::reciprocal(tt::Vector<std::int64_t>{4, 0})) == list{0.25, infinity});
  const tt::Tensor<std::complex<double>, tt::Shape<1>> z{{std::complex<double>(0, 2)}};
  CHECK(tt::eval(tt::reciprocal(z)).item() == std::complex<double>(0, -0.5));
  CHECK_THROWS_WITH(call("sign", {z}), Contains("complex128"));
  CHECK(values(tt::sign_(tt::reciprocal_(tt::Vector<float>{-4, 5}))) == list{-1, 1});
  CHECK_THROWS_WITH(call("reciprocal_", {tt::ones(dtype::int64, {2})}), Contains("int64"));
}
