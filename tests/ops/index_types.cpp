// The kind index over every dtype, those that are only stored too, ranks 0 to 5, and extents known at any time, against
// plain loops.
#include "../typed.hpp"

using tt::AnyTensor;
using tt::index_t;

namespace {

/// f(x, positions) for each rank, with positions below the extent of an axis: of the first one, as a vector,
/// or of the last one, as many as x has elements. want(numbers, positions, size).
template <class Type, int Low, class Function, class Plain>
void every_rank(bool vector, Function f, Plain want) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  tests::each_rank<Low>([&]<class Sizes>(Sizes) {
    const AnyTensor x = tests::operand<Type>(Sizes::size(), 1);
    const index_t below = Sizes::size()[vector ? 0 : -1];
    const index_t count = vector ? 5 : x.numel();
    const AnyTensor at = tests::numbers<std::int64_t, tt::Shape<tt::dyn>>({count}, 0, double(below), 3);
    const AnyTensor index = vector ? at : tt::reshape(at, x.sizes());
    const AnyTensor got = tests::alike<Type, Sizes>([&](const auto& a) { return f(a, index); }, x);
    tests::check_holds<Type>(got, want(tests::wide<Type>(x), tests::values<std::int64_t>(at), x.sizes()), 0);
  });
}

}  // namespace

TEST_CASE("index types: gather", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type, 1>(
        false,
        [](const auto& x, const AnyTensor& index) {
          return tt::gather<-1>(x, index.as<std::int64_t, tt::shape_t<decltype(x)>>());
        },
        [](auto a, const auto& at, const tt::dims& size) {
          const auto from = a;
          for (std::size_t i = 0; i < a.size(); ++i) a[i] = from[i - i % std::size_t(size[-1]) + std::size_t(at[i])];
          return a;
        });
  });
}

TEST_CASE("index types: index_select", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type, 1>(
        true,
        [](const auto& x, const AnyTensor& index) {
          return tt::index_select<0>(x, index.as<std::int64_t, tt::Shape<tt::dyn>>());
        },
        [](auto a, const auto& at, const tt::dims& size) {
          const auto from = a;
          const std::size_t row = a.size() / std::size_t(size[0]);
          a.resize(at.size() * row);
          for (std::size_t i = 0; i < a.size(); ++i) a[i] = from[std::size_t(at[i / row]) * row + i % row];
          return a;
        });
  });
}

TEST_CASE("index types: index_put, whose last value stays", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type, 1>(
        true,
        [](const auto& x, const AnyTensor& index) {
          return tt::index_put(x, index.as<std::int64_t, tt::Shape<tt::dyn>>(), tt::select<0, 0>(x));
        },
        [](auto a, const auto& at, const tt::dims& size) {
          const auto from = a;
          const std::size_t row = a.size() / std::size_t(size[0]);
          for (index_t k : at)
            for (std::size_t i = 0; i < row; ++i) a[std::size_t(k) * row + i] = from[i];
          return a;
        });
  });
}
