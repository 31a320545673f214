// The kind move over every dtype, those that are only stored too, ranks 0 to 5, and extents known at any time, against
// plain loops.
#include "../typed.hpp"

using tt::AnyTensor;
using tt::index_t;

namespace {

/// Two operands, f of them, and which element each of the result is: at(row-major position) in x followed by y.
template <class Type, int Low, class Function, class Source>
void every_rank(Function f, Source at) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  tests::each_rank<Low>([&]<class Sizes>(Sizes) {
    const AnyTensor x = tests::operand<Type>(Sizes::size(), 1), y = tests::operand<Type>(Sizes::size(), 2);
    const AnyTensor got = tests::alike<Type, Sizes>(f, x, y);
    auto both = tests::wide<Type>(x), second = tests::wide<Type>(y);
    both.insert(both.end(), second.begin(), second.end());
    auto want = both;
    want.resize(std::size_t(got.numel()));
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = both[std::size_t(at(index_t(i), x.sizes()))];
    tests::check_holds<Type>(got, want, 0);
  });
}

}  // namespace

TEST_CASE("move types: joined along a new axis", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type, 0>([](const auto& x, const auto& y) { return tt::stack<-1>(x, y); },
                        [](index_t i, const tt::dims& size) { return i / 2 + i % 2 * size.count(); });
  });
}

TEST_CASE("move types: joined along an axis there is", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type, 1>([](const auto& x, const auto& y) { return tt::cat<0>(x, y); },
                        [](index_t i, const tt::dims&) { return i; });
  });
}

TEST_CASE("move types: turned round", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type, 1>([](const auto& x, const auto&) { return tt::flip<-1>(x); },
                        [](index_t i, const tt::dims& size) { return i - 2 * (i % size[-1]) + size[-1] - 1; });
  });
}
