#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::dim;
using tt::dyn;
using tt::gradcheck;
using tt::Shape;
using Matrix = Shape<dyn, dyn>;
using list = std::vector<double>;

// ---- extents of the type ----

namespace {
template <class E>
using shape = tt::shape_t<E>;
template <class ShapeType, class Type = float>
tt::Tensor<Type, ShapeType> of();
}  // namespace
static_assert(std::is_same_v<shape<decltype(tt::cat<0>(of<Shape<2, 3>>(), of<Shape<4, 3>>()))>, Shape<6, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::cat<-1>(of<Shape<2, 3>>(), of<Shape<dyn, 4>>()))>, Shape<2, 7>>);
static_assert(std::is_same_v<shape<decltype(tt::cat(of<Shape<dim("n"), 3>>(), of<Shape<1, 3>>()))>, Shape<dyn, 3>>);
static_assert(
    std::is_same_v<shape<decltype(tt::cat<1>(of<Shape<dim("n"), 3>>(), of<Shape<dyn, 3>>()))>, Shape<dim("n"), 6>>);
static_assert(std::is_same_v<shape<decltype(tt::cat(of<Shape<0>>(), of<Shape<2, 3>>()))>, Shape<2, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::stack(of<Shape<2>>(), of<Shape<dyn>>()))>, Shape<2, 2>>);
static_assert(std::is_same_v<shape<decltype(tt::stack<-1>(of<Shape<2>>()))>, Shape<2, 1>>);
static_assert(std::is_same_v<shape<decltype(tt::hstack(of<Shape<2>>(), of<Shape<>>()))>, Shape<3>>);
static_assert(std::is_same_v<shape<decltype(tt::hstack(of<Shape<2, 1>>(), of<Shape<2, 4>>()))>, Shape<2, 5>>);
static_assert(std::is_same_v<shape<decltype(tt::vstack(of<Shape<2>>(), of<Shape<3, 2>>()))>, Shape<4, 2>>);
static_assert(
    std::is_same_v<tt::value_t<decltype(tt::cat(of<Shape<2>, std::int64_t>(), of<Shape<2>, double>()))>, double>);
static_assert(tt::order_of<decltype(tt::cat(of<Shape<2>>(), std::declval<tt::Variable<float, Shape<2>>>()))> == 1);
static_assert(tt::order_of<decltype(tt::cat(std::declval<tt::Variable<float, Shape<2>>>(),
                                            std::declval<tt::Tensor<float, Shape<2>, tt::cpu, tt::frozen>>()))> ==
              tt::frozen);

TEST_CASE("cat: tensors one after another along any axis, of any layout", "[ops]") {
  const tt::Tensor<float, Shape<2, 2>> a{{1, 2, 3, 4}}, b{{5, 6, 7, 8}};
  CHECK(values(tt::cat<0>(a, b)) == list{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(values(tt::cat<1>(a, b)) == list{1, 2, 5, 6, 3, 4, 7, 8});
  CHECK(values(tt::cat<-1>(a, b)) == values(tt::cat<1>(a, b)));
  CHECK(values(tt::cat<1>(a, a * 2)) == list{1, 2, 2, 4, 3, 4, 6, 8});
  CHECK(values(tt::cat<1>(tt::transpose<0, 1>(a), scattered(b))) == list{1, 3, 5, 6, 2, 4, 7, 8});
  CHECK(values(tt::cat<0>(a)) == values(a));
  CHECK_FALSE(tt::cat<0>(a).storage() == a.storage());
}

TEST_CASE("cat: dtypes are promoted, and an operand of lower category is converted", "[ops]") {
  const tt::Tensor<std::int64_t, Shape<2>> whole{{1, -2}};
  const tt::Tensor<double, Shape<1>> real{0.5};
  const tt::Tensor<bool, Shape<1>> truth{true};
  const tt::Tensor<std::uint8_t, Shape<1>> byte{200};
  CHECK(values(tt::cat(whole, real)) == list{1, -2, 0.5});
  CHECK(values(tt::cat(truth, byte)) == list{1, 200});
  static_assert(std::is_same_v<tt::value_t<decltype(tt::cat(truth, byte))>, std::uint8_t>);
  CHECK(values(tt::stack(truth, truth)) == list{1, 1});
}

TEST_CASE("cat: lists with an axis known at run time", "[ops]") {
  const auto a = numbers<float, Matrix>({2, 3}), b = numbers<float, Matrix>({2, 3}, 0, 1, 7);
  CHECK(tests::same_bits(tt::cat({a, b}, 1), tt::cat<1>(a, b)));
  CHECK(tests::same_bits(tt::cat(std::vector{a, b}, -2), tt::cat<0>(a, b)));
  const decltype(a) both[] = {a, b};
  CHECK(tests::same_bits(tt::cat<1>(std::span(both)), tt::cat<1>(a, b)));
  CHECK(tests::same_bits(tt::stack({a, b}, 2), tt::stack<2>(a, b)));
  CHECK(tests::same_bits(tt::stack(std::vector{a, b}), tt::stack<0>(a, b)));
  CHECK(tests::same_bits(tt::stack<1>(std::vector{a, b}), tt::stack<1>(a, b)));
}

TEST_CASE("cat: what does not fit is refused, vectors without elements fit everywhere", "[ops]") {
  const auto a = numbers<float, Matrix>({2, 3}), b = numbers<float, Matrix>({2, 4});
  const tt::AnyTensor nothing = tt::AnyTensor::empty(tt::dtype::float32, {0});
  CHECK_THROWS_WITH(tt::cat<0>(a, b), Contains("[2, 3]") && Contains("[2, 4]") && Contains("along axis 0 only"));
  CHECK_THROWS_AS(tt::cat({a, b}, 2), tt::IndexError);
  CHECK_THROWS_WITH(tt::cat(std::vector<tt::Matrix<float>>{}), Contains("empty"));
  CHECK_THROWS_WITH(tt::stack(std::vector<tt::Matrix<float>>{}), Contains("empty"));
  CHECK_THROWS_WITH(tt::stack<0>(a, b), Contains("differ"));
  CHECK_THROWS_AS(tt::stack({a, a}, 3), tt::IndexError);
  CHECK_THROWS_AS(tt::cat(std::vector{a, tt::Matrix<float>()}), tt::Error);
  CHECK_THROWS_WITH(tt::cat(std::vector{tt::Scalar<float>{1}}), Contains("stack()"));
  const tt::AnyTensor mixed[] = {nothing, a, nothing};
  CHECK(values(tt::detail::run_cat("cat", mixed, 1, nullptr)) == values(a));
  CHECK(tt::detail::run_cat("cat", {&nothing, 1}, 0, nullptr).sizes() == tt::dims{0});
  CHECK(tt::cat<1>(tt::zeros<float, Shape<3, 0>>(), tt::zeros<float, Shape<3, 2>>()).sizes() == tt::dims{3, 2});
  CHECK(tt::stack<1>(tt::zeros<float, Shape<0>>(), tt::zeros<float, Shape<0>>()).sizes() == tt::dims{0, 2});
  const auto deep = tt::zeros<float, Shape<1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2>>();
  CHECK(tt::cat<15>(deep, deep).numel() == 4);
  CHECK_THROWS_WITH(tt::detail::run_stack("stack", std::vector<tt::AnyTensor>{deep}, 0, nullptr), Contains("16 axes"));
}

TEST_CASE("stack, hstack and vstack", "[ops]") {
  const tt::Tensor<float, Shape<2>> a{{1, 2}}, b{{3, 4}};
  CHECK(values(tt::stack<0>(a, b)) == list{1, 2, 3, 4});
  CHECK(values(tt::stack<1>(a, b)) == list{1, 3, 2, 4});
  CHECK(values(tt::stack(tt::Scalar<float>{1}, tt::Scalar<float>{2})) == list{1, 2});
  CHECK(values(tt::hstack(a, b)) == list{1, 2, 3, 4});
  CHECK(values(tt::vstack(a, tt::stack(b, a))) == list{1, 2, 3, 4, 1, 2});
  CHECK(values(tt::hstack(tt::stack(a, b), tt::reshape<2, 1>(b))) == list{1, 2, 3, 3, 4, 4});
  CHECK(tt::vstack(tt::Scalar<float>{1}, tt::Scalar<float>{2}).sizes() == tt::dims{2, 1});
}

TEST_CASE("joining: gradients come apart again", "[ops]") {
  const auto x = leaf<double, Matrix>({2, 3}), y = leaf<double, Matrix>({2, 2}), z = leaf<double, Matrix>({2, 3});
  const auto v = leaf<double, Shape<dyn>>({3});
  CHECK(gradcheck([](const auto& a, const auto& b) { return tt::cat<1>(a, b * b, a); }, x, y));
  CHECK(gradcheck([](const auto& a, const auto& b) { return tt::cat<0>(tt::transpose<0, 1>(a), b); }, x, y));
  CHECK(gradcheck([](const auto& a, const auto& b) { return tt::stack<1>(a, b, a) * 2; }, x, z));
  CHECK(gradcheck([](const auto& a, const auto& b) { return tt::vstack(a, b); }, x, v));
  CHECK(gradcheck([](const auto& a) { return tt::hstack(a, tt::Tensor<double, Shape<1>>{2}, a); }, v));
  CHECK(gradcheck([](const auto& a) { return tt::cat<1>(a, a) * sum(a); }, x));
  CHECK(gradcheck([](const auto& a) { return sum(a * tt::cat<0>(tt::slice<0>(a, 1, 2), tt::slice<0>(a, 0, 1))); }, x));
  // A float operand beside doubles: its gradient comes back in its own dtype. An operand without elements has one too.
  const auto narrow = leaf<float, Shape<2>>({2});
  const auto none = leaf<double, Shape<0>>({0});
  const tt::Tensor wide = tt::cat(narrow, v, none);
  tt::backward(sum(wide * wide));
  CHECK(values(narrow.grad()) == list{2. * narrow(0), 2. * narrow(1)});
  CHECK(none.grad().sizes() == tt::dims{0});
}

TEST_CASE("meshgrid: vectors over their grid, as read-only views", "[ops]") {
  const tt::Tensor<float, Shape<2>> a{{1, 2}};
  const tt::Tensor<float, Shape<3>> b{{3, 4, 5}};
  const auto [i, j] = tt::meshgrid(a, b);
  static_assert(std::is_same_v<shape<std::remove_cvref_t<decltype(i)>>, Shape<2, 3>>);
  CHECK(values(i) == list{1, 1, 1, 2, 2, 2});
  CHECK(values(j) == list{3, 4, 5, 3, 4, 5});
  CHECK(i.storage() == a.storage());
  CHECK_THROWS_WITH(i.fill_(0), Contains("read-only"));
  const auto [x, y] = tt::meshgrid<tt::indexing::xy>(a, b);
  static_assert(std::is_same_v<shape<std::remove_cvref_t<decltype(x)>>, Shape<3, 2>>);
  CHECK(values(x) == list{1, 2, 1, 2, 1, 2});
  CHECK(values(y) == list{3, 3, 4, 4, 5, 5});
  const auto [p, q, r] = tt::meshgrid<tt::indexing::xy>(a, b, tt::Scalar<float>{7});
  CHECK(p.sizes() == tt::dims{3, 2, 1});
  CHECK(values(r) == list(6, 7));
  const auto u = leaf<double, Shape<dyn>>({3}), w = leaf<double, Shape<dyn>>({2});
  CHECK(gradcheck(
      [](const auto& g, const auto& h) {
        const auto [k, l] = tt::meshgrid(g, h);
        return k * l * l;
      },
      u, w));
}
