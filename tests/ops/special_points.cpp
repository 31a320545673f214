// Where formulas meet NaN, infinity, ties and bools, PyTorch's answer counts.
#include <tt/tensor.hpp>

#include "../catch.hpp"

#include <limits>

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
using three = tt::Shape<3>;

TEST_CASE("abs: the slope is 0 at 0 and at NaN", "[ops]") {
  tt::Variable<double, three> x{{nan_value, 0, -infinity}};
  x.requires_grad_();
  tt::backward(tt::sum(tt::abs(x)));
  CHECK(x.grad()(0) == 0);
  CHECK(x.grad()(1) == 0);
  CHECK(x.grad()(2) == -1);
}

TEMPLATE_TEST_CASE("minimum and maximum: ties share the gradient, beside NaN each has all of it", "[ops]",
                   tt::ops::minimum, tt::ops::maximum) {
  tt::Variable<double, three> x{{nan_value, 1, 2}}, y{{5, nan_value, 2}};
  x.requires_grad_();
  y.requires_grad_();
  tt::backward(tt::sum(tt::map_of<TestType>(x, y)));
  for (const auto& g : {x.grad(), y.grad()}) {
    CHECK(g(0) == 1);
    CHECK(g(1) == 1);
    CHECK(g(2) == 0.5);
  }
}

TEST_CASE("sqrt: infinity and subnormal numbers, in vectors and in the rest of a row", "[ops]") {
  constexpr float tiny = std::numeric_limits<float>::denorm_min() * 4;
  for (tt::index_t n : {1, 64}) {
    tt::Vector<float> x(tt::dims{n});
    for (float value : {std::numeric_limits<float>::infinity(), tiny, 2.0f, 0.0f}) {
      std::fill_n(x.data(), n, value);
      const tt::Vector<float> y = tt::sqrt(x);
      for (tt::index_t i = 0; i < n; ++i) CHECK(y(i) == std::sqrt(value));
    }
  }
}

TEST_CASE("square: bools give int64, small integers stay what they are", "[ops]") {
  const tt::Tensor<bool, tt::Shape<2>> truth{{true, false}};
  const tt::Tensor<std::uint8_t, tt::Shape<2>> small{{3, 16}};
  static_assert(std::is_same_v<tt::value_t<decltype(tt::square(truth))>, std::int64_t>);
  static_assert(std::is_same_v<tt::value_t<decltype(tt::square(small))>, std::uint8_t>);
  CHECK(tt::eval(tt::square(truth))(0) == 1);
  CHECK(tt::eval(tt::square(small))(1) == 0);  // 256 wraps
}

TEST_CASE("promotion: a tensor without axes has more say than a literal", "[ops]") {
  const tt::Scalar<std::uint8_t> byte{7};
  const tt::Scalar<double> wide{0.5};
  static_assert(std::is_same_v<tt::value_t<decltype(byte + 1)>, std::uint8_t>);
  static_assert(std::is_same_v<tt::value_t<decltype(byte + 1.5)>, float>);
  static_assert(std::is_same_v<tt::value_t<decltype(wide + 1.5f)>, double>);
  CHECK(tt::eval(byte + 1).item() == 8);
}
