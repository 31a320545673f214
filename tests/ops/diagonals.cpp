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
using Cube = Shape<dyn, dyn, dyn>;
using list = std::vector<double>;

namespace {
template <class E>
using shape = tt::shape_t<E>;
template <class ShapeType>
tt::Tensor<float, ShapeType> of();
}  // namespace
static_assert(std::is_same_v<shape<decltype(tt::diag(of<Shape<3>>()))>, Shape<3, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::diag<-2>(of<Shape<3>>()))>, Shape<5, 5>>);
static_assert(std::is_same_v<shape<decltype(tt::diag<1>(of<Shape<3, 5>>()))>, Shape<3>>);
static_assert(std::is_same_v<shape<decltype(tt::diag<-1>(of<Shape<3, 5>>()))>, Shape<2>>);
static_assert(std::is_same_v<shape<decltype(tt::diag<9>(of<Shape<3, 5>>()))>, Shape<0>>);
static_assert(std::is_same_v<shape<decltype(tt::diag(of<Shape<dim("n")>>()))>, Shape<dim("n"), dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::diag_embed(of<Shape<2, 3>>()))>, Shape<2, 3, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::diag_embed<1, 0, 2>(of<Shape<2, 3>>()))>, Shape<4, 2, 4>>);
static_assert(std::is_same_v<shape<decltype(tt::tril(of<Shape<2, dim("n")>>()))>, Shape<2, dim("n")>>);

TEST_CASE("diag: a vector to a matrix and back, on any diagonal", "[ops]") {
  const tt::Tensor<float, Shape<2>> v{{1, 2}};
  CHECK(values(tt::diag(v)) == list{1, 0, 0, 2});
  CHECK(values(tt::diag<1>(v)) == list{0, 1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(values(tt::diag(v, -1)) == list{0, 0, 0, 1, 0, 0, 0, 2, 0});
  const auto x = numbers<double, Matrix>({3, 5});
  for (const auto& m : {x, scattered(x)}) {
    CHECK(values(tt::diag(m)) == list{x(0, 0), x(1, 1), x(2, 2)});
    CHECK(values(tt::diag(m, 3)) == list{x(0, 3), x(1, 4)});
    CHECK(values(tt::diag(m, -2)) == list{x(2, 0)});
    CHECK(values(tt::diag(m, 5)).empty());
    CHECK(values(tt::diag(m, -7)).empty());
    CHECK(values(tt::diag<-1>(tt::transpose<0, 1>(m))) == list{x(0, 1), x(1, 2), x(2, 3)});
  }
  for (tt::index_t k = -4; k <= 4; ++k) CHECK(values(tt::diag(tt::diag(v, k), k)) == list{1, 2});
  CHECK_FALSE(tt::diag(x).storage() == x.storage());
  CHECK(tt::diag(tt::zeros<float, Shape<0>>()).sizes() == tt::dims{0, 0});
  CHECK(tt::diag(tt::zeros<float, Shape<0>>(), 2).sizes() == tt::dims{2, 2});
  CHECK_THROWS_AS(tt::diag(v, INT64_MIN), tt::Error);
  CHECK_THROWS_AS(tt::diag(v, INT64_MAX), tt::Error);
}

TEST_CASE("diag_embed: the last axis onto a diagonal of any two new axes", "[ops]") {
  const auto x = numbers<double, Matrix>({2, 3});
  for (const auto& m : {x, scattered(x)})
    for (tt::index_t k = -2; k <= 2; ++k)
      for (int a = 0; a < 3; ++a)
        for (int b = -3; b < 0; ++b) {
          if (a == b + 3) continue;
          const auto y = tt::diag_embed(m, k, a, b);
          double total = 0;
          for (tt::index_t i = 0; i < 2; ++i)
            for (tt::index_t j = 0; j < 3; ++j) {
              tt::index_t at[3];
              at[a] = j + std::max<tt::index_t>(-k, 0), at[b + 3] = j + std::max<tt::index_t>(k, 0),
              at[3 - a - (b + 3)] = i;
              CHECK(y(at[0], at[1], at[2]) == x(i, j));
              total += x(i, j);
            }
          CHECK(tt::eval(tt::sum(y)).item() == Approx(total));
        }
  CHECK_THROWS_WITH(tt::diag_embed(x, 0, 1, -2), Contains("differ"));
  CHECK_THROWS_AS(tt::diag_embed(x, 0, 0, 3), tt::IndexError);
}

TEST_CASE("tril and triu: each keeps its side of any diagonal, in every matrix of a stack", "[ops]") {
  const auto x = numbers<double, Cube>({2, 3, 4});
  for (const auto& m : {x, scattered(x)})
    for (tt::index_t k :
         {INT64_MIN, tt::index_t(-3), tt::index_t(-1), tt::index_t(0), tt::index_t(2), tt::index_t(5), INT64_MAX}) {
      const auto low = tt::tril(m, k), high = tt::triu(m, k);
      bool right = true;
      for (tt::index_t b = 0; b < 2; ++b)
        for (tt::index_t i = 0; i < 3; ++i)
          for (tt::index_t j = 0; j < 4; ++j) {
            const bool below = k > 0 ? j <= i || j - i <= k : j <= i && (k == INT64_MIN ? false : i - j >= -k);
            const bool above = k < 0 ? j >= i || (k == INT64_MIN || i - j <= -k) : j >= i && j - i >= k;
            right &= low(b, i, j) == (below ? x(b, i, j) : 0) && high(b, i, j) == (above ? x(b, i, j) : 0);
          }
      CHECK(right);
    }
  CHECK(tt::tril(tt::zeros<float, Shape<2, 0>>()).sizes() == tt::dims{2, 0});
  CHECK(tt::triu(tt::zeros<bool, Shape<0, 3>>(), 1).sizes() == tt::dims{0, 3});
  CHECK(values(tt::tril(tt::full<float, Shape<2, 2>>(NAN)))[1] == 0);
  CHECK(values(tt::triu(tt::ones<bool, Shape<2, 2>>(), 1)) == list{0, 1, 0, 0});
}

TEST_CASE("diagonals: gradients", "[ops]") {
  const auto v = leaf<double, Shape<dyn>>({3});
  const auto m = leaf<double, Matrix>({3, 4});
  const auto x = leaf<double, Cube>({2, 3, 4});
  CHECK(gradcheck([](const auto& a) { return tt::diag(a); }, v));
  CHECK(gradcheck([](const auto& a) { return tt::diag(a, -2) * 2; }, v));
  CHECK(gradcheck([](const auto& a) { return tt::diag(a, 1) * 2; }, m));
  CHECK(gradcheck([](const auto& a) { return sum(tt::diag(a)) * a; }, m));
  CHECK(gradcheck([](const auto& a) { return tt::diag(a, 9); }, m));
  CHECK(gradcheck([](const auto& a) { return tt::diag_embed<1, 0, 2>(a); }, m));
  CHECK(gradcheck([](const auto& a) { return tt::tril(a, 1) * a; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::triu(tt::transpose<1, 2>(a)); }, x));
}

TEST_CASE("trace: of matrices of any extents and layout, of integers, backwards", "[ops]") {
  const auto m = tests::numbers<double, Matrix>({3, 4});
  CHECK(tt::trace(m).item() == Approx(m(0, 0) + m(1, 1) + m(2, 2)));
  CHECK(tt::trace(tests::scattered(m)).item() == tt::trace(m).item());
  CHECK(tt::trace(tt::transpose<0, 1>(m)).item() == tt::trace(m).item());
  CHECK(tt::trace(tt::full<std::uint8_t, Shape<2, 2>>(200)).item() == 400);
  CHECK(tt::trace(tt::zeros<float, Shape<0, 3>>()).item() == 0);
  CHECK(gradcheck([](const auto& a) { return tt::trace(a * a); }, leaf<double, Matrix>({3, 4})));
}
