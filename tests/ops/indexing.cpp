#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using Matrix = tt::Shape<dyn, dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;
using list = std::vector<double>;
template <class... E>
using index_of = tt::Tensor<std::int64_t, E...>;

namespace {
/// Positions below `extent`, in no order and with repetitions.
template <class ShapeType>
index_of<ShapeType> positions(const tt::dims& size, double extent) {
  return numbers<std::int64_t, ShapeType>(size, 0, extent, 7);
}
}  // namespace

static_assert(
    std::is_same_v<tt::shape_t<decltype(tt::index_select<1>(std::declval<tt::Tensor<float, tt::Shape<2, 3>>>(),
                                                            std::declval<index_of<tt::Shape<5>>>()))>,
                   tt::Shape<2, dyn>>);
static_assert(std::is_same_v<tt::shape_t<decltype(tt::gather<1>(std::declval<tt::Tensor<float, tt::Shape<2, 3>>>(),
                                                                std::declval<index_of<tt::Shape<2, 7>>>()))>,
                             tt::Shape<2, 7>>);

TEST_CASE("indexing: gather takes from each line of an axis, for every axis, dtype and layout", "[ops]") {
  const auto check = []<class Number>(Number) {
    const auto plain = numbers<Number, Cube>({3, 4, 5}, 0, 100);
    for (const auto& x : {plain, scattered(plain)}) {
      const auto i0 = positions<Cube>({7, 4, 5}, 3), i1 = positions<Cube>({3, 2, 4}, 4),
                 i2 = positions<Cube>({2, 4, 9}, 5);
      const tt::Tensor a = tt::gather<0>(x, i0), b = tt::gather<1>(x, scattered(i1)), c = tt::gather(x, -1, i2);
      int wrong = 0;
      for (tt::index_t i = 0; i < 7; ++i)
        for (tt::index_t j = 0; j < 4; ++j)
          for (tt::index_t k = 0; k < 9; ++k) {
            if (k < 5) wrong += a(i, j, k) != x(i0(i, j, k), j, k);
            if (i < 3 && j < 2 && k < 4) wrong += b(i, j, k) != x(i, i1(i, j, k), k);
            if (i < 2) wrong += c(i, j, k) != x(i, j, i2(i, j, k));
          }
      CHECK(wrong == 0);
    }
  };
  check(bool{}), check(std::uint8_t{}), check(std::int64_t{}), check(float{}), check(double{});
}

TEST_CASE("indexing: index_select takes slices, for every axis", "[ops]") {
  const auto plain = numbers<float, Cube>({3, 4, 5});
  const index_of<tt::Shape<4>> at{{2, 0, 0, 2}};
  for (const auto& x : {plain, scattered(plain)})
    for (int axis = 0; axis < 3; ++axis) {
      const tt::Tensor y = tt::index_select(x, axis, at);
      CHECK(y.size(axis) == 4);
      for (tt::index_t c = 0; c < 4; ++c) CHECK(values(tt::select(y, axis, c)) == values(tt::select(x, axis, at(c))));
    }
  CHECK(tt::index_select<0>(plain, index_of<tt::Shape<0>>(tt::dims{0})).sizes() == tt::dims{0, 4, 5});
  const tt::Tensor<std::uint8_t, tt::Shape<2>> small{{2, 1}};
  CHECK(values(tt::index_select<0>(tt::arange<float>(3), small)) == list{2, 1});
}

TEST_CASE("indexing: positions outside, and indices of the wrong kind, are refused", "[ops]") {
  const auto x = numbers<float, Matrix>({2, 3});
  CHECK_THROWS_WITH(tt::index_select<1>(x, index_of<tt::Shape<1>>{3}), Contains("index 3") && Contains("axis of 3"));
  CHECK_THROWS_AS(tt::index_select<0>(x, index_of<tt::Shape<1>>{-1}), tt::IndexError);
  CHECK_THROWS_AS((tt::gather<0>(x, index_of<tt::Shape<1, 1>>{2})), tt::IndexError);
  CHECK_THROWS_WITH(tt::index_select<0>(x, index_of<tt::Shape<1, 1>>{0}), Contains("vector"));
  CHECK_THROWS_WITH((tt::gather<0>(x, tt::zeros<std::int64_t, tt::Shape<1, 4>>())), Contains("larger than the input"));
  CHECK_THROWS_AS(tt::index_select(x, 2, index_of<tt::Shape<1>>{0}), tt::IndexError);
}

TEST_CASE("indexing: of and by tensors without axes", "[ops]") {
  const tt::Scalar<float> one{5};
  const index_of<tt::Shape<>> zero{0};
  CHECK(values(tt::gather<0>(one, zero)) == list{5});
  CHECK(values(tt::index_select<0>(one, zero)) == list{5});
  CHECK(values(tt::index_select<0>(tt::arange<float>(3), index_of<tt::Shape<>>{2})) == list{2});
}

TEST_CASE("indexing: gradients gather where elements were taken more than once", "[ops]") {
  const auto x = leaf<double, Matrix>({3, 4});
  const auto rows = index_of<tt::Shape<5>>{{2, 2, 0, 2, 1}};
  const auto grid = positions<Matrix>({3, 6}, 4);
  CHECK(gradcheck([](const auto& a, const auto& i) { return tt::index_select<0>(a, i); }, x, rows));
  CHECK(gradcheck([](const auto& a, const auto& i) { return tanh(tt::index_select(tt::transpose<0, 1>(a), 1, i)) * 2; },
                  x, rows));
  CHECK(gradcheck([](const auto& a, const auto& i) { return tt::gather<1>(a, i); }, x, grid));
  CHECK(gradcheck([](const auto& a, const auto& i) { return tt::gather<1>(a * a, i) + 1; }, x, grid));
  CHECK(gradcheck([](const auto& a, const auto& i) { return sum(tt::gather<1>(a, i)) * sum(a); }, x, grid));
}
