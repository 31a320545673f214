// The kind scan over every dtype, ranks 1 to 5, and extents known at any time, against a plain loop.
#include "../typed.hpp"

using tt::AnyTensor;

namespace {

/// f, which scans the last axis, or else the first.
template <class Type, class Function>
void every_rank(bool last, Function f) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  using result = std::conditional_t<tests::is_whole<Type>, std::int64_t, Type>;
  tests::each_rank<1>([&]<class Sizes>(Sizes) {
    const AnyTensor x = tests::operand<Type>(Sizes::size(), 1);
    std::vector<tests::wide_t<result>> want;
    for (const auto& number : tests::wide<Type>(x)) want.push_back(number);
    const std::size_t length = std::size_t(x.size(last ? -1 : 0)), inner = last ? 1 : want.size() / length;
    for (std::size_t i = 0; i < want.size(); ++i)
      if (i / inner % length) want[i] += want[i - inner];
    tests::check_holds<result>(tests::alike<Type, Sizes>(f, x), want);
  });
}

}  // namespace

TEST_CASE("scan types: cumsum along the last axis and the first", "[ops]") {
  tests::each_computed([]<class Type>(Type) {
    every_rank<Type>(true, [](const auto& x) { return tt::cumsum<-1>(x); });
    every_rank<Type>(false, [](const auto& x) { return tt::cumsum<0>(x); });
  });
}
