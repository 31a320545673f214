// prod and logsumexp: values, layouts, zeros among the factors, nothing to reduce, gradients.
#include <tt/autograd/gradcheck.hpp>
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;
using list = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(std::is_same_v<decltype(tt::prod<1>(std::declval<tt::Tensor<float, tt::Shape<2, 3>>>())),
                             tt::Tensor<float, tt::Shape<2>>>);
static_assert(
    std::is_same_v<tt::value_t<decltype(tt::prod(std::declval<tt::Tensor<bool, tt::Shape<2>>>()))>, std::int64_t>);
static_assert(std::is_same_v<
              tt::shape_t<decltype(tt::logsumexp<0>(std::declval<tt::Tensor<float, tt::Shape<2, 3>>>(), tt::keepdim))>,
              tt::Shape<1, 3>>);
static_assert(std::is_same_v<
              tt::value_t<decltype(tt::logsumexp(std::declval<tt::Tensor<std::int64_t, tt::Shape<2>>>()))>, float>);

TEST_CASE("prod: along each axis and of all, for every length, dtype and layout", "[ops]") {
  for (tt::index_t n = 0; n < 12; ++n) {
    const auto plain = numbers<double, Cube>({2, n, 3}, 0.5, 2);
    for (const auto& x : {plain, scattered(plain)}) {
      const tt::Tensor y = tt::prod<1>(x), z = tt::prod(x, -2);
      REQUIRE(y.sizes() == tt::dims{2, 3});
      CHECK(tests::same_bits(y, z));
      for (tt::index_t i = 0; i < 2; ++i)
        for (tt::index_t k = 0; k < 3; ++k) {
          double want = 1;
          for (tt::index_t j = 0; j < n; ++j) want *= x(i, j, k);
          CHECK(y(i, k) == Approx(want));
        }
      double all = 1;
      for (double v : values(x)) all *= v;
      CHECK(tt::prod(x).item() == Approx(all));
    }
  }
  CHECK(tt::prod(tt::Tensor<std::uint8_t, tt::Shape<3>>{{200, 200, 2}}).item() == 80000);
  CHECK(tt::prod(tt::Tensor<bool, tt::Shape<3>>{{true, false, true}}).item() == 0);
  CHECK(tt::prod(tt::Tensor<std::int64_t, tt::Shape<2>>{{INT64_MAX, 2}}).item() == -2);  // wraps
  CHECK(tt::prod<0>(tt::Scalar<float>({}, std::array{3.f})).item() == 3);
  CHECK(tt::prod(tt::zeros<float, Vector>({0})).item() == 1);
  CHECK_THROWS_AS(tt::prod(numbers<float, Cube>({2, 2, 2}), 3), tt::IndexError);
  CHECK_THROWS_WITH(tt::call("prod", {tt::ones(tt::dtype::uint64, {2})}), Contains("tt::prod") && Contains("uint64"));
}

TEST_CASE("prod: zeros among the factors have the products of the others as gradients", "[ops]") {
  tt::Variable<double, tt::Shape<4>> x{{2, 0, 5, 3}};
  x.requires_grad_();
  tt::backward(tt::prod(x));
  CHECK(values(x.grad()) == list{0, 30, 0, 0});
  tt::Variable<double, tt::Shape<3>> two{{0, 0, 5}};
  two.requires_grad_();
  tt::backward(tt::prod(two));
  CHECK(values(two.grad()) == list{0, 0, 0});
  const auto none = leaf<double, Vector>({0});
  tt::backward(tt::prod(none));
  CHECK(none.grad().numel() == 0);
  CHECK(tt::gradcheck([](const auto& v) { return tt::prod<1>(v); }, leaf<double, Cube>({2, 7, 2}, 0.5, 2)));
  CHECK(tt::gradcheck([](const auto& v) { return tt::prod(v); }, leaf<double, Cube>({3, 1, 2}, -2, 2)));
}

TEST_CASE("logsumexp: finite where the exact value is, and what infinities and nothing give", "[ops]") {
  const auto of = [](const list& x) { return tt::logsumexp(tt::Vector<double>({tt::index_t(x.size())}, x)).item(); };
  CHECK(of({-infinity, -infinity}) == -infinity);
  CHECK(of({infinity, 0}) == infinity);
  CHECK(of({infinity, infinity}) == infinity);
  CHECK(of({0, -infinity}) == 0);
  CHECK(std::isnan(of({std::nan(""), -infinity})));
  CHECK(of({}) == -infinity);
  CHECK(of({1000, 1000}) == Approx(1000 + std::log(2)));
  CHECK(of({-1000, -1000}) == Approx(-1000 + std::log(2)));

  const auto plain = numbers<double, Cube>({2, 5, 3}, -4, 4);
  for (const auto& x : {plain, scattered(plain)}) {
    const tt::Tensor y = tt::logsumexp<1>(x), dynamic = tt::logsumexp(x, 1);
    const tt::Tensor kept = tt::logsumexp<-2>(x, tt::keepdim);
    CHECK(kept.sizes() == tt::dims{2, 1, 3});
    CHECK(tests::same_bits(y, dynamic));
    CHECK(values(y) == values(kept));
    for (tt::index_t i = 0; i < 2; ++i)
      for (tt::index_t k = 0; k < 3; ++k) {
        double total = 0;
        for (tt::index_t j = 0; j < 5; ++j) total += std::exp(x(i, j, k));
        CHECK(y(i, k) == Approx(std::log(total)));
      }
    const tt::Tensor both = tt::logsumexp<0, 2>(x);
    CHECK(both.sizes() == tt::dims{5});
  }
  CHECK(tt::logsumexp(tt::Tensor<std::int64_t, tt::Shape<2>>{{0, 0}}).item() == Approx(std::log(2.f)));
  CHECK(tt::logsumexp<0>(tt::zeros<float, tt::Shape<0, 3>>()).numel() == 3);
  CHECK(tt::gradcheck([](const auto& v) { return tt::logsumexp<1>(v); }, leaf<double, Cube>({2, 3, 2})));
}
