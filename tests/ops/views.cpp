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
using list = std::vector<double>;

// ---- extents of the type ----

namespace {
using X = tt::Tensor<float, tt::Shape<2, 3, tt::dim("n")>>;
using F = tt::Tensor<float, tt::Shape<2, 6>>;
template <class E>
using shape = tt::shape_t<E>;
}  // namespace
static_assert(std::is_same_v<shape<decltype(tt::transpose<0, -1>(std::declval<X>()))>, tt::Shape<tt::dim("n"), 3, 2>>);
static_assert(std::is_same_v<shape<decltype(tt::permute<2, 0, 1>(std::declval<X>()))>, tt::Shape<tt::dim("n"), 2, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::slice<1>(std::declval<X>(), 0, 1))>, tt::Shape<2, dyn, tt::dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::select<0>(std::declval<X>(), 0))>, tt::Shape<3, tt::dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::reshape<4, -1>(std::declval<F>()))>, tt::Shape<4, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::reshape<12>(std::declval<F>()))>, tt::Shape<12>>);
static_assert(std::is_same_v<shape<decltype(tt::reshape<6, -1>(std::declval<X>()))>, tt::Shape<6, dyn>>);
static_assert(std::is_same_v<shape<decltype(tt::transpose(std::declval<X>(), 0, 1))>, Cube>);

TEST_CASE("views: share the elements of their base, so that writing either changes both", "[ops]") {
  const tt::Tensor<float, tt::Shape<2, 3>> x{{1, 2, 3, 4, 5, 6}};
  const auto t = tt::transpose<0, 1>(x);
  const auto row = tt::select<0>(x, 1);
  const auto part = tt::slice<1>(x, 1, 3);
  const auto flat = tt::reshape<6>(x);
  CHECK(values(t) == list{1, 4, 2, 5, 3, 6});
  CHECK(values(row) == list{4, 5, 6});
  CHECK(values(part) == list{2, 3, 5, 6});
  flat(4) = 50;
  CHECK((t(1, 1) == 50 && row(1) == 50 && part(1, 0) == 50 && x(1, 1) == 50));
  tt::slice<0>(t, 0, 1) = 9;
  CHECK(values(x) == list{9, 2, 3, 9, 50, 6});
  for (const tt::AnyTensor& view : {tt::AnyTensor(t), tt::AnyTensor(row), tt::AnyTensor(part), tt::AnyTensor(flat)})
    CHECK(view.storage() == x.storage());
}

TEST_CASE("views: slices clamp positions as Python does, and take any step", "[ops]") {
  const auto v = tt::arange<double>(10);
  const auto of = [&](tt::index_t start, tt::index_t stop, tt::index_t step = 1) {
    return values(tt::slice<0>(v, start, stop, step));
  };
  CHECK(of(2, 5) == list{2, 3, 4});
  CHECK(of(-3, 10) == list{7, 8, 9});
  CHECK(of(0, -8) == list{0, 1});
  CHECK(of(-100, 2) == list{0, 1});
  CHECK(of(8, 100) == list{8, 9});
  CHECK(of(5, 5).empty());
  CHECK(of(7, 3).empty());
  CHECK(of(100, 200).empty());
  CHECK(of(1, 9, 3) == list{1, 4, 7});
  CHECK(of(1, 8, 3) == list{1, 4, 7});
  CHECK(of(1, 7, 3) == list{1, 4});
  CHECK(of(3, 10, INT64_MAX) == list{3});
  CHECK(of(INT64_MIN, INT64_MAX, INT64_MAX) == list{0});
  CHECK_THROWS_WITH(of(0, 5, 0), Contains("step must be positive"));
  CHECK_THROWS(of(0, 5, -1));
  const auto step = tt::slice<0>(v, 1, 10, 2);
  CHECK(values(tt::slice<0>(step, 1, 5, 2)) == list{3, 7});
  CHECK_THROWS_AS(tt::slice(v, 1, 0, 1), tt::IndexError);
  CHECK_THROWS_AS(tt::slice(tt::Scalar<float>{1}, 0, 0, 1), tt::Error);
}

TEST_CASE("views: select takes one position, from either end", "[ops]") {
  const auto x = numbers<float, Cube>({2, 3, 4});
  CHECK(values(tt::select<1>(x, -1)) == values(tt::select<1>(x, 2)));
  CHECK(tt::select(x, 2, 3).sizes() == tt::dims{2, 3});
  CHECK(tt::select<0>(tt::arange<float>(3), 2).item() == 2);
  CHECK_THROWS_WITH(tt::select<0>(x, 2), Contains("index 2") && Contains("axis of 2"));
  CHECK_THROWS_AS(tt::select<0>(x, -3), tt::IndexError);
}

TEST_CASE("views: transpose and permute move elements as their definition says", "[ops]") {
  const auto x = numbers<float, Cube>({2, 3, 4});
  const auto a = tt::transpose<0, 2>(x);
  const auto b = tt::permute<2, 0, -2>(x);
  for (tt::index_t i = 0; i < 2; ++i)
    for (tt::index_t j = 0; j < 3; ++j)
      for (tt::index_t k = 0; k < 4; ++k) {
        CHECK(a(k, j, i) == x(i, j, k));
        CHECK(b(k, i, j) == x(i, j, k));
      }
  CHECK(values(tt::transpose(x, -1, 0)) == values(a));
  CHECK(values(tt::transpose(x)) == values(tt::transpose(x, 1, 2)));
  CHECK_THROWS_AS(tt::transpose(x, 0, 3), tt::IndexError);
  CHECK(values(tt::t(tt::select<0>(x, 0))) == values(tt::transpose(tt::select<0>(x, 0))));
}

// reshape is a view where one exists: checked against the elements in row-major order, over many layouts and extents.
TEST_CASE("views: reshape keeps the row-major order of any layout, and shares where it can", "[ops]") {
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

TEST_CASE("views: reshape of no axes and to no axes; extents that do not fit are refused", "[ops]") {
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

TEST_CASE("views: contiguous and clone", "[ops]") {
  const auto x = numbers<float, Matrix>({3, 4});
  CHECK(tt::contiguous(x).storage() == x.storage());
  const tt::Tensor y = tt::contiguous(tt::transpose<0, 1>(x));
  CHECK(y.is_contiguous());
  CHECK(values(y) == values(tt::transpose<0, 1>(x)));
  CHECK_FALSE(tt::clone(x).storage() == x.storage());
}

TEST_CASE("views: gradients go where the elements came from", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 4});
  CHECK(gradcheck([](const auto& a) { return tt::transpose<0, 2>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::permute<1, 2, 0>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::slice<1>(a, 1, 3); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::slice<2>(a, 0, 4, 3); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::slice<0>(a, 1, 1); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::select<1>(a, -1); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::reshape<4, -1>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::reshape<-1>(tt::transpose<0, 1>(a)); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::contiguous(tt::transpose<1, 2>(a)) * 2; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::clone(tt::slice<2>(a, 1, 3)); }, x));
  CHECK(
      gradcheck([](const auto& a) { return tt::slice<0>(tt::select<2>(tt::transpose<0, 2>(a), 1), 0, 4, 2) * 3; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::reshape<24>(a) * tt::reshape<24>(tt::permute<2, 0, 1>(a)); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::slice<1>(a, 0, 2) * tt::slice<1>(a, 1, 3); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::transpose(tt::select<0>(a, 0)) + 1; }, x));
  const auto m = leaf<double, Matrix>({3, 3});
  CHECK(gradcheck([](const auto& a) { return a + tt::transpose(a); }, m));
  CHECK(gradcheck([](const auto& a) { return a * tt::transpose<0, 1>(a) + a; }, m));
  CHECK(gradcheck([](const auto& a) { return sum(a) + tt::select<0>(tt::select<0>(a, 0), 0); }, m));
}
