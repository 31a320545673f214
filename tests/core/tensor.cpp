#include <tt/tensor.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <sstream>

using tests::values;
using tt::dim;
using tt::dyn;
using tt::Shape;
using tt::Tensor;
using tt::Variable;
using Static = Tensor<float, Shape<2, 3>>;
using numbers = std::vector<double>;

// ---- what a tensor's type is, deduced from an expression: dtype, extents, device, order ----

template <class E>
using sum_of = decltype(std::declval<E>() + std::declval<E>());

static_assert(std::is_same_v<decltype(Tensor(std::declval<sum_of<Static>>())), Static>);
static_assert(
    std::is_same_v<decltype(Tensor(std::declval<sum_of<Variable<float, Shape<3>>>>())), Variable<float, Shape<3>>>);
static_assert(std::is_same_v<decltype(Tensor(std::declval<Static>() > 0)), Tensor<bool, Shape<2, 3>>>);
static_assert(std::is_same_v<decltype(Tensor(std::declval<Tensor<double, Shape<dyn, 1>>>() +
                                             std::declval<Tensor<float, Shape<4>>>())),
                             Tensor<double, Shape<dyn, 4>>>);
static_assert(std::is_same_v<decltype(tt::eval(std::declval<Static>() * 2)), Static>);

static_assert(std::is_same_v<tt::Matrix<double>, Tensor<double, Shape<dyn, dyn>>> &&
              std::is_same_v<tt::Scalar<bool>, Tensor<bool, Shape<>>>);
static_assert(std::is_same_v<tt::Dyn<float, 3>, Tensor<float, Shape<dyn, dyn, dyn>>> &&
              std::is_same_v<tt::Vector<float>, tt::Dyn<float, 1>>);
static_assert(Variable<float, Shape<2>>::order == 1 && Static::order == 0);

// ---- conversions: explicit where something could be lost ----

static_assert(!std::is_convertible_v<tt::AnyTensor, Static> && std::is_constructible_v<Static, tt::AnyTensor>);
static_assert(!std::is_convertible_v<tt::dims, Static> && std::is_constructible_v<Static, tt::dims>);
static_assert(!std::is_convertible_v<tt::Scalar<float>, float> && !std::is_convertible_v<tt::Scalar<bool>, bool>);
static_assert(std::is_convertible_v<Static, tt::Matrix<float>> && std::is_convertible_v<tt::Matrix<float>, Static>);
static_assert(std::is_nothrow_move_constructible_v<Static> && sizeof(Static) == sizeof(void*));

TEST_CASE("tensor: made from elements, extents, both or nothing", "[core]") {
  const Static t{{1, 2, 3, 4, 5, 6}};
  CHECK(t.sizes() == tt::dims{2, 3});
  CHECK(values(t) == numbers{1, 2, 3, 4, 5, 6});
  CHECK(t(1, 0) == 4);
  CHECK(Tensor<float, Shape<>>{3}.item() == 3);
  CHECK(tt::Vector<float>(tt::dims{5}).numel() == 5);
  CHECK(tt::Matrix<float>({2, 3}).sizes() == tt::dims{2, 3});   // extents where the type has none
  const std::vector<double> elements{1, 2, 3, 4};
  CHECK(values(tt::Matrix<double>({2, 2}, elements)) == elements);
  CHECK_FALSE(Static().defined());
  CHECK(Tensor<bool, Shape<2>>{{true, false}}(0));
}

TEST_CASE("tensor: braces list elements, nested as deep as there are axes", "[core]") {
  CHECK(values(tt::Vector<float>{1, 2, 3}) == numbers{1, 2, 3});
  CHECK(values(tt::Vector<float>{{1, 2}}) == numbers{1, 2});
  CHECK(values(tt::Vector<float>({3})) == numbers{3});   // one element, not three unset ones: those are Vector(dims{3})
  CHECK(tt::Vector<double>{}.defined() == false);
  CHECK(tt::Matrix<float>{{1, 2, 3}, {4, 5, 6}}.sizes() == tt::dims{2, 3});
  CHECK(values(tt::Matrix<float>{{1, 2, 3}, {4, 5, 6}}) == numbers{1, 2, 3, 4, 5, 6});
  CHECK(values(tt::Matrix<float>{{3, 4}}) == numbers{3, 4});
  CHECK(values(Static{{1, 2, 3}, {4, 5, 6}}) == numbers{1, 2, 3, 4, 5, 6});
  CHECK(values(Static({{1, 2, 3}, {4, 5, 6}})) == numbers{1, 2, 3, 4, 5, 6});
  CHECK(values(Tensor<float, Shape<1, 2>>{{1, 2}}) == numbers{1, 2});
  const Tensor<std::int64_t, Shape<tt::dyn, 2, dim("n")>> cube{{{1}, {2}}, {{3}, {4}}, {{5}, {6}}};
  CHECK(cube.sizes() == tt::dims{3, 2, 1});
  CHECK(cube(2, 1, 0) == 6);
  CHECK(values(Tensor<bool, Shape<2, 1>>{{true}, {false}}) == numbers{1, 0});
  CHECK(tt::Matrix<float>({{}, {}}).sizes() == tt::dims{2, 0});
  CHECK_THROWS_WITH((tt::Matrix<float>{{1, 2, 3}, {4, 5}}), Contains("2 elements along axis 1") && Contains("has 3"));
  CHECK_THROWS_WITH((Static{{1, 2}, {3, 4}}), Contains("[2, 2]") && Contains("[2, 3]"));
  CHECK_THROWS_WITH((Tensor<float, Shape<2>>{1, 2, 3}), Contains("[3]") && Contains("[2]"));
  CHECK_THROWS_WITH((tt::Scalar<float>{1, 2}), Contains("2 elements"));
  const std::vector<double> elements{1, 2, 3};
  CHECK(values(tt::Vector<double>(elements)) == elements);
}

TEST_CASE("tensor: what does not fit its type is refused", "[core]") {
  CHECK_THROWS_WITH(Static({1, 2, 3}), Contains("3 elements") && Contains("[2, 3]"));
  CHECK_THROWS_WITH(Static(tt::dims{2, 4}), Contains("[2, 4]") && Contains("[2, 3]"));
  CHECK_THROWS_WITH(tt::Matrix<float>(tt::dims{2}), Contains("[2]"));
  CHECK_THROWS_WITH((Tensor<float, Shape<dim("batch"), 3>>({5, 4})), Contains("[batch, 3]"));
  const std::vector<double> elements(3);
  CHECK_THROWS_WITH(tt::Matrix<double>({2, 2}, elements), Contains("3 elements"));
  CHECK_THROWS_WITH(Static(tt::AnyTensor::empty(tt::dtype::float64, {2, 3})), Contains("float64"));
}

TEST_CASE("tensor: an expression whose extents are known at run time only is checked when it is stored", "[core]") {
  const tt::Matrix<float> m({2, 4});
  CHECK_THROWS_WITH(Static(m + m), Contains("[2, 4]"));
  CHECK_THROWS_AS(Static(m), tt::Error);
}

TEST_CASE("tensor: copies share, = rebinds a name and writes through a temporary", "[core]") {
  Static a = tt::zeros<float, Shape<2, 3>>();
  const Static b = a;
  b(0, 0) = 7;
  CHECK(a(0, 0) == 7);
  a = tt::ones<float, Shape<2, 3>>();
  CHECK(b(0, 0) == 7);
  tt::slice<0>(a, 1, 2) = tt::full<float, Shape<1, 3>>(5);
  CHECK(values(a) == numbers{1, 1, 1, 5, 5, 5});
  tt::slice<1>(a, 0, 1) = 9;
  CHECK(values(a) == numbers{9, 1, 1, 9, 5, 5});
  a += b;
  CHECK(values(a) == numbers{16, 1, 1, 9, 5, 5});
  tt::transpose<0, 1>(a) = tt::transpose<0, 1>(a) * 2;
  CHECK(values(a) == numbers{32, 2, 2, 18, 10, 10});
}

TEST_CASE("tensor: writing a tensor from itself under another map gives what a copy would", "[core]") {
  const Tensor<float, Shape<3, 3>> a{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  a.copy_(tt::transpose<0, 1>(a) + 0);
  CHECK(values(a) == numbers{1, 4, 7, 2, 5, 8, 3, 6, 9});
  tt::slice<0>(a, 1, 3) = tt::slice<0>(a, 0, 2) + 1;
  CHECK(values(a) == numbers{1, 4, 7, 2, 5, 8, 3, 6, 9});
  a += tt::select<0>(a, 0);
  CHECK(values(a) == numbers{2, 8, 14, 3, 9, 15, 4, 10, 16});
}

TEST_CASE("tensor: one element as a C++ value, said outright", "[core]") {
  const Tensor<float, Shape<1, 1>> t{2.5f};
  CHECK(float(t) == 2.5f);
  CHECK(std::int64_t(t) == 2);
  if (const Tensor more = t > 2; bool(more)) CHECK(more.item());
  CHECK_THROWS_AS(float(Static(tt::dims{2, 3})), tt::Error);
}

TEST_CASE("tensor: reading one that was never given elements is an error in every kind of operation", "[core]") {
  const tt::Matrix<float> u, m = tt::ones<float, Shape<2, 2>>();
  const Tensor<std::int64_t, Shape<dyn>> labels;
  const auto refused = [](auto f) { CHECK_THROWS_WITH(f(), Contains("never given elements")); };
  refused([&] { return tt::eval(u + 1); });
  refused([&] { return tt::eval(m + u); });
  refused([&] { return tt::eval(tt::sum(u)); });
  refused([&] { return tt::eval(tt::argmax<0>(u)); });
  refused([&] { return tt::eval(tt::matmul(u, m)); });
  refused([&] { return tt::eval(tt::matmul(m, tt::transpose(u))); });
  refused([&] { return tt::eval(tt::transpose(u)); });
  refused([&] { return tt::reshape<4>(u); });
  refused([&] { return tt::slice<0>(u, 0, 1); });
  refused([&] { return tt::softmax<1>(u); });
  refused([&] { return tt::index_select<0>(m, labels); });
  refused([&] { return tt::cross_entropy(m, labels); });
  refused([&] { return tt::clone(u); });
  refused([&] { return tt::to<double>(u); });
  refused([&] { return m.copy_(u); });
  refused([&] { return u.item(); });
  Variable<float, Shape<2>> v;
  refused([&] { v.requires_grad_(); });
  refused([&] { tt::backward(v); });
  refused([&] { return v.grad(); });
}

TEST_CASE("tensor: printing shows nested rows, dtype, and the edges of what is large", "[core]") {
  CHECK(tt::to_string(Tensor<std::int64_t, Shape<2, 2>>{{1, 2, 3, 40}}) ==
        "tensor([[ 1,  2],\n        [ 3, 40]], int64)");
  CHECK(tt::to_string(tt::Scalar<float>{1.5f}) == "tensor(1.5, float32)");
  CHECK(tt::to_string(Static()) == "tensor(undefined)");
  CHECK(tt::to_string(tt::zeros<float, Shape<0, 3>>()) == "tensor([], float32, [0, 3])");
  CHECK_THAT(tt::to_string(tt::arange(2000)), Contains("0,") && Contains("...") && Contains("1999"));
  CHECK(tt::to_string(tests::leaf<float, Shape<1>>({1}, 1, 1)) == "tensor([1], float32, requires_grad)");
  CHECK(tt::to_string(tt::transpose<0, 1>(Static{{1, 2, 3, 4, 5, 6}})) ==
        "tensor([[1, 4],\n        [2, 5],\n        [3, 6]], float32)");
}

TEMPLATE_TEST_CASE("lists of numbers become 16-bit floats", "[core]", tt::half, tt::bfloat16) {
  CHECK(values(tt::Vector<TestType>{1, 2.5, 3}) == numbers{1, 2.5, 3});
  CHECK(values(tt::Vector<TestType>{TestType(1.f), TestType(2.f)}) == numbers{1, 2});
  CHECK(values(Tensor<TestType, Shape<3>>{{1, 2, 3}}) == numbers{1, 2, 3});
  const tt::Matrix<TestType> m{{1, 2}, {3, 4}}, row{{1, 2}};
  CHECK(m.sizes() == tt::dims{2, 2});
  CHECK(row.sizes() == tt::dims{1, 2});
  CHECK(values(m) == numbers{1, 2, 3, 4});
  CHECK(values(Tensor<TestType, Shape<2, 2>>{{1, 2, 3, 4}}) == numbers{1, 2, 3, 4});
  CHECK(tt::Dyn<TestType, 3>{{{1, 2, 3}}}.sizes() == tt::dims{1, 1, 3});
}

TEMPLATE_TEST_CASE("a 16-bit float is a number beside expressions", "[core]", tt::half, tt::bfloat16) {
  const tt::Vector<TestType> h{1, 2, 3};
  const TestType two(2.f);
  CHECK(values(h + two) == numbers{3, 4, 5});
  CHECK(tt::eval(h * two).dtype() == h.dtype());
  CHECK(values(where(h > two, h, TestType(0.f))) == numbers{0, 0, 3});
  CHECK(values(tt::full<TestType, Shape<2>>(two)) == numbers{2, 2});
  const tt::Vector<double> d{1, 2};
  CHECK(values(d + two) == numbers{3, 4});
  h += two;
  h.fill_(h(0));
  CHECK(values(h) == numbers{3, 3, 3});
}

TEST_CASE("one name is one extent, within one type too", "[core]") {
  using Square = Tensor<float, Shape<dim("n"), dim("n")>>;
  CHECK(Square(tt::dims{2, 2}).numel() == 4);
  CHECK_THROWS_WITH(Square(tt::dims{2, 3}), Catch::Matchers::Contains("[2, 3]") && Catch::Matchers::Contains("[n, n]"));
  using Rows = Tensor<float, Shape<dim("n"), 3>>;
  const Rows a = tt::ones<float, Shape<dim("n"), 3>>({4, 3}), b = tt::ones<float, Shape<dim("n"), 3>>({5, 3});
  CHECK_THROWS_WITH(tt::eval(matmul(a, transpose(b))), Catch::Matchers::Contains("[4, 5]"));
  CHECK(tt::eval(matmul(a, transpose(a))).numel() == 16);
}

TEST_CASE("extents are printed as messages write them", "[core]") {
  std::ostringstream out;
  out << Static::shape::value << tt::dims{};
  CHECK(out.str() == "[2, 3][]");
}
