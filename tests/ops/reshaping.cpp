#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using Cube = tt::Shape<dyn, dyn, dyn>;
using Matrix = tt::Shape<dyn, dyn>;

// ---- extents of the type ----

namespace {
const tt::Tensor<float, tt::Shape<2, 3, tt::dim("n")>> typed;
const tt::Tensor<float, tt::Shape<2, 6>> still;
}  // namespace
#define TT_SHAPE_OF(expression, ...) \
  static_assert(std::is_same_v<tt::shape_t<decltype(expression)>, tt::Shape<__VA_ARGS__>>)
TT_SHAPE_OF((tt::reshape<4, -1>(still)), 4, 3);
TT_SHAPE_OF(tt::reshape<12>(still), 12);
TT_SHAPE_OF((tt::reshape<6, -1>(typed)), 6, dyn);
TT_SHAPE_OF((tt::view<3, -1>(still)), 3, 4);
TT_SHAPE_OF(tt::view(still, {3, 4}), dyn, dyn);
TT_SHAPE_OF(tt::flatten(still), 12);
TT_SHAPE_OF((tt::flatten<0, 1>(typed)), 6, tt::dim("n"));
TT_SHAPE_OF(tt::flatten<1>(typed), 2, dyn);
TT_SHAPE_OF((tt::flatten<-1, -1>(typed)), 2, 3, tt::dim("n"));
TT_SHAPE_OF(tt::ravel(tt::Scalar<float>()), 1);
TT_SHAPE_OF(tt::ravel(tt::Tensor<float, tt::Shape<0, dyn>>()), 0);
TT_SHAPE_OF((tt::unflatten<1, 3, -1>(still)), 2, 3, 2);
TT_SHAPE_OF((tt::unflatten<-1, 3, -1>(typed)), 2, 3, 3, dyn);
TT_SHAPE_OF(tt::unflatten(still, 1, {3, 2}), dyn, dyn, dyn);

// reshape is a view where one exists: checked against the elements in row-major order, over many layouts and extents.
TEST_CASE("reshaping: reshape keeps the row-major order of any layout, and shares where it can", "[ops]") {
  const auto base = numbers<double, tt::Shape<dyn, dyn, dyn, dyn>>({2, 3, 4, 6});
  const tt::AnyTensor layouts[] = {base, scattered(base), tt::permute<1, 0, 3, 2>(base), tt::transpose<1, 2>(base),
                                   tt::slice<3>(base, 0, 6, 2), tt::slice<0>(base, 1, 2), tt::permute<2, 3, 0, 1>(base),
                                   tt::slice<1>(tt::permute<0, 2, 1, 3>(base), 0, 2), tt::slice<2>(base, 1, 1)};
  for (const tt::AnyTensor& t : layouts) {
    const auto x = t.as<double, tt::Shape<dyn, dyn, dyn, dyn>>();
    const auto want = values(x);
    const tt::index_t n = x.numel();
    std::vector<tt::dims> targets;
    if (n == 0) targets = {{0}, {3, 0}, {0, 1, 7}};
    for (tt::index_t i = 1; i <= n; ++i)
      for (tt::index_t j = 1; n % i == 0 && j <= n / i; ++j)
        if (n / i % j == 0) targets.push_back({i, j, n / i / j});
    for (const tt::dims& to : targets) {
      const tt::AnyTensor y = tt::detail::reshape_view(x, to, nullptr);
      CHECK(y.sizes() == to);
      CHECK(values(y) == want);
      if (x.is_contiguous()) CHECK(y.storage() == x.storage());
    }
  }
  CHECK(tt::reshape<6, 4, 6>(base).storage() == base.storage());
  CHECK(tt::reshape<3, 2, -1>(tt::slice<3>(tt::slice<0>(base, 0, 1), 0, 6, 2)).storage() == base.storage());
  CHECK_FALSE(tt::reshape<-1>(tt::transpose<0, 1>(base)).storage() == base.storage());
}

TEST_CASE("reshaping: reshape of no axes and to no axes; extents that do not fit are refused", "[ops]") {
  const tt::Scalar<float> one{3};
  CHECK(tt::reshape<1, 1, 1>(one).sizes() == tt::dims{1, 1, 1});
  CHECK(tt::reshape<>(tt::full<float, tt::Shape<1, 1>>(3)).item() == 3);
  const auto x = numbers<float, Matrix>({2, 6});
  CHECK(tt::reshape(x, {3, -1}).sizes() == tt::dims{3, 4});
  CHECK_THROWS_WITH(tt::reshape(x, {5, -1}), Contains("[2, 6]") && Contains("does not fill"));
  CHECK_THROWS_WITH(tt::reshape(x, {5, 2}), Contains("12 elements") && Contains("10"));
  CHECK_THROWS_WITH(tt::reshape(x, {-1, -1}), Contains("one extent"));
  CHECK_THROWS(tt::reshape(x, {-2, 6}));
  CHECK_THROWS(tt::reshape(x, {0, -1}));
  CHECK_THROWS_AS(tt::reshape(x, {tt::index_t(1) << 40, tt::index_t(1) << 40}), tt::Error);
  CHECK_THROWS_AS(tt::reshape(x, {tt::index_t(1) << 40, tt::index_t(1) << 40, -1}), tt::Error);
}

TEST_CASE("reshaping: view never copies", "[ops]") {
  const auto x = numbers<float, tt::Shape<4, 6>>({4, 6});
  CHECK(tt::view<2, 12>(x).storage() == x.storage());
  CHECK(tests::same_bits(tt::view(x, {2, -1, 3}), tt::reshape<2, 4, 3>(x)));
  CHECK(tt::view<2, 2, 3, 2>(x).storage() == x.storage());
  CHECK_THROWS_WITH(tt::view<24>(tt::transpose<0, 1>(x)), Contains("without a copy"));
  CHECK_THROWS_WITH(tt::view(x, {5, 5}), Contains("tt::view") && Contains("24 elements"));
  CHECK(values(tt::view<6, 2, 2>(tt::transpose<0, 1>(x))) == values(tt::transpose<0, 1>(x)));
}

TEST_CASE("reshaping: flatten and unflatten are inverses, on views too", "[ops]") {
  const auto x = numbers<float, Cube>({2, 3, 4});
  CHECK(tt::flatten<1>(x).sizes() == tt::dims{2, 12});
  CHECK(tests::same_bits(tt::unflatten(tt::flatten<1>(x), 1, {3, 4}), x));
  CHECK(tests::same_bits(tt::unflatten<0, 2, -1>(tt::flatten<0, 1>(x)), x));
  CHECK(tt::flatten(x).storage() == x.storage());
  CHECK_FALSE(tt::flatten(tt::transpose<0, 1>(x)).storage() == x.storage());
  CHECK(values(tt::ravel(tt::transpose<0, 1>(x))) == values(tt::transpose<0, 1>(x)));
  CHECK(tt::flatten(tt::slice<2>(x, 0, 4, 2), 0, 1).sizes() == tt::dims{6, 2});
  CHECK(tt::flatten(tt::zeros<float, tt::Shape<2, 0>>()).sizes() == tt::dims{0});
  CHECK(tt::unflatten(tt::slice<2>(x, 0, 4, 2), 2, {2, 1}).storage() == x.storage());
  CHECK_THROWS_WITH(tt::flatten(x, 1, 0), Contains("comes after"));
  CHECK_THROWS_AS(tt::flatten(x, 0, 3), tt::IndexError);
  CHECK_THROWS_WITH(tt::unflatten(x, 1, {2, 2}), Contains("tt::unflatten") && Contains("3 elements"));
  CHECK_THROWS_WITH(tt::unflatten(tt::AnyTensor(x), 1, tt::dims{}), Contains("at least one"));
  CHECK_THROWS_WITH(tt::unflatten(tt::AnyTensor(tt::Scalar<float>{1}), 0, {1}), Contains("without axes"));
}

TEST_CASE("reshaping: gradients", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 4});
  CHECK(gradcheck([](const auto& a) { return tt::reshape<4, -1>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::reshape<-1>(tt::transpose<0, 1>(a)); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::reshape<24>(a) * tt::reshape<24>(tt::permute<2, 0, 1>(a)); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::view<6, -1>(a) * tt::flatten<0, 1>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::unflatten<2, 2, 2>(tt::transpose<0, 1>(a)) * 2; }, x));
}
