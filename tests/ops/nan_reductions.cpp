// nansum and nanmean: NaN counts for nothing, also backwards.
#include <tt/autograd/gradcheck.hpp>
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::call;
using tt::dtype;
using tt::keepdim;
using Vector = tt::Shape<tt::dyn>;
using Cube = tt::Shape<tt::dyn, tt::dyn, tt::dyn>;
using list = std::vector<double>;

static_assert(std::is_same_v<tt::value_t<decltype(tt::nansum(std::declval<tt::Vector<bool>>()))>, std::int64_t>);
static_assert(std::is_same_v<decltype(tt::nanmean<1>(std::declval<tt::Tensor<float, tt::Shape<2, 3>>>(), keepdim)),
                             tt::Tensor<float, tt::Shape<2, 1>>>);

TEST_CASE("nansum and nanmean: over every axis and layout, typed and by name", "[ops]") {
  const auto plain = numbers<double, Cube>({3, 40, 5}, -3, 3);
  for (tt::index_t i = 0; i < plain.numel(); i += 7) plain.data()[i] = std::nan("");
  for (const auto& x : {plain, scattered(plain)}) {
    const tt::Tensor sum = tt::nansum<1>(x), mean = tt::nanmean(x, 1);
    for (tt::index_t i = 0; i < 3; ++i)
      for (tt::index_t k = 0; k < 5; ++k) {
        double total = 0, count = 0;
        for (tt::index_t j = 0; j < 40; ++j)
          if (!std::isnan(x(i, j, k))) total += x(i, j, k), ++count;
        CHECK(sum(i, k) == Approx(total));
        CHECK(mean(i, k) == Approx(total / count));
      }
    CHECK(tt::nansum(x).item() == Approx(values(tt::sum(sum))[0]));
    CHECK(values(tt::nansum(x, {1})) == values(tt::nansum(x, 1)));
    CHECK(values(tt::nanmean(x, {1}, keepdim)) == values(tt::nanmean(x, 1)));
    CHECK(tt::nanmean(x, keepdim).sizes() == tt::dims{1, 1, 1});
    CHECK(values(tt::nanmean(x, {0, 2}, keepdim)) == values(tt::nanmean<0, 2>(x)));
    CHECK(values(call("nansum", {x, 1}).tensor()) == values(sum));
    CHECK(values(call("nanmean", {x, {1}, true}).tensor()) == values(mean));
  }
}

TEST_CASE("nansum and nanmean: of nothing, of NaN alone, of integers and narrow numbers", "[ops]") {
  const double nan_value = std::nan("");
  CHECK(tt::nansum(tt::Vector<double>{nan_value}).item() == 0);
  CHECK(std::isnan(tt::nanmean(tt::Vector<double>{nan_value}).item()));
  CHECK(tt::nansum(tt::zeros<float, Vector>({0})).item() == 0);
  CHECK(std::isnan(tt::nanmean(tt::zeros<float, Vector>({0})).item()));
  CHECK(tt::nansum(tt::Vector<std::uint8_t>{200, 100}).item() == 300);
  CHECK(tt::nansum(tt::Scalar<float>{3}, 0).item() == 3);
  CHECK(double(tt::nanmean(tt::full<tt::half, Vector>({4000}, 100)).item()) == 100);  // the sum is no number of 16 bits
  CHECK(call("nansum", {tt::ones(dtype::int32, {3})}).tensor().dtype() == dtype::int64);
  CHECK(call("nansum", {tt::ones(dtype::float32, {3})}, {{"dtype", dtype::float64}}).tensor().dtype() == dtype::float64);
  CHECK_THROWS_WITH(call("nanmean", {tt::ones(dtype::int64, {3})}), Contains("int64"));
  CHECK_THROWS_WITH(tt::nanmean(tt::Vector<float>{1}, 3), Contains("tt::nanmean: axis 3"));
}

TEST_CASE("nansum and nanmean: gradients go past NaN", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 4});
  CHECK(tt::gradcheck([](const auto& a) { return tt::nansum<1>(a * a); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::nanmean(a, {0, 2}); }, x));
  tt::Variable<double, tt::Shape<3>> v{{1, std::nan(""), 3}};
  v.requires_grad_();
  tt::backward(tt::nansum(v) + tt::nanmean(v));
  CHECK(values(v.grad()) == list{1.5, 0, 1.5});
}
