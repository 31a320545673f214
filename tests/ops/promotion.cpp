// Result dtypes of operations, and what happens to numbers on the way: wrapping, truth values, conversions.
#include "../catch.hpp"
#include "../op_families.hpp"

#include <functional>

using tests::values;
using tt::dtype;
using tt::dyn;
using numbers = std::vector<double>;
template <class Type>
using V = tt::Tensor<Type, tt::Shape<dyn>>;
template <class Type>
using S = tt::Tensor<Type, tt::Shape<>>;

// ---- result types, for every pair of dtypes; torch.result_type and the ops of PyTorch 2.x ----

namespace {

template <class... Type> struct list {};
using all = list<bool, std::uint8_t, std::int64_t, float, double>;

template <class Op, class... X>
constexpr dtype result_of = tt::dtype_of<tt::value_t<decltype(tt::map_of<Op>(std::declval<X>()...))>>;

/// b, u, i, f, d: one letter a dtype; the other ones have letters that no table below holds.
constexpr char letter_of(dtype t) { return "bucswiUVWhgfdxz"[int(t)]; }

template <class Op, class Left, class... Right>
consteval bool row(list<Right...>, const char* tensors, const char* scalars) {
  int i = 0;
  bool right = true;
  (([&] {
     if (tensors[i] != '.') {
       if constexpr (tests::accepts<Op>(tt::promote(tt::dtype_of<Left>, tt::dtype_of<Right>))) {
         right &= letter_of(result_of<Op, V<Left>, V<Right>>) == tensors[i];
         right &= letter_of(result_of<Op, V<Left>, S<Right>>) == scalars[i];
       }
     }
     ++i;
   }()), ...);
  return right;
}
template <class Op>
consteval bool table(const char* const (&tensors)[5], const char* const (&scalars)[5]) {
  return row<Op, bool>(all{}, tensors[0], scalars[0]) && row<Op, std::uint8_t>(all{}, tensors[1], scalars[1]) &&
         row<Op, std::int64_t>(all{}, tensors[2], scalars[2]) && row<Op, float>(all{}, tensors[3], scalars[3]) &&
         row<Op, double>(all{}, tensors[4], scalars[4]);
}
namespace ops = tt::ops;
static_assert(table<ops::add>({"buifd", "uuifd", "iiifd", "ffffd", "ddddd"},
                              {"buifd", "uuufd", "iiifd", "fffff", "ddddd"}));
static_assert(table<ops::mul>({"buifd", "uuifd", "iiifd", "ffffd", "ddddd"},
                              {"buifd", "uuufd", "iiifd", "fffff", "ddddd"}));
static_assert(table<ops::maximum>({"buifd", "uuifd", "iiifd", "ffffd", "ddddd"},
                                  {"buifd", "uuufd", "iiifd", "fffff", "ddddd"}));
static_assert(table<ops::pow>({".uifd", "uuifd", "iiifd", "ffffd", "ddddd"},
                              {".uifd", "uuufd", "iiifd", "fffff", "ddddd"}));
static_assert(table<ops::div>({"ffffd", "ffffd", "ffffd", "ffffd", "ddddd"},
                              {"ffffd", "ffffd", "ffffd", "fffff", "ddddd"}));
static_assert(table<ops::lt>({"bbbbb", "bbbbb", "bbbbb", "bbbbb", "bbbbb"},
                             {"bbbbb", "bbbbb", "bbbbb", "bbbbb", "bbbbb"}));

template <class Op, class... Type>
consteval bool unary(list<Type...>, const char* want) {
  bool right = true;
  int i = 0;
  (([&] {
     if constexpr (tests::accepts<Op>(tt::dtype_of<Type>)) right &= letter_of(result_of<Op, V<Type>>) == want[i++];
     else right &= want[i++] == '.';
   }()), ...);
  return right;
}
static_assert(unary<ops::neg>(all{}, ".uifd") && unary<ops::abs>(all{}, ".uifd") && unary<ops::relu>(all{}, ".uifd"));
static_assert(unary<ops::exp>(all{}, "ffffd") && unary<ops::sigmoid>(all{}, "ffffd") &&
              unary<ops::square>(all{}, "iuifd"));

// Numbers of C++: never wider within a category.
template <class Op, class X, class N>
constexpr dtype with_number = tt::dtype_of<tt::value_t<decltype(tt::map_of<Op>(std::declval<X>(), std::declval<N>()))>>;
static_assert(with_number<ops::add, V<std::uint8_t>, int> == dtype::uint8 &&
              with_number<ops::add, V<std::uint8_t>, std::size_t> == dtype::uint8);
static_assert(with_number<ops::add, V<std::uint8_t>, double> == dtype::float32 &&
              with_number<ops::add, V<float>, double> == dtype::float32);
static_assert(with_number<ops::add, V<bool>, int> == dtype::int64 &&
              with_number<ops::add, V<bool>, bool> == dtype::boolean);
static_assert(with_number<ops::add, V<double>, float> == dtype::float64 &&
              with_number<ops::div, V<std::int64_t>, int> == dtype::float32);
static_assert(with_number<ops::add, S<std::uint8_t>, int> == dtype::uint8 &&
              with_number<ops::add, S<double>, float> == dtype::float64);

}  // namespace

TEST_CASE("ops: uint8 wraps on store, also in the middle of an expression", "[ops]") {
  const V<std::uint8_t> a({4}, std::vector<std::uint8_t>{250, 10, 0, 255});
  CHECK(values(a + 10) == numbers{4, 20, 10, 9});
  CHECK(values(a - 20) == numbers{230, 246, 236, 235});
  CHECK(values(-a) == numbers{6, 246, 0, 1});
  CHECK(values(a * a) == numbers{36, 100, 0, 1});
  CHECK(values(square(a)) == numbers{36, 100, 0, 1});
  CHECK(values((a + 10) > 200) == numbers{0, 0, 0, 0});
  CHECK(values((a + 10) * 2) == numbers{8, 40, 20, 18});
  CHECK(values((a + 10) / 2) == numbers{2, 10, 5, 4.5});
  CHECK(values(tt::to<std::int64_t>(a) + (a + 10)) == numbers{254, 30, 10, 264});
  CHECK(values(pow(a, 2)) == numbers{36, 100, 0, 1});
  CHECK(values(tt::minimum(a, 100)) == numbers{100, 10, 0, 100});
}

TEST_CASE("ops: bools are logic: + is or, * is and, and a truth value counts 1", "[ops]") {
  const V<bool> a({4}, std::array{true, true, false, false}), b({4}, std::array{true, false, true, false});
  CHECK(values(a + b) == numbers{1, 1, 1, 0});
  CHECK(values(a * b) == numbers{1, 0, 0, 0});
  CHECK(values((a + b) + 1) == numbers{2, 2, 2, 1});
  CHECK(values((a + b) * 3) == numbers{3, 3, 3, 0});
  CHECK(values(tt::maximum(a, b)) == numbers{1, 1, 1, 0});
  CHECK(values(a == b) == numbers{1, 0, 0, 1});
  CHECK(values(a < b) == numbers{0, 0, 1, 0});
  CHECK(values(a / b)[0] == 1);
  CHECK(values(square(a + b)) == numbers{1, 1, 1, 0});
  CHECK(values(exp(a) - 1)[3] == 0);
  const V<float> x({4}, std::array{0.5f, -1.f, 2.f, 0.f});
  CHECK(values((x > 0) + (x < 1)) == numbers{1, 1, 1, 1});
  CHECK(values(((x > 0) + (x < 1)) * x) == numbers{0.5, -1, 2, 0});
  CHECK(values((x > 0) * x) == numbers{0.5, 0, 2, 0});
  CHECK(values((x > 0) * (x < 1)) == numbers{1, 0, 0, 0});
  CHECK(values(tt::where(x > 0, x < 1, x == 0)) == numbers{1, 0, 0, 1});
}

TEST_CASE("ops: integers stay exact where doubles would not, and wrap", "[ops]") {
  const std::int64_t large = (std::int64_t(1) << 62) + 1, most = INT64_MAX, least = INT64_MIN;
  const V<std::int64_t> a({3}, std::array{large, most, least});
  CHECK(values<std::int64_t>(a + 1) == std::vector<std::int64_t>{large + 1, least, least + 1});
  CHECK(values<std::int64_t>(a - large) == std::vector<std::int64_t>{0, most - large, most - large + 1});
  CHECK(values<std::int64_t>(a * 2) == std::vector<std::int64_t>{std::int64_t(2 * std::uint64_t(large)), -2, 0});
  CHECK(values<std::int64_t>(-a) == std::vector<std::int64_t>{-large, least + 1, least});
  CHECK(values<std::int64_t>(tt::abs(a)) == std::vector<std::int64_t>{large, most, least});
  CHECK(values(a == large) == numbers{1, 0, 0});
  CHECK(values(a > large - 1) == numbers{1, 1, 0});
  CHECK(values<std::int64_t>(tt::where(a > 0, a, 7)) == std::vector<std::int64_t>{large, most, 7});
  CHECK(values<std::int64_t>(tt::pow(V<std::int64_t>({4}, std::array{3L, -2L, 0L, 1L}), 3)) ==
        std::vector<std::int64_t>{27, -8, 0, 1});
}

TEST_CASE("ops: mixed dtypes in one expression give what one op at a time gives", "[ops]") {
  const auto b = tests::numbers<bool, tt::Shape<dyn>>({50}, -1, 1, 1);
  const auto u = tests::numbers<std::uint8_t, tt::Shape<dyn>>({50}, 0, 255, 2);
  const auto i = tests::numbers<std::int64_t, tt::Shape<dyn>>({50}, -9, 9, 3);
  const auto f = tests::numbers<float, tt::Shape<dyn>>({50}, -2, 2, 4);
  const auto d = tests::numbers<double, tt::Shape<dyn>>({50}, -2, 2, 5);
  const auto stepwise = [](const auto& x, const auto& y, auto op) { return tt::eval(op(x, y)); };
  const auto plus = std::plus<>{};
  const auto times = std::multiplies<>{};
  CHECK(tests::same_bits((b + u) * i + f, stepwise(stepwise(stepwise(b, u, plus), i, times), f, plus)));
  CHECK(tests::same_bits((f * 0.1) + d, stepwise(stepwise(f, 0.1, times), d, plus)));
  CHECK(tests::same_bits((i + f) * (u + d), stepwise(stepwise(i, f, plus), stepwise(u, d, plus), times)));
  CHECK(tests::same_bits(tt::where(b, u * i, f + i), tt::where(b, tt::eval(u * i), tt::eval(f + i))));
  CHECK(tests::same_bits(exp(i * 0.5) + d, tt::eval(exp(tt::eval(i * 0.5))) + d));
  // A float sum that reaches a double one is rounded to float first, as PyTorch does.
  CHECK(values((f + 0.1f) + d)[7] == double(float(f(7) + 0.1f)) + d(7));
}

TEST_CASE("ops: casts go through what C++ converts, to bool by being 0 or not", "[ops]") {
  const V<double> x({6}, std::array{-1.9, -0.1, 0., 0.9, 255.9, 300.});
  CHECK(values(tt::to<std::int64_t>(x)) == numbers{-1, 0, 0, 0, 255, 300});
  CHECK(values(tt::to<std::uint8_t>(x)) == numbers{255, 0, 0, 0, 255, 44});
  CHECK(values(tt::to<bool>(x)) == numbers{1, 1, 0, 1, 1, 1});
  CHECK(values(tt::to<float>(x))[0] == double(-1.9f));
  CHECK(values(tt::to<double>(x > 0)) == numbers{0, 0, 0, 1, 1, 1});
  CHECK(tt::to<double>(x).storage() == x.storage());
  CHECK_FALSE(tt::clone(x).storage() == x.storage());
  CHECK(values(tt::to<bool>(V<double>({1}, std::array{std::numeric_limits<double>::quiet_NaN()}))) == numbers{1});
  const std::int64_t large = (std::int64_t(1) << 62) + 1;
  CHECK(tt::to<std::int64_t>(tt::to<bool>(V<std::int64_t>({1}, std::array{large}))).item() == 1);
  CHECK(values<std::int64_t>(tt::to<std::int64_t>(V<std::int64_t>({1}, std::array{large})))[0] == large);
}
