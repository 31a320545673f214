// The kind contract over every dtype, ranks 1 to 5, and extents known at any time, against plain loops.
#include "../typed.hpp"

using tests::Extents;
using tests::wide_t;
using tt::AnyTensor;
using tt::index_t;

namespace {

/// Stacks of [m, k] times stacks of [k, n], where a stack of one matrix serves all.
template <class Type>
std::vector<wide_t<Type>> product(const AnyTensor& x, const AnyTensor& y, index_t m, index_t k, index_t n) {
  const auto a = tests::wide<Type>(x), b = tests::wide<Type>(y);
  const index_t left = x.numel() / (m * k), right = y.numel() / (k * n);
  std::vector<wide_t<Type>> want;
  for (index_t s = 0; s < std::max(left, right); ++s)
    for (index_t row = 0; row < m; ++row)
      for (index_t column = 0; column < n; ++column) {
        wide_t<Type> sum{};
        for (index_t i = 0; i < k; ++i)
          sum += a[std::size_t((left == 1 ? 0 : s) * m * k + row * k + i)] *
                 b[std::size_t((right == 1 ? 0 : s) * k * n + i * n + column)];
        want.push_back(sum);
      }
  return want;
}

template <class Type, class Left, class Right>
AnyTensor stored_product(const AnyTensor& x, const AnyTensor& y) {
  const auto z = tt::eval(tt::matmul(x.as<Type, Left>(), y.as<Type, Right>()));
  if (!tt::fits(z.sizes(), tt::shape_t<decltype(z)>::value)) tt::fail("the product does not fit its type");
  return z;
}

template <class Type, class Left, class Right>
void agree(Left, Right, index_t m, index_t k, index_t n) {
  const AnyTensor x = tests::operand<Type>(Left::size(), 1), y = tests::operand<Type>(Right::size(), 2);
  const AnyTensor got = stored_product<Type, typename Left::dynamic, typename Right::dynamic>(x, y);
  tests::check_same(stored_product<Type, typename Left::fixed, typename Right::fixed>(x, y),
                    stored_product<Type, typename Left::named, typename Right::named>(x, y), got);
  tests::check_holds<Type>(got, product<Type>(x, y, m, k, n), 8);
}

template <class Type>
void every_rank() {
  INFO(tt::name_of(tt::dtype_of<Type>));
  agree<Type>(Extents<3>{}, Extents<3>{}, 1, 3, 1);
  agree<Type>(Extents<2, 3>{}, Extents<3>{}, 2, 3, 1);
  agree<Type>(Extents<3>{}, Extents<3, 4>{}, 1, 3, 4);
  agree<Type>(Extents<2, 3>{}, Extents<3, 4>{}, 2, 3, 4);
  agree<Type>(Extents<4, 2, 3>{}, Extents<4, 3, 4>{}, 2, 3, 4);
  agree<Type>(Extents<2, 4, 2, 3>{}, Extents<3, 4>{}, 2, 3, 4);
  agree<Type>(Extents<2, 2, 3, 2, 3>{}, Extents<2, 2, 3, 3, 4>{}, 2, 3, 4);
}

}  // namespace

TEST_CASE("contract types: integers", "[ops]") {
  tests::Integers::each([]<class Type>(Type) {
    if constexpr (!std::is_same_v<Type, bool>) every_rank<Type>();
  });
}

TEST_CASE("contract types: floating and complex numbers", "[ops]") {
  tests::Reals::each([]<class Type>(Type) { every_rank<Type>(); });
  tests::Complexes::each([]<class Type>(Type) { every_rank<Type>(); });
}
