// The kind scan over every dtype, ranks 1 to 5, and extents known at any time, against a plain loop.
#include "../typed.hpp"

using tests::is_whole;
using tests::wide_t;
using tt::AnyTensor;
using tt::index_t;

namespace {

/// join(what came before, element) along the first or last axis, in row-major order.
template <class Type, class Result, class Join>
std::vector<wide_t<Result>> joined(const AnyTensor& x, bool last, Join join) {
  const auto a = tests::wide<Type>(x);
  std::vector<wide_t<Result>> want;
  const std::size_t step = last ? 1 : a.size() / std::size_t(x.size(0));
  const auto length = std::size_t(x.size(last ? -1 : 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto own = wide_t<Result>(a[i]);
    want.push_back(i / step % length == 0 ? own : wide_t<Result>(join(want[i - step], own)));
  }
  return want;
}

template <class Type, class Result, class Function, class Join>
void every_rank(bool last, double steps, Function f, Join join) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  tests::each_rank<1>([&]<class Sizes>(Sizes) {
    const AnyTensor x = tests::operand<Type>(Sizes::size(), 1);
    const AnyTensor got = tests::alike<Type, Sizes>(f, x);
    CHECK(got.sizes() == x.sizes());
    tests::check_holds<Result>(got, joined<Type, Result>(x, last, join), steps);
  });
}

const auto plus = [](auto a, auto b) { return a + b; };
const auto times = [](auto a, auto b) { return a * b; };

}  // namespace

TEST_CASE("scan types: sums and products", "[ops]") {
  tests::each_computed([]<class Type>(Type) {
    using result = std::conditional_t<is_whole<Type>, std::int64_t, Type>;
    every_rank<Type, result>(true, 8, [](const auto& x) { return tt::cumsum<-1>(x); }, plus);
    every_rank<Type, result>(false, 8, [](const auto& x) { return tt::cumsum<0>(x); }, plus);
    if constexpr (!is_whole<Type>)
      every_rank<Type, result>(true, 32, [](const auto& x) { return tt::cumprod<-1>(x); }, times);
  });
}

TEST_CASE("scan types: extrema so far, and logarithms of sums of exponentials", "[ops]") {
  const auto extrema = []<class Type>(Type) {
    every_rank<Type, Type>(true, 0, [](const auto& x) { return tt::cummax<-1>(x).first; },
                           [](auto a, auto b) { return a < b ? b : a; });
    every_rank<Type, Type>(false, 0, [](const auto& x) { return tt::cummin<0>(x).first; },
                           [](auto a, auto b) { return b < a ? b : a; });
  };
  tests::Integers::each(extrema);
  tests::Reals::each(extrema);
  tests::Reals::each([]<class Type>(Type) {
    every_rank<Type, Type>(true, 8, [](const auto& x) { return tt::logcumsumexp<-1>(x); },
                           [](auto a, auto b) { return std::log(std::exp(a) + std::exp(b)); });
  });
}
