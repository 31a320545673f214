#include <tt/nn/linear.hpp>

#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"
#include "doubles.hpp"

namespace nn = tt::nn;
using tests::numbers;
using tt::dim;
using tt::dyn;
using tt::Shape;
using tt::Tensor;

template <class Layer, class X, class Want>
concept output_is = std::is_same_v<tt::shape_t<decltype(std::declval<Layer&>()(std::declval<X>()))>, Want>;
static_assert(output_is<nn::Linear<3, 4>, Tensor<float, Shape<5, 3>>, Shape<5, 4>>);
static_assert(output_is<nn::Linear<3, 4>, Tensor<float, Shape<dim("n"), dyn>>, Shape<dim("n"), 4>>);
static_assert(output_is<nn::Linear<>, Tensor<float, Shape<2, 5, 3>>, Shape<2, 5, dyn>>);
static_assert(output_is<nn::Linear<3>, Tensor<float, Shape<3>>, Shape<dyn>>);
static_assert(output_is<nn::Linear<dyn, 4>, Tensor<double, Shape<3>>, Shape<4>>);
static_assert(output_is<nn::Linear<dim("in"), 4>, Tensor<float, Shape<dyn, dim("in")>>, Shape<dyn, 4>>);
static_assert(std::is_default_constructible_v<nn::Linear<3, 4>> && !std::is_default_constructible_v<nn::Linear<>> &&
              !std::is_default_constructible_v<nn::Linear<3>>);
static_assert(std::is_same_v<decltype(nn::Linear(3, 4)), nn::Linear<>>);

/// x W' + b element by element, in double.
std::vector<double> by_hand(const nn::detail::LinearBody& fc, const tt::AnyTensor& x) {
  const auto w = tests::values(fc.weight.value), in = tests::values(x);
  const auto b = fc.bias.value.defined() ? tests::values(fc.bias.value)
                                         : std::vector<double>(std::size_t(fc.weight.value.size(0)));
  const std::size_t k = std::size_t(fc.weight.value.size(1)), n = b.size(),
                    rows = k ? in.size() / k : std::size_t(x.size(0));
  std::vector<double> y;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < n; ++j) {
      y.push_back(b[j]);
      for (std::size_t i = 0; i < k; ++i) y.back() += in[r * k + i] * w[j * k + i];
    }
  return y;
}
template <tt::expression Y>
void check_near(const Y& y, const std::vector<double>& want, double margin) {
  const auto got = tests::values(y);
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(margin));
}

TEST_CASE("linear: y = x W' + b for static, dynamic and mixed sizes, with and without bias", "[nn]") {
  const auto x = numbers<float, Shape<5, 3>>({5, 3});
  nn::Linear<3, 4> fixed;
  nn::Linear open(3, 4), biasless(3, 4, false);
  nn::Linear<3> in_known(3, 4);
  nn::Linear<dyn, 4> out_known(3, 4);
  nn::Linear<3, 1> one;
  for (nn::AnyModule* twin : std::initializer_list<nn::AnyModule*>{&open, &in_known, &out_known})
    twin->load_state_dict(fixed.state_dict());
  check_near(fixed(x), by_hand(fixed, x), 1e-6);
  CHECK(tests::same_bits(fixed(x), open(x)));
  CHECK(tests::same_bits(fixed(x), in_known(x)));
  CHECK(tests::same_bits(fixed(x), out_known(x)));
  CHECK(tests::same_bits(fixed(x), fixed(numbers<float, Shape<dyn, dyn>>({5, 3}))));
  check_near(biasless(x), by_hand(biasless, x), 1e-6);
  check_near(one(x), by_hand(one, x), 1e-6);
  check_near(fixed(x + x), by_hand(fixed, tt::eval(x + x)), 1e-6);  // an expression
}

TEST_CASE("linear: leading axes are rows, whatever the layout and however many", "[nn]") {
  nn::Linear<3, 4> fc;
  const auto check = [&](const auto& x) {
    check_near(fc(x), by_hand(fc, x), 1e-6);
    tt::dims size = x.sizes();
    size[-1] = 4;
    CHECK(fc(x).block->result.defined() == false);
    CHECK(tt::eval(fc(x)).sizes() == size);
  };
  check(numbers<float, Shape<3>>({3}));
  check(numbers<float, Shape<1, 3>>({1, 3}));
  check(numbers<float, Shape<2, 5, 3>>({2, 5, 3}));
  check(numbers<float, Shape<dim("a"), 2, dim("b"), dyn>>({2, 2, 3, 3}));
  check(numbers<float, Shape<dyn, 3>>({0, 3}));
  check(numbers<float, Shape<2, 0, 3>>({2, 0, 3}));
  check(tests::scattered(numbers<float, Shape<5, 3>>({5, 3})));
  check(tt::eval(tt::transpose(numbers<float, Shape<3, 5>>({3, 5}))));
  check(tt::eval(tt::slice<0>(numbers<float, Shape<9, 3>>({9, 3}), 1, 8, 2)));
}

TEST_CASE("linear: extents of 0 give the bias, or nothing", "[nn]") {
  nn::Linear none_in(0, 4), none_out(3, 0);
  CHECK(tests::values(none_in(numbers<float, Shape<2, 0>>({2, 0}))) == std::vector<double>(8, 0));
  CHECK(tt::eval(none_out(numbers<float, Shape<2, 3>>({2, 3}))).sizes() == tt::dims{2, 0});
  CHECK(none_in.num_parameters() == 4);
}

TEST_CASE("linear: gradients of input, weight and bias", "[nn]") {
  const auto x = tests::leaf<double, Shape<5, 3>>({5, 3});
  const auto weight = tests::leaf<double, Shape<4, 3>>({4, 3}, -1, 1, 2);
  const auto bias = tests::leaf<double, Shape<4>>({4}, -1, 1, 3);
  auto fc = tests::doubles(nn::Linear<3, 4>());
  const auto with = [&](const auto& own, const auto& w, const auto& b) {
    fc.weight.value = w;
    fc.bias.value = b;
    return fc(own);
  };
  CHECK(tt::gradcheck(with, x, weight, bias));
  CHECK(tt::gradcheck(with, x.detach(), weight, bias));  // the first layer of a network
  CHECK(tt::gradcheck([&](auto&&... own) { return tanh(with(own...)); }, x, weight, bias));
  CHECK(tt::gradcheck([&](auto&&... own) { return square(with(own...)); }, x, weight, bias));
  CHECK(tt::gradcheck(
      [&](auto&&... own) {
        auto h = with(own...);
        return relu(h) + h;
      },
      x, weight, bias));
  const auto deep = tests::leaf<double, Shape<2, 2, 3>>({2, 2, 3});
  const auto flat = tests::leaf<double, Shape<3>>({3});
  CHECK(tt::gradcheck(with, deep, weight, bias));
  CHECK(tt::gradcheck(with, flat, weight, bias));
  nn::Linear biasless(3, 4, false);
  CHECK(tt::gradcheck(
      [&](const auto& own, const auto& w) {
        biasless.weight.value = w;
        return biasless(own);
      },
      x, weight));
}

TEST_CASE("linear: gradients are those of matmul", "[nn]") {
  const auto x = numbers<float, Shape<17, 3>>({17, 3});
  nn::Linear<3, 4> fc;
  const auto w = tt::Variable<float, Shape<4, 3>>(tests::as(tt::dtype::float32, fc.weight.value)).requires_grad_();
  const auto b = tt::Variable<float, Shape<4>>(tests::as(tt::dtype::float32, fc.bias.value)).requires_grad_();
  tt::backward(sum(sigmoid(fc(x))));
  tt::backward(sum(sigmoid(matmul(x, transpose(w)) + b)));
  CHECK(tests::same_bits(fc.weight.value.grad(), w.AnyTensor::grad()));
  CHECK(tests::same_bits(fc.bias.value.grad(), b.AnyTensor::grad()));
}

TEST_CASE("linear: what does not fit at run time is refused in one sentence", "[nn]") {
  nn::Linear open(3, 4);
  nn::Linear<3, 4> fixed;
  const auto x = numbers<float, Shape<dyn, dyn>>({5, 7});
  CHECK_THROWS_WITH(open(x), "tt::nn::Linear: expected 3 as the last extent, got [5, 7]");
  CHECK_THROWS_WITH(fixed(x), "tt::nn::Linear: expected 3 as the last extent, got [5, 7]");
  CHECK_THROWS_WITH(open(numbers<double, Shape<5, 3>>({5, 3})),
                    "tt::nn::Linear: the parameters are float32, the input float64");
  CHECK_THROWS_WITH((nn::Linear<3, 4>(3, 5)), "tt::nn::Linear: the sizes differ from those of the type");
  CHECK_THROWS_AS(nn::Linear(-1, 4), tt::Error);
  CHECK_THROWS_AS(fixed(Tensor<float, Shape<5, 3>>()), tt::Error);
}

TEST_CASE("linear: parameters start uniform in +-1 / sqrt(in), the same for the same seed", "[nn]") {
  tt::manual_seed(3);
  nn::Linear<100, 60> fc;
  double least = 1, most = -1, square = 0;
  for (double w : tests::values(fc.weight.value))
    least = (std::min)(least, w), most = (std::max)(most, w), square += w * w;
  CHECK((least >= -0.1 && least < -0.099 && most < 0.1 && most > 0.099));
  CHECK(square / 6000 == Approx(0.01 / 3).epsilon(0.03));
  for (double b : tests::values(fc.bias.value)) CHECK(std::abs(b) <= 0.1);
  tt::manual_seed(3);
  nn::Linear again(100, 60);
  CHECK(tests::same_bits(fc.weight.value, again.weight.value));
  CHECK(tests::same_bits(fc.bias.value, again.bias.value));
  CHECK(!tests::same_bits(nn::Linear(100, 60).weight.value, fc.weight.value));
}
