#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::same_bits;
using tests::scattered;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using tt::matmul;
using tt::transpose;
using Matrix = tt::Shape<dyn, dyn>;
using Vector = tt::Shape<dyn>;

// ---- result types ----

namespace {
template <class A, class B>
using product = decltype(matmul(std::declval<tt::Tensor<float, A>>(), std::declval<tt::Tensor<float, B>>()));
template <class A, class B, class C>
constexpr bool gives = std::is_same_v<tt::shape_t<product<A, B>>, C>;
}  // namespace
static_assert(gives<tt::Shape<2, 3>, tt::Shape<3, 4>, tt::Shape<2, 4>> &&
              gives<tt::Shape<2, 3>, tt::Shape<3>, tt::Shape<2>>);
static_assert(gives<tt::Shape<3>, tt::Shape<3, 4>, tt::Shape<4>> && gives<tt::Shape<3>, tt::Shape<3>, tt::Shape<>>);
static_assert(gives<tt::Shape<5, dyn, 3>, tt::Shape<3, 4>, tt::Shape<5, dyn, 4>> &&
              gives<Matrix, tt::Shape<3, tt::dim("n")>, tt::Shape<dyn, tt::dim("n")>>);
static_assert(std::is_same_v<tt::shape_t<decltype(transpose(std::declval<tt::Tensor<float, tt::Shape<2, dyn>>>()))>,
                             tt::Shape<dyn, 2>>);

namespace {

/// sum over l of x[i, l] y[l, j], one number at a time.
template <class Number>
std::vector<double> reference(const tt::AnyTensor& x, const tt::AnyTensor& y, tt::index_t m, tt::index_t k,
                              tt::index_t n) {
  const auto a = values<double>(x), b = values<double>(y);
  std::vector<double> out(std::size_t(m * n));
  for (tt::index_t i = 0; i < m; ++i)
    for (tt::index_t l = 0; l < k; ++l)
      for (tt::index_t j = 0; j < n; ++j)
        out[std::size_t(i * n + j)] += a[std::size_t(i * k + l)] * b[std::size_t(l * n + j)];
  return out;
}
template <class Number>
void check_close(const std::vector<double>& got, const std::vector<double>& want, tt::index_t k) {
  REQUIRE(got.size() == want.size());
  const double tolerance = std::is_same_v<Number, float>    ? 1e-5 * double(k + 1)
                           : std::is_same_v<Number, double> ? 1e-13 * double(k + 1)
                                                            : 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += !(std::abs(got[i] - want[i]) <= tolerance);
  CHECK(wrong == 0);
}

/// Plain, transposed and strided operands of one size.
template <class Number>
void check_product(tt::index_t m, tt::index_t k, tt::index_t n) {
  INFO(m << " x " << k << " x " << n << " of " << tt::name_of(tt::dtype_of<Number>));
  const auto x = numbers<Number, Matrix>({m, k}), y = numbers<Number, Matrix>({k, n}, -3, 3, 2);
  const auto want = reference<Number>(x, y, m, k, n);
  const tt::Tensor xt = tt::clone(tt::transpose<0, 1>(x)), yt = tt::clone(tt::transpose<0, 1>(y));
  check_close<Number>(values(matmul(x, y)), want, k);
  check_close<Number>(values(matmul(transpose(xt), y)), want, k);
  check_close<Number>(values(matmul(x, transpose(yt))), want, k);
  check_close<Number>(values(matmul(transpose(xt), transpose(yt))), want, k);
  check_close<Number>(values(matmul(scattered(x), y)), want, k);
  check_close<Number>(values(matmul(x, scattered(y))), want, k);
  check_close<Number>(values(matmul(transpose(scattered(xt)), scattered(y))), want, k);
  check_close<Number>(values(matmul(tt::Tensor(tt::transpose<0, 1>(xt)), tt::Tensor(tt::transpose<0, 1>(yt)))), want,
                      k);
  const auto wide = tt::zeros<Number, Matrix>({m, k + 5});
  tt::slice<1>(wide, 2, k + 2) = x;
  check_close<Number>(values(matmul(tt::slice<1>(wide, 2, k + 2), y)), want, k);   // rows further apart than long
}

}  // namespace

TEST_CASE("matmul: the product of the definition, for all sizes, transpositions and layouts", "[ops]") {
  for (tt::index_t m : {0, 1, 2, 7, 33})
    for (tt::index_t k : {0, 1, 3, 16, 70})
      for (tt::index_t n : {0, 1, 5, 17, 64}) {
        check_product<float>(m, k, n);
        check_product<double>(m, k, n);
        if (m * k * n < 9000) check_product<std::int64_t>(m, k, n);
      }
}

TEST_CASE("matmul: large enough to be split, along rows and along columns", "[ops]") {
  check_product<float>(300, 130, 129);
  check_product<double>(129, 130, 300);
  check_product<float>(1, 2000, 3000);
  check_product<float>(3000, 2000, 1);
}

TEST_CASE("matmul: blocks of rows, of columns and of what is summed over", "[ops]") {
  check_product<float>(40, 24, 1300);
  check_product<double>(1300, 24, 40);
  check_product<float>(900, 1500, 5);
  check_product<double>(5, 1500, 900);
}

TEST_CASE("matmul: vectors and leading axes", "[ops]") {
  const auto v = numbers<double, Vector>({6}), w = numbers<double, Vector>({6}, -3, 3, 2);
  const auto m = numbers<double, Matrix>({6, 4}, -3, 3, 3);
  const tt::Tensor mt = tt::clone(tt::transpose<0, 1>(m));
  check_close<double>(values(matmul(v, w)), reference<double>(v, w, 1, 6, 1), 6);
  check_close<double>(values(matmul(v, m)), reference<double>(v, m, 1, 6, 4), 6);
  check_close<double>(values(matmul(mt, v)), reference<double>(mt, v, 4, 6, 1), 6);
  check_close<double>(values(matmul(v, transpose(mt))), reference<double>(v, m, 1, 6, 4), 6);
  check_close<double>(values(matmul(transpose(m), v)), reference<double>(mt, v, 4, 6, 1), 6);
  check_close<double>(values(matmul(scattered(v), scattered(w))), reference<double>(v, w, 1, 6, 1), 6);
  const auto deep = numbers<double, tt::Shape<dyn, dyn, dyn>>({2, 3, 6}, -3, 3, 4);
  const tt::Tensor y = matmul(deep, m);
  CHECK(y.sizes() == tt::dims{2, 3, 4});
  check_close<double>(values(y), reference<double>(deep, m, 6, 6, 4), 6);
  check_close<double>(values(matmul(scattered(deep), m)), reference<double>(deep, m, 6, 6, 4), 6);
  const tt::Tensor z = matmul(deep, v);
  CHECK(z.sizes() == tt::dims{2, 3});
  check_close<double>(values(z), reference<double>(deep, v, 6, 6, 1), 6);
  CHECK(tt::Tensor(matmul(tt::zeros<float, Vector>({0}), tt::zeros<float, Vector>({0}))).item() == 0);
}

TEST_CASE("matmul: int64 and uint8 wrap around", "[ops]") {
  const tt::Tensor<std::int64_t, tt::Shape<1, 2>> a{{INT64_MAX, 1}};
  const tt::Tensor<std::int64_t, tt::Shape<2, 1>> b{{2, 3}};
  CHECK(tt::Tensor(matmul(a, b))(0, 0) == 1);
  const tt::Tensor<std::uint8_t, tt::Shape<1, 2>> c{{200, 100}};
  const tt::Tensor<std::uint8_t, tt::Shape<2, 1>> d{{2, 3}};
  CHECK(tt::Tensor(matmul(c, d))(0, 0) == 700 % 256);
}

TEST_CASE("matmul: extents that differ at run time are refused with both shapes", "[ops]") {
  const auto a = numbers<float, Matrix>({2, 3}), b = numbers<float, Matrix>({4, 5});
  CHECK_THROWS_WITH(tt::eval(matmul(a, b)),
                    Contains("[2, 3]") && Contains("[4, 5]") && Contains("inner extents differ"));
  CHECK_THROWS_WITH(tt::eval(matmul(transpose(a), b)), Contains("[2, 3] transposed"));
  CHECK_THROWS_AS(tt::eval(matmul(a, numbers<float, Vector>({4}))), tt::Error);
  CHECK_THROWS_AS(tt::eval(matmul(numbers<float, Vector>({4}), tt::Tensor(tt::transpose<0, 1>(a)))), tt::Error);
}

TEST_CASE("matmul: gradients of every form", "[ops]") {
  const auto a = leaf<double, Matrix>({3, 4}), b = leaf<double, Matrix>({4, 2}, -3, 3, 2),
             at = leaf<double, Matrix>({4, 3}), bt = leaf<double, Matrix>({2, 4}, -3, 3, 2);
  const auto u = leaf<double, Vector>({4}, -3, 3, 3), v = leaf<double, Vector>({4}, -3, 3, 4);
  const auto deep = leaf<double, tt::Shape<dyn, dyn, dyn>>({2, 3, 4}, -3, 3, 5);
  const auto mm = [](const auto& x, const auto& y) { return matmul(x, y); };
  CHECK(gradcheck(mm, a, b));
  CHECK(gradcheck(mm, u, v));
  CHECK(gradcheck(mm, u, b));
  CHECK(gradcheck(mm, a, u));
  CHECK(gradcheck(mm, deep, b));
  CHECK(gradcheck(mm, deep, u));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(transpose(x), y); }, at, b));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(x, transpose(y)); }, a, bt));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(transpose(x), transpose(y)); }, at, bt));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(transpose(x), y); }, at, u));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(x, transpose(y)); }, u, bt));
  CHECK(gradcheck([](const auto& x) { return matmul(transpose(x), x); }, a));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(tt::slice<1>(x, 0, 4, 2), tt::slice<0>(y, 1, 3)); },
                  a, b));
  CHECK(gradcheck([](const auto& x, const auto& y) { return matmul(x * 2, tanh(y)); }, a, b));
  CHECK(gradcheck(mm, leaf<double, Matrix>({0, 4}), b));
  CHECK(gradcheck(mm, leaf<double, Matrix>({3, 0}), leaf<double, Matrix>({0, 2})));
}

TEST_CASE("matmul: bias and activation come along with the product, once and used twice", "[ops]") {
  const auto x = leaf<double, Matrix>({5, 4}), w = leaf<double, Matrix>({4, 3}, -3, 3, 2);
  const auto b = leaf<double, Vector>({3}, -3, 3, 3);
  const auto each = [&](auto act) {
    const auto plain = [&](const auto& a, const auto& c, const auto& d) {
      return act(tt::eval(tt::eval(matmul(a, c)) + d));
    };
    const auto joined = [&](const auto& a, const auto& c, const auto& d) { return act(matmul(a, c) + d); };
    const auto close = [](const auto& p, const auto& q) { check_close<double>(values(p), values(q), 100); };
    close(plain(x, w, b), joined(x, w, b));
    CHECK(gradcheck(joined, x, w, b));
    CHECK(gradcheck([&](const auto& a, const auto& c) { return act(matmul(a, c)); }, x, w));
    CHECK(gradcheck([&](const auto& a, const auto& c) { return act(matmul(a, transpose(c))); }, x,
                    leaf<double, Matrix>({3, 4})));
    CHECK(gradcheck([&](const auto& a, const auto& c) {
      auto h = matmul(a, c);
      return act(h) + h;
    }, x, w));
    CHECK(gradcheck([&](const auto& a, const auto& c, const auto& d) {
      auto h = matmul(a, c) + d;
      return act(h) * h;
    }, x, w, b));
    CHECK(gradcheck([&](const auto& a, const auto& c, const auto& d) {
      auto h = act(matmul(a, c) + d);
      return h * h + act(h);
    }, x, w, b));
  };
  each([](const auto& h) { return relu(h); });
  each([](const auto& h) { return tanh(h); });
  each([](const auto& h) { return sigmoid(h); });
  each([](const auto& h) { return exp(h * 0.01); });
  each([](const auto& h) { return h; });
}

TEST_CASE("matmul: gradients of every subset of operand, weight and bias", "[ops]") {
  const auto x = leaf<double, Matrix>({5, 4}), w = leaf<double, Matrix>({4, 3}, -3, 3, 2);
  const auto b = leaf<double, Vector>({3}, -3, 3, 3);
  const auto each = [&](auto f) {
    CHECK(gradcheck(f, x, w.detach(), b.detach()));
    CHECK(gradcheck(f, x.detach(), w, b.detach()));
    CHECK(gradcheck(f, x.detach(), w.detach(), b));
    CHECK(gradcheck(f, x, w.detach(), b));
    CHECK(gradcheck(f, x.detach(), w, b));
    CHECK(gradcheck(f, x, w, b.detach()));
  };
  each([](const auto& a, const auto& c, const auto& d) { return matmul(a, c) + d; });
  each([](const auto& a, const auto& c, const auto& d) { return tanh(matmul(a, c) + d); });
  each([](const auto& a, const auto& c, const auto& d) {
    auto h = matmul(a, c);
    return relu(h + d) + h;
  });
}

TEST_CASE("matmul: a row that is no bias of the product is added as usual", "[ops]") {
  const auto x = leaf<double, Matrix>({2, 3}), w = leaf<double, Matrix>({3, 1}, -3, 3, 2);
  const auto wide = leaf<double, Vector>({4}, -3, 3, 3);
  CHECK(tt::Tensor(matmul(x, w) + wide).sizes() == tt::dims{2, 4});
  CHECK(gradcheck([](const auto& a, const auto& c, const auto& d) { return relu(matmul(a, c) + d); }, x, w, wide));
  const auto one = leaf<double, Vector>({1}, -3, 3, 4);
  const auto v = leaf<double, Matrix>({3, 2}, -3, 3, 5);
  CHECK(gradcheck([](const auto& a, const auto& c, const auto& d) { return tanh(matmul(a, c) + d); }, x, v, one));
  const auto grid = leaf<double, Matrix>({2, 2}, -3, 3, 6);
  CHECK(gradcheck([](const auto& a, const auto& c, const auto& d) { return tanh(matmul(a, c) + d); }, x, v, grid));
  CHECK(gradcheck([](const auto& a, const auto& c, const auto& d) { return d + matmul(a, c); }, x, v, one));
}

TEST_CASE("matmul: a product computed without recording is recorded when it is needed on the tape", "[ops]") {
  const auto x = leaf<double, Matrix>({2, 3}), w = leaf<double, Matrix>({3, 2}, -3, 3, 2);
  const auto h = matmul(x, w);
  const auto s = tt::sum(x);
  {
    const tt::no_grad guard;
    CHECK_FALSE(tt::eval(h).requires_grad());
    CHECK_FALSE(tt::eval(s).requires_grad());
  }
  CHECK(tt::eval(h).requires_grad());
  tt::backward(tt::sum(h * h) + s);
  CHECK(x.grad().defined());
}
