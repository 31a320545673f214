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
using X = tt::Tensor<float, tt::Shape<2, 3, tt::dim("n")>>;
template <class E>
using shape = tt::shape_t<E>;
const X typed;
constexpr tt::index_t named = tt::dim("n");
}  // namespace
#define TT_SHAPE_OF(expression, ...) static_assert(std::is_same_v<shape<decltype(expression)>, tt::Shape<__VA_ARGS__>>)
TT_SHAPE_OF((tt::transpose<0, -1>(typed)), named, 3, 2);
TT_SHAPE_OF(tt::transpose(typed, 0, 1), dyn, dyn, dyn);
TT_SHAPE_OF(tt::mT(typed), 2, named, 3);
TT_SHAPE_OF(tt::T(typed), named, 3, 2);
TT_SHAPE_OF((tt::permute<2, 0, 1>(typed)), named, 2, 3);
TT_SHAPE_OF(tt::permute(typed, {2, 0, 1}), dyn, dyn, dyn);
TT_SHAPE_OF((tt::movedim<0, -1>(typed)), 3, named, 2);
TT_SHAPE_OF((tt::movedim<2, 0>(typed)), named, 2, 3);
TT_SHAPE_OF(tt::movedim(typed, 0, 1), dyn, dyn, dyn);
TT_SHAPE_OF(tt::unsqueeze<0>(typed), 1, 2, 3, named);
TT_SHAPE_OF(tt::unsqueeze<-1>(typed), 2, 3, named, 1);
TT_SHAPE_OF(tt::unsqueeze<-2>(typed), 2, 3, 1, named);
TT_SHAPE_OF(tt::unsqueeze(typed, 1), dyn, dyn, dyn, dyn);
TT_SHAPE_OF(tt::squeeze(tt::unsqueeze<1>(typed)), 2, 3, named);
TT_SHAPE_OF(tt::squeeze<0>(typed), 2, 3, named);
TT_SHAPE_OF(tt::squeeze<-1>(typed), 2, 3);
TT_SHAPE_OF((tt::squeeze<0, 2>(tt::unsqueeze<0>(typed))), 2, 3, named);
TT_SHAPE_OF(tt::squeeze(tt::Tensor<float, tt::Shape<1, dyn, 1>>()), dyn);

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

TEST_CASE("views: movedim, T, mT, squeeze and unsqueeze move elements as their definition says", "[ops]") {
  const auto c = numbers<float, Cube>({2, 3, 4});
  CHECK(tests::same_bits(tt::movedim<0, 2>(c), tt::permute<1, 2, 0>(c)));
  CHECK(tests::same_bits(tt::movedim(c, -1, 0), tt::permute<2, 0, 1>(c)));
  CHECK(tests::same_bits(tt::movedim(c, {0, 1}, {1, 2}), tt::permute<2, 0, 1>(c)));
  CHECK(tests::same_bits(tt::movedim(c, {2, -3}, {0, -1}), tt::permute<2, 1, 0>(c)));
  CHECK(tests::same_bits(tt::T(c), tt::permute<2, 1, 0>(c)));
  CHECK(tests::same_bits(tt::mT(c), tt::transpose<1, 2>(c)));
  CHECK(tests::same_bits(tt::permute(c, {2, 0, -2}), tt::permute<2, 0, 1>(c)));
  const auto wide = tt::unsqueeze<1>(tt::unsqueeze<-1>(c));
  CHECK(wide.sizes() == tt::dims{2, 1, 3, 4, 1});
  CHECK(wide.storage() == c.storage());
  CHECK(tests::same_bits(tt::squeeze<1, -1>(wide), c));
  CHECK(tests::same_bits(tt::squeeze<1>(wide), tt::unsqueeze<-1>(c)));
  CHECK(tt::squeeze(wide).sizes() == tt::dims{2, 3, 4});
  const tt::Scalar<float> one{3};
  CHECK(tt::unsqueeze<0>(one).sizes() == tt::dims{1});
  CHECK(tt::unsqueeze<-1>(one).sizes() == tt::dims{1});
  CHECK(tt::squeeze<0>(one).sizes() == tt::dims{});
  CHECK(tt::T(one).item() == 3);
  CHECK(tt::t(tt::arange<float>(3)).sizes() == tt::dims{3});
}

TEST_CASE("views: axes that do not exist, or are named twice, are refused", "[ops]") {
  const auto c = numbers<float, Cube>({2, 3, 4});
  const tt::AnyTensor any = c;
  CHECK_THROWS_AS(tt::movedim(c, 3, 0), tt::IndexError);
  CHECK_THROWS_AS(tt::unsqueeze(c, 4), tt::IndexError);
  CHECK_THROWS_AS(tt::unsqueeze(c, -5), tt::IndexError);
  CHECK_THROWS_AS(tt::permute(c, {0, 1, 3}), tt::IndexError);
  CHECK_THROWS_WITH(tt::permute(c, {0, 1, 1}), Contains("each axis must be named once"));
  CHECK_THROWS_WITH(tt::permute(any, {0, 1}), Contains("2 axes for a tensor with 3"));
  CHECK_THROWS_WITH(tt::movedim(c, {0, 0}, {0, 1}), Contains("named twice"));
  CHECK_THROWS_WITH(tt::movedim(c, {0, 1}, {-1, 2}), Contains("named twice"));
  CHECK_THROWS_WITH(tt::movedim(any, {0, 1}, {2}), Contains("2 axes and 1 places"));
  CHECK_THROWS_WITH(tt::squeeze<1>(c), Contains("axis 1 has the extent 3"));
  CHECK_THROWS_AS(tt::squeeze(any, 3), tt::IndexError);
  CHECK_THROWS_WITH(tt::squeeze(any, {0, 0}), Contains("named twice"));
  CHECK_THROWS_WITH(tt::t(any), Contains("[2, 3, 4]"));
  CHECK_THROWS_WITH(tt::mT(tt::AnyTensor(tt::arange<float>(3))), Contains("no matrix"));
}

// Where the rank of the result depends on numbers, a typed tensor gets it as an AnyTensor.
TEST_CASE("views: squeeze of a tensor without static types drops what is 1, and nothing else", "[ops]") {
  const tt::AnyTensor x1 = numbers<float, tt::Shape<dyn, dyn, dyn, dyn>>({2, 1, 3, 1});
  CHECK(tt::squeeze(x1).sizes() == tt::dims{2, 3});
  CHECK(tt::squeeze(x1, 1).sizes() == tt::dims{2, 3, 1});
  CHECK(tt::squeeze(x1, 0).sizes() == x1.sizes());
  CHECK(tt::squeeze(x1, {0, -1}).sizes() == tt::dims{2, 1, 3});
  CHECK(tt::squeeze(x1, tt::dims{}).sizes() == x1.sizes());
  CHECK(tt::squeeze(numbers<float, Cube>({1, 2, 1}), 0).sizes() == tt::dims{2, 1});
}

TEST_CASE("views: 16 axes are the most there can be", "[ops]") {
  tt::dims most;
  for (int i = 0; i < 16; ++i) most.push_back(i == 3 ? 2 : 1);
  const tt::AnyTensor x16 = tt::reshape(tt::AnyTensor(tt::arange<float>(2)), most);
  CHECK(x16.rank() == 16);
  CHECK(values(tt::movedim(x16, 3, 15)) == list{0, 1});
  CHECK(values(tt::T(x16)) == list{0, 1});
  CHECK(tt::squeeze(x16).sizes() == tt::dims{2});
  CHECK(tt::flatten(x16).sizes() == tt::dims{2});
  CHECK(values(tt::select(x16, 3, 1)) == list{1});
  CHECK(tt::diagonal(x16, 0, 3, 4).rank() == 15);
  CHECK_THROWS_WITH(tt::unsqueeze(x16, 0), Contains("more than 16 axes"));
  CHECK_THROWS_WITH(tt::unfold(x16, 3, 1), Contains("more than 16 axes"));
  CHECK_THROWS_WITH(tt::unflatten(x16, 3, {2, 1}), Contains("more than 16 axes"));
  most = {};
  for (int i = 0; i < 15; ++i) most.push_back(1);
  const tt::AnyTensor x15 = tt::reshape(x16, {1, 2});
  CHECK_THROWS_WITH(tt::reshape(x15, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}), Contains("more than 16 axes"));
  CHECK_THROWS_WITH(tt::expand(x15, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}), Contains("more than 16 axes"));
  CHECK_THROWS_WITH(tt::as_strided(x15, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1}), Contains("more than 16 axes"));
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
  const auto v = leaf<double, Cube>({2, 3, 4});
  CHECK(gradcheck([](const auto& a) { return tt::transpose<0, 2>(a); }, v));
  CHECK(gradcheck([](const auto& a) { return tt::permute<1, 2, 0>(a) * tt::permute(a, {1, 2, 0}); }, v));
  CHECK(gradcheck([](const auto& a) { return tt::movedim<0, 2>(tt::unsqueeze<-1>(a)) * 2; }, v));
  CHECK(gradcheck([](const auto& a) { return tt::squeeze<1>(tt::unsqueeze<1>(a)) * a; }, v));
  CHECK(gradcheck([](const auto& a) { return tt::T(a) * tt::movedim(tt::mT(a), 0, 2) / 3; }, leaf<double, Cube>({2, 2, 2})));
  CHECK(gradcheck([](const auto& a) { return tt::contiguous(tt::transpose<1, 2>(a)) * 2; }, v));
  const auto m = leaf<double, Matrix>({3, 3});
  CHECK(gradcheck([](const auto& a) { return a + tt::transpose(a); }, m));
  CHECK(gradcheck([](const auto& a) { return a * tt::transpose<0, 1>(a) + a; }, m));
}

TEST_CASE("what is written into a transposed matrix is written through it", "[ops]") {
  const tt::Tensor<float, tt::Shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}}, other{{6, 5, 4}, {3, 2, 1}};
  transpose(x) += 1;
  CHECK(values(x) == list{2, 3, 4, 5, 6, 7});
  t(x) *= 2;
  mT(x).sub_(1);
  CHECK(values(x) == list{3, 5, 7, 9, 11, 13});
  T(x) = tt::Tensor<float, tt::Shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}};
  CHECK(values(x) == list{1, 3, 5, 2, 4, 6});
  transpose(x) = transpose(other);
  CHECK(values(x) == values(other));
  transpose(x)(0, 1) = 100;
  CHECK(x(1, 0) == 100);
  transpose(x).fill_(7);
  CHECK(values(x) == list(6, 7));
  auto name = transpose(x);
  name = transpose(other);  // a name is rebound
  CHECK(values(x) == list(6, 7));
  CHECK(values(name) == values(transpose(other)));

  const tt::Variable<double, Matrix> w{{1, 2}, {3, 4}};
  w.requires_grad_();
  const tt::Variable<double, Matrix> y = w * 1;
  transpose(y) *= tt::Tensor<double, tt::Shape<2, 2>>{{1, 2}, {3, 4}};
  backward(sum(y));
  CHECK(values(w.grad()) == list{1, 3, 2, 4});
}
