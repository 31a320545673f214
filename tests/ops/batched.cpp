// Products of stacks of matrices, and the products that have names of their own.
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
using tt::matmul;
using tt::Shape;
using Vector = Shape<dyn>;
using Matrix = Shape<dyn, dyn>;
using Cube = Shape<dyn, dyn, dyn>;
using list = std::vector<double>;

namespace {
template <class A, class B>
using product =
    tt::shape_t<decltype(matmul(std::declval<tt::Tensor<float, A>>(), std::declval<tt::Tensor<float, B>>()))>;
template <class A, class B, class C>
constexpr bool gives = std::is_same_v<product<A, B>, C>;
}  // namespace
static_assert(gives<Shape<5, 2, 3>, Shape<5, 3, 4>, Shape<5, 2, 4>> &&
              gives<Shape<2, 3>, Shape<5, 3, 4>, Shape<5, 2, 4>>);
static_assert(gives<Shape<3>, Shape<7, 5, 3, 4>, Shape<7, 5, 4>> && gives<Shape<7, 5, 2, 3>, Shape<3>, Shape<7, 5, 2>>);
static_assert(gives<Shape<7, 1, 2, 3>, Shape<dim("head"), 3, 4>, Shape<7, dim("head"), 2, 4>>);
static_assert(std::is_same_v<tt::shape_t<decltype(tt::outer(std::declval<tt::Tensor<float, Shape<2>>>(),
                                                            std::declval<tt::Tensor<float, Shape<3>>>()))>,
                             Shape<2, 3>>);
static_assert(std::is_same_v<tt::shape_t<decltype(tt::inner(std::declval<tt::Tensor<float, Shape<2, 5, 3>>>(),
                                                            std::declval<tt::Tensor<float, Shape<4, 3>>>()))>,
                             Shape<2, 5, 4>>);

namespace {

/// One matrix of a stack, whose leading axes are broadcast to those of `at`.
tt::AnyTensor matrix(tt::AnyTensor t, const std::vector<tt::index_t>& at) {
  while (t.rank() > 2) {
    const tt::index_t i = at[at.size() - std::size_t(t.rank() - 2)];
    t = tt::detail::select_view(t, 0, t.size(0) == 1 ? 0 : i, nullptr);
  }
  return t;
}
/// Against the product of each pair of matrices.
void check_pairs(const tt::AnyTensor& out, const tt::AnyTensor& x, const tt::AnyTensor& y) {
  tt::dims batch = out.sizes();
  batch.rank -= 2;
  std::vector<tt::index_t> at(std::size_t(batch.rank));
  for (tt::index_t flat = 0; flat < batch.count(); ++flat) {
    tt::index_t rest = flat;
    for (int i = batch.rank - 1; i >= 0; rest /= batch[i], --i) at[std::size_t(i)] = rest % batch[i];
    const auto a = matrix(x, at).as<double, Matrix>(), b = matrix(y, at).as<double, Matrix>();
    const auto got = values(matrix(out, at)), want = values(matmul(a, b));
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
    CHECK(worst < 1e-12);
  }
}

}  // namespace

TEST_CASE("matmul of stacks: each pair of matrices, leading axes broadcast, any layout", "[ops]") {
  const auto x = numbers<double, Cube>({4, 2, 3}), y = numbers<double, Cube>({4, 3, 5}, -3, 3, 2);
  const auto one = numbers<double, Cube>({1, 2, 3}, -3, 3, 3);
  const auto deep = numbers<double, Shape<dyn, dyn, dyn, dyn>>({3, 1, 3, 2}, -3, 3, 4);
  const auto m = numbers<double, Matrix>({2, 3}, -3, 3, 5);
  const auto turned = tt::Tensor(tt::transpose<1, 2>(y));
  check_pairs(tt::eval(matmul(x, y)), x, y);
  check_pairs(tt::eval(matmul(one, y)), one, y);
  check_pairs(tt::eval(matmul(m, y)), m, y);
  check_pairs(tt::eval(matmul(scattered(x), scattered(y))), x, y);
  check_pairs(tt::eval(matmul(x, tt::transpose(turned))), x, y);
  check_pairs(tt::eval(matmul(turned, tt::transpose(x))), turned, tt::transpose<1, 2>(x));
  check_pairs(tt::eval(matmul(x, deep)), x, deep);
  check_pairs(tt::eval(matmul(tt::transpose(tt::Tensor(tt::transpose<0, 1>(m))), y)), m, y);
  const auto v = numbers<double, Vector>({3}, -3, 3, 6);
  CHECK(values(matmul(v, y)) == values(matmul(tt::reshape<1, 3>(v), y)));
  CHECK(tt::eval(matmul(v, y)).sizes() == tt::dims{4, 5});
  CHECK(tt::eval(matmul(scattered(v), deep)).sizes() == tt::dims{3, 1, 2});
}

TEST_CASE("matmul of stacks: nothing to multiply, and what does not fit", "[ops]") {
  const auto zeros = [](const tt::dims& size) { return tt::zeros<float, Cube>(size); };
  CHECK(tt::eval(matmul(zeros({0, 2, 3}), zeros({0, 3, 4}))).sizes() == tt::dims{0, 2, 4});
  CHECK(tt::eval(matmul(zeros({0, 2, 3}), zeros({1, 3, 4}))).sizes() == tt::dims{0, 2, 4});
  CHECK(values(matmul(zeros({2, 2, 0}), zeros({2, 0, 2}))) == list(8, 0));
  CHECK(tt::eval(matmul(zeros({2, 0, 3}), zeros({2, 3, 4}))).numel() == 0);
  CHECK_THROWS_WITH(tt::eval(matmul(zeros({2, 2, 3}), zeros({3, 3, 4}))),
                    Contains("[2, 2, 3]") && Contains("do not broadcast"));
  CHECK_THROWS_WITH(tt::eval(matmul(zeros({2, 2, 3}), zeros({2, 4, 4}))), Contains("inner extents differ"));
  using Named = Shape<dim("b"), dyn, dyn>;   // one name is one extent: 1 is not broadcast
  CHECK_THROWS_WITH(tt::eval(matmul(zeros({1, 2, 3}).as<float, Named>(), zeros({2, 3, 4}).as<float, Named>())),
                    Contains("equal names"));
  CHECK_THROWS_WITH(tt::bmm(zeros({1, 2, 3}), zeros({2, 3, 4})), Contains("stacks of 1 and 2"));
}

TEST_CASE("matmul of stacks: integers wrap, and many small matrices are cut anywhere", "[ops]") {
  const auto big = tt::full<std::int64_t, Shape<2, 1, 2>>(INT64_MAX);
  CHECK(values<std::int64_t>(matmul(big, tt::full<std::int64_t, Shape<2, 2, 1>>(2))) ==
        std::vector<std::int64_t>(2, -4));
  const auto x = numbers<double, Cube>({300, 37, 50}), y = numbers<double, Cube>({300, 50, 41}, -3, 3, 2);
  check_pairs(tt::eval(matmul(x, y)), x, y);   // split into blocks of rows, not at the matrices' edges
}

TEST_CASE("matmul of stacks: gradients, summed where an operand was broadcast", "[ops]") {
  const auto mm = [](const auto& a, const auto& b) { return matmul(a, b); };
  const auto x = leaf<double, Cube>({2, 2, 3}), y = leaf<double, Cube>({2, 3, 2}, -3, 3, 2),
             one = leaf<double, Cube>({1, 3, 2}, -3, 3, 3);
  const auto m = leaf<double, Matrix>({2, 3}, -3, 3, 4);
  const auto v = leaf<double, Vector>({3}, -3, 3, 5);
  const auto deep = leaf<double, Shape<dyn, dyn, dyn, dyn>>({3, 1, 3, 2}, -3, 3, 6);
  CHECK(gradcheck(mm, x, y));
  CHECK(gradcheck(mm, x, one));
  CHECK(gradcheck(mm, m, y));
  CHECK(gradcheck(mm, v, y));
  CHECK(gradcheck(mm, x, deep));
  CHECK(gradcheck(mm, v, deep));
  CHECK(gradcheck(mm, x.detach(), y));
  CHECK(gradcheck(mm, x, y.detach()));
  CHECK(gradcheck([](const auto& a) { return matmul(a, tt::transpose(a)); }, x));
  CHECK(gradcheck([](const auto& a, const auto& b) { return matmul(tt::transpose(a), b); },
                  leaf<double, Matrix>({3, 2}), y));
  CHECK(gradcheck(mm, leaf<double, Cube>({2, 2, 0}), leaf<double, Cube>({2, 0, 2})));
  CHECK(gradcheck(mm, leaf<double, Cube>({0, 2, 3}), one));
}

TEST_CASE("matmul of stacks: a bias and an activation follow it", "[ops]") {
  const auto x = leaf<double, Cube>({2, 2, 3}), y = leaf<double, Cube>({2, 3, 2}, -3, 3, 2);
  const auto b = leaf<double, Vector>({2}, -3, 3, 3);
  CHECK(gradcheck([](const auto& p, const auto& q, const auto& r) { return matmul(p, q) + r; }, x, y, b));
  CHECK(gradcheck([](const auto& p, const auto& q, const auto& r) { return tanh(matmul(p, q) + r); }, x, y, b));
  CHECK(gradcheck([](const auto& p, const auto& q) { return tanh(matmul(p, q)); }, x, y));
  // A column has no bias: its last axis is gone, so what is added runs along rows.
  const auto square = leaf<double, Cube>({2, 3, 3}, -3, 3, 4);
  const auto v = leaf<double, Vector>({3}, -3, 3, 5), w = leaf<double, Vector>({3}, -3, 3, 6);
  CHECK(gradcheck([](const auto& p, const auto& q, const auto& r) { return matmul(p, q) + r; }, square, v, w));
}

TEST_CASE("mm, mv, dot, bmm, outer and inner", "[ops]") {
  const auto a = leaf<double, Matrix>({2, 3}), b = leaf<double, Matrix>({3, 2}, -3, 3, 2);
  const auto u = leaf<double, Vector>({3}, -3, 3, 3), v = leaf<double, Vector>({3}, -3, 3, 4);
  const auto x = leaf<double, Cube>({2, 2, 3}), y = leaf<double, Cube>({2, 3, 2}, -3, 3, 2);
  CHECK(values(tt::mm(a, b)) == values(matmul(a, b)));
  CHECK(values(tt::mm(a, tt::transpose(a))) == values(matmul(a, tt::transpose(a))));
  CHECK(values(tt::mv(a, u)) == values(matmul(a, u)));
  CHECK(values(tt::dot(u, v)) == values(matmul(u, v)));
  CHECK(values(tt::bmm(x, y)) == values(matmul(x, y)));
  CHECK(values(tt::outer(tt::Vector<float>{1, 2}, tt::Vector<float>{3, 4, 5})) == list{3, 4, 5, 6, 8, 10});
  CHECK(values(tt::inner(a, a)) == values(matmul(a, tt::transpose(a))));
  CHECK(values(tt::inner(u, v)) == values(tt::dot(u, v)));
  CHECK(values(tt::inner(tt::Scalar<double>{2}, u)) == values(u * 2));
  CHECK(tt::inner(x, a).sizes() == tt::dims{2, 2, 2});
  CHECK(gradcheck([](const auto& p, const auto& q) { return tt::outer(p, q); }, u, v));
  CHECK(gradcheck([](const auto& p, const auto& q) { return tt::inner(p, q); }, x, a));
  CHECK(gradcheck([](const auto& p, const auto& q) { return tt::bmm(p, q); }, x, y));
}
