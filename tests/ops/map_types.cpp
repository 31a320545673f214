// The kind map over every dtype, ranks 0 to 5, and extents known at any time, against a plain loop.
#include "../typed.hpp"

using tests::alike;
using tests::each_rank;
using tests::is_complex;
using tests::is_whole;
using tt::AnyTensor;

namespace {

/// The elements of got are plain(a, b) of those of x and y.
template <class Type, class Result, class Plain>
void check_plain(const AnyTensor& got, const AnyTensor& x, const AnyTensor& y, Plain plain) {
  const auto a = tests::wide<Type>(x), b = tests::wide<Type>(y);
  std::vector<tests::wide_t<Result>> want;
  for (std::size_t i = 0; i < a.size(); ++i) want.push_back(tests::wide_t<Result>(plain(a[i], b[i])));
  CHECK(got.sizes() == x.sizes());
  CHECK(tests::holds<Result>(got, want));
}

/// f, which gives Results, of two tensors of Types, and plain of their numbers.
template <class Type, class Result, class Function, class Plain>
void every_rank(Function f, Plain plain) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  each_rank([&]<class Sizes>(Sizes) {
    const AnyTensor x = tests::operand<Type>(Sizes::size(), 1), y = tests::operand<Type>(Sizes::size(), 2);
    check_plain<Type, Result>(alike<Type, Sizes>(f, x, y), x, y, plain);
  });
}

}  // namespace

TEST_CASE("map types: sums and products", "[ops]") {
  tests::each_computed([]<class Type>(Type) {
    every_rank<Type, Type>([](const auto& x, const auto& y) { return x * y + x; },
                           [](auto a, auto b) { return a * b + a; });
  });
}

TEST_CASE("map types: comparisons and choices", "[ops]") {
  tests::each_computed([]<class Type>(Type) {
    if constexpr (is_complex<Type>)
      every_rank<Type, bool>([](const auto& x, const auto& y) { return x == y; },
                             [](auto a, auto b) { return a == b; });
    else
      every_rank<Type, Type>([](const auto& x, const auto& y) { return where(x < y, y, x); },
                             [](auto a, auto b) { return a < b ? b : a; });
  });
}

TEST_CASE("map types: functions, of integers in float", "[ops]") {
  tests::each_computed([]<class Type>(Type) {
    using floating = std::conditional_t<is_whole<Type>, float, Type>;
    if constexpr (is_complex<Type>)
      every_rank<Type, Type>([](const auto& x, const auto&) { return exp(x); }, [](auto a, auto) { return exp(a); });
    else
      every_rank<Type, floating>([](const auto& x, const auto&) { return tanh(x); },
                                 [](auto a, auto) { return tests::wide_t<floating>(std::tanh(a)); });
  });
}
