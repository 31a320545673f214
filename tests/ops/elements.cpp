// Elementwise functions beside arithmetic: trigonometric, rounding, bits; and filling by masks and positions.
#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("sin, cos, atan2 and log2 are the library's, in vectors and in the rest of a row", "[ops]") {
  for (tt::index_t n : {0, 1, 3, 64, 67}) {
    const auto check = [n]<class Number>(Number) {
      const auto x = numbers<Number, Vector>({n}, -40, 40), y = numbers<Number, Vector>({n}, -3, 3, 5);
      const tt::Tensor s = tt::sin(x), c = tt::cos(x), a = tt::atan2(y, x), l = tt::log2(tt::abs(x));
      for (tt::index_t i = 0; i < n; ++i) {
        CHECK(s(i) == std::sin(x(i)));
        CHECK(c(i) == std::cos(x(i)));
        CHECK(a(i) == std::atan2(y(i), x(i)));
        CHECK(l(i) == std::log2(std::abs(x(i))));
      }
    };
    check(float{}), check(double{});
  }
  CHECK(tt::eval(tt::log2(tt::Tensor<std::int64_t, tt::Shape<1>>{8})).item() == 3.f);  // integers give float
  CHECK(std::isnan(tt::eval(tt::cos(tt::Tensor<double, tt::Shape<1>>{infinity})).item()));
  CHECK(tt::gradcheck([](const auto& x) { return tt::sin(x) * tt::cos(x); }, leaf<double, Vector>({9})));
  CHECK(tt::gradcheck([](const auto& y, const auto& x) { return tt::atan2(y, x); }, leaf<double, Vector>({9}, 0.5, 3),
                      leaf<double, Vector>({9}, -3, 3, 4)));
  CHECK(tt::gradcheck([](const auto& x) { return tt::log2(x); }, leaf<double, Vector>({9}, 0.1, 3)));
}

TEST_CASE("floor, ceil, trunc and round: halves go to the even one, integers stay, the slope is 0", "[ops]") {
  const tt::Tensor<float, tt::Shape<7>> x{{-2.5f, -1.5f, -0.4f, 0.5f, 1.5f, 2.5f, 1e10f}};
  CHECK(values(tt::floor(x)) == list{-3, -2, -1, 0, 1, 2, 1e10});
  CHECK(values(tt::ceil(x)) == list{-2, -1, 0, 1, 2, 3, 1e10});
  CHECK(values(tt::trunc(x)) == list{-2, -1, 0, 0, 1, 2, 1e10});
  CHECK(values(tt::round(x)) == list{-2, -2, 0, 0, 2, 2, 1e10});
  const tt::Tensor<std::int64_t, tt::Shape<2>> whole{{INT64_MAX, -7}};
  CHECK(tests::same_bits(tt::floor(whole), whole));
  tt::Variable<double, tt::Shape<2>> v{{0.3, 1.7}};
  v.requires_grad_();
  tt::backward(tt::sum(tt::round(v) + tt::floor(v) + tt::ceil(v) + tt::trunc(v)));
  CHECK(values(v.grad()) == list{0, 0});
}

TEST_CASE("bits: and, or, exclusive or and not of integers and bools, written through too", "[ops]") {
  const tt::Tensor<std::uint8_t, tt::Shape<4>> a{{0b1100, 0b1010, 255, 0}}, b{{0b1010, 0b0110, 1, 255}};
  CHECK(values<int>(a & b) == std::vector<int>{0b1000, 0b0010, 1, 0});
  CHECK(values<int>(a | b) == std::vector<int>{0b1110, 0b1110, 255, 255});
  CHECK(values<int>(a ^ b) == std::vector<int>{0b0110, 0b1100, 254, 255});
  CHECK(values<int>(~a) == std::vector<int>{0xF3, 0xF5, 0, 255});
  CHECK(values<int>(a & 1) == std::vector<int>{0, 0, 1, 0});
  const tt::Tensor<bool, tt::Shape<2>> yes{{true, true}}, some{{true, false}};
  CHECK(values<int>(yes & some) == std::vector<int>{1, 0});
  CHECK(values<int>(yes ^ some) == std::vector<int>{0, 1});
  CHECK(values<int>(~some) == std::vector<int>{0, 1});
  CHECK(values<int>((yes > some) | ~some) == std::vector<int>{0, 1});
  const tt::Tensor<std::int64_t, tt::Shape<1>> wide{-1};
  CHECK(tt::eval(wide ^ 5).item() == ~std::int64_t(5));

  const tt::Tensor<std::uint8_t, tt::Shape<2, 4>> base{{0, 1, 1, 0, 1, 0, 0, 1}};
  tt::slice<1>(base, 1, 4) |= tt::slice<1>(base, 0, 3);  // as if the right side were read first
  CHECK(values<int>(base) == std::vector<int>{0, 1, 1, 1, 1, 1, 0, 1});
  base &= 1, base ^= 1;
  CHECK(values<int>(base) == std::vector<int>{1, 0, 0, 0, 0, 0, 1, 0});
}

TEST_CASE("where a slope is infinite, an element without a share has gradient 0 and not NaN", "[ops]") {
  const auto gradient = [](auto f) {
    tt::Variable<double, tt::Shape<3>> x{{0, -1, 4}};
    x.requires_grad_();
    tt::backward(tt::select<0>(f(x), 2));
    return values(x.grad());
  };
  CHECK(gradient([](const auto& x) { return tt::log(x); }) == list{0, 0, 0.25});
  CHECK(gradient([](const auto& x) { return tt::sqrt(x); }) == list{0, 0, 0.25});
  CHECK(gradient([](const auto& x) { return tt::log2(x) * std::log(2.0); })[0] == 0);
  tt::Variable<double, tt::Shape<1>> zero{0};
  zero.requires_grad_();
  tt::backward(tt::sum(tt::sqrt(zero)));
  CHECK(zero.grad().item() == infinity);  // one that has a share keeps its slope
}

TEST_CASE("masked_fill: a number or a 0-d tensor in the dtype of x; mask and x broadcast; gradients go past it",
          "[ops]") {
  const tt::Tensor<double, tt::Shape<2, 2>> x{{1, 2, 3, 4}};
  const tt::Tensor<bool, tt::Shape<2, 1, 2>> mask{{true, false, false, true}};
  const tt::Tensor y = tt::masked_fill(x, mask, 0);
  CHECK(y.sizes() == tt::dims{2, 2, 2});
  CHECK(values(y) == list{0, 2, 0, 4, 1, 0, 3, 0});
  const tt::Tensor<std::int64_t, tt::Shape<2>> whole{{1, 2}};
  const tt::Tensor<bool, tt::Shape<2>> first{{true, false}};
  static_assert(std::is_same_v<tt::value_t<decltype(tt::masked_fill(whole, first, 1.5))>, std::int64_t>);
  CHECK(values(tt::masked_fill(whole, first, 7.9)) == list{7, 2});
  CHECK(values(tt::masked_fill(whole, first, tt::Scalar<float>({}, std::array{3.f}))) == list{3, 2});
  tt::masked_fill_(whole, first, -1);
  CHECK(values(whole) == list{-1, 2});
  tt::Variable<double, tt::Shape<2>> v{{5, 6}};
  v.requires_grad_();
  tt::backward(tt::sum(tt::masked_fill(v, first, 100) * 3));
  CHECK(values(v.grad()) == list{0, 3});
}

TEST_CASE("index_put: the last value stays or all add up; negative positions; whole slices; gradients", "[ops]") {
  const tt::Tensor<float, tt::Shape<3>> zeros{{0, 0, 0}};
  const tt::Tensor<std::int64_t, tt::Shape<3>> at{{0, 0, -1}};
  CHECK(values(tt::index_put(zeros, at, 1, true)) == list{2, 0, 1});
  CHECK(values(tt::index_put(zeros, at, tt::Tensor<float, tt::Shape<3>>{{5, 6, 7}})) == list{6, 0, 7});
  CHECK(values(zeros) == list{0, 0, 0});
  const tt::Tensor<std::uint8_t, tt::Shape<2>> bytes{{250, 1}};
  CHECK(values(tt::index_put(bytes, at.detach(), std::uint8_t(3), true)) ==
        list{0, 4});  // 250 + 3 + 3 wraps; -1 is the last
  const auto rows = numbers<double, Matrix>({3, 2}), values_put = numbers<double, Matrix>({2, 2}, 5, 9);
  const tt::Tensor<std::int64_t, tt::Shape<2>> two{{2, 0}};
  const tt::Tensor out = tt::index_put(scattered(rows), two, scattered(values_put));
  for (tt::index_t j = 0; j < 2; ++j) {
    CHECK(out(0, j) == values_put(1, j));
    CHECK(out(1, j) == rows(1, j));
    CHECK(out(2, j) == values_put(0, j));
  }
  CHECK(values(tt::index_put(rows, tt::zeros<std::int64_t, Vector>({0}), 1)) == values(rows));
  const tt::Tensor<std::int64_t, tt::Shape<1>> outside{3};
  CHECK_THROWS_WITH(tt::index_put(zeros, outside, 1), Contains("index 3 is outside an axis of 3"));
  CHECK_THROWS_WITH(tt::index_put(rows, two, numbers<double, Matrix>({3, 2})), Contains("do not broadcast"));

  const tt::Tensor<bool, tt::Shape<3, 2>> mask{{true, false, false, true, false, true}};
  CHECK(values(tt::index_put(tt::zeros<double, tt::Shape<3, 2>>(), mask,
                             tt::Tensor<double, tt::Shape<3>>{{1, 2, 3}})) == list{1, 0, 0, 2, 0, 3});
  CHECK_THROWS_WITH(tt::index_put(tt::zeros<double, tt::Shape<3, 3>>(), mask, 1),
                    Contains("does not lie on the axes of [3, 3]"));

  for (bool accumulate : {false, true}) {
    const auto put = [&](const auto& x, const auto& v) { return tt::index_put(x, two, v, accumulate); };
    CHECK(tt::gradcheck(put, leaf<double, Matrix>({3, 2}), leaf<double, Matrix>({2, 2}, -3, 3, 2)));
    CHECK(tt::gradcheck(put, leaf<double, Matrix>({3, 2}), leaf<double, Vector>({2}, -3, 3, 2)));  // values broadcast
  }
  const auto twice = [&](const auto& x, const auto& v) { return tt::index_put(x, at, v, true); };
  CHECK(tt::gradcheck(twice, leaf<double, Vector>({3}), leaf<double, Vector>({1}, -3, 3, 2)));
}
