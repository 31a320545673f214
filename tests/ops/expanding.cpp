#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using Cube = tt::Shape<dyn, dyn, dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;

// ---- extents of the type ----

namespace {
constexpr tt::index_t named = tt::dim("n");
const tt::Tensor<float, tt::Shape<1, 3, named>> typed;
const tt::Tensor<float, tt::Shape<4, 1, 1>> column;
}  // namespace
#define TT_SHAPE_OF(expression, ...) \
  static_assert(std::is_same_v<tt::shape_t<decltype(expression)>, tt::Shape<__VA_ARGS__>>)
TT_SHAPE_OF((tt::expand<5, 3, -1>(typed)), 5, 3, named);
TT_SHAPE_OF((tt::expand<2, 5, -1, 7>(typed)), 2, 5, 3, 7);
TT_SHAPE_OF((tt::broadcast_to<0, 3, -1>(typed)), 0, 3, named);
TT_SHAPE_OF(tt::expand(typed, {5, 3, 2}), dyn, dyn, dyn);
TT_SHAPE_OF(tt::expand_as(column, tt::Tensor<float, tt::Shape<2, 4, dyn, named>>()), 2, 4, dyn, named);
TT_SHAPE_OF(std::get<0>(tt::broadcast_tensors(typed, column)), 4, 3, named);
TT_SHAPE_OF(std::get<1>(tt::broadcast_tensors(typed, column)), 4, 3, named);
TT_SHAPE_OF((tt::sum_to_size<3, 1>(typed)), 3, 1);
TT_SHAPE_OF(tt::sum_to_size(typed, {1}), dyn);

TEST_CASE("expanding: each index reads the element that broadcasting says", "[ops]") {
  const auto x = numbers<float, Cube>({2, 1, 3});
  const auto y = tt::expand(x, {4, 2, 5, -1});
  REQUIRE(y.sizes() == tt::dims{4, 2, 5, 3});
  for (tt::index_t h = 0; h < 4; ++h)
    for (tt::index_t i = 0; i < 2; ++i)
      for (tt::index_t j = 0; j < 5; ++j)
        for (tt::index_t k = 0; k < 3; ++k) CHECK(y(h, i, j, k) == x(i, 0, k));
  CHECK(y.storage() == x.storage());
  CHECK(tt::expand<-1, 0, -1>(x).numel() == 0);
  CHECK(tests::same_bits(tt::expand_as(x, tt::zeros<float, tt::Shape<2, 5, 3>>()), tt::expand<2, 5, 3>(x)));
  CHECK(values(tt::expand<2, 2>(tt::Scalar<float>{3})) == list{3, 3, 3, 3});
  const auto [a, b, c] =
      tt::broadcast_tensors(tt::arange<float>(3), tt::Scalar<double>{2}, tt::reshape<2, 1>(tt::arange<float>(2)));
  CHECK(values(a) == list{0, 1, 2, 0, 1, 2});
  CHECK(values(b) == list{2, 2, 2, 2, 2, 2});
  CHECK(values(c) == list{0, 0, 0, 1, 1, 1});
}

TEST_CASE("expanding: what does not broadcast is refused", "[ops]") {
  const auto x = numbers<float, Matrix>({2, 3});
  CHECK_THROWS_WITH(tt::expand(x, {4, 3}), Contains("[2, 3]") && Contains("[4, 3]"));
  CHECK_THROWS(tt::expand(x, {1, 3}));
  CHECK_THROWS(tt::expand(x, {-1, 2, 3}));
  CHECK_THROWS(tt::expand(x, {2, -2}));
  CHECK_THROWS(tt::expand(tt::AnyTensor(x), {3}));
  CHECK_THROWS(tt::expand_as(x, numbers<float, Matrix>({3, 3})));
  CHECK_THROWS(tt::broadcast_tensors(x, numbers<float, Matrix>({3, 3})));
  CHECK_THROWS_WITH(tt::sum_to_size(x, {2}), Contains("[2, 3]") && Contains("[2]"));
  CHECK_THROWS(tt::sum_to_size(x, {1, 2, 3}));
}

TEST_CASE("expanding: an expanded view is read-only, whichever view it is seen through", "[ops]") {
  const auto x = tt::zeros<float, tt::Shape<1, 3>>();
  const auto y = tt::expand<4, 3>(x);
  CHECK_THROWS_WITH(y += 1, Contains("read-only"));
  CHECK_THROWS_WITH(y.fill_(1), Contains("read-only"));
  CHECK_THROWS_WITH((tt::transpose<0, 1>(y).copy_(tt::ones<float, tt::Shape<3, 4>>())), Contains("read-only"));
  CHECK_THROWS_WITH((tt::slice<0>(y, 0, 2) = 1), Contains("read-only"));
  CHECK_THROWS_WITH(tt::AnyTensor(y).copy_(x), Contains("read-only"));
  CHECK(values(x) == list{0, 0, 0});
  CHECK(x.version() == 0);
  tt::select<0>(y, 2) = 5;   // one of the copies is the row itself
  CHECK(values(y) == list{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5});
  tt::expand<1, 3>(x) += 1;   // nothing is repeated
  CHECK(values(x) == list{6, 6, 6});
}

TEST_CASE("expanding: sum_to_size undoes it", "[ops]") {
  const auto x = numbers<double, Cube>({2, 1, 3});
  const tt::Tensor back = tt::sum_to_size(tt::expand(x, {4, 2, 5, 3}), {2, 1, 3});
  for (tt::index_t i = 0; i < 6; ++i) CHECK(back.data()[i] == Approx(20 * x.data()[i]));
  CHECK(tests::same_bits(tt::sum_to_size<2, 1, 3>(x), x));
  CHECK(values(tt::sum_to_size<>(tt::arange<std::int64_t>(5))) == list{10});
  CHECK(tt::sum_to_size(tt::zeros<float, tt::Shape<0, 3>>(), {1, 3}).sizes() == tt::dims{1, 3});
}

TEST_CASE("expanding: gradients are the sums over what was repeated", "[ops]") {
  const auto x = leaf<double, Cube>({2, 1, 3});
  CHECK(gradcheck([](const auto& a) { return tt::expand<2, 2, 4, 3>(a) * 2; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::sum_to_size<3>(tt::expand<2, 4, 3>(a) * a); }, x));
  CHECK(gradcheck([](const auto& a, const auto& b) {
    const auto [p, q] = tt::broadcast_tensors(a, b);
    return p * q;
  }, x, leaf<double, Matrix>({4, 1})));
  // Many addends of a float gradient are gathered in double.
  const auto one = leaf<float, tt::Shape<1>>({1});
  backward(sum(tt::expand(one, {30000000}) * 0.1f));
  CHECK(values(one.grad())[0] == Approx(3e6).epsilon(1e-6));
}
