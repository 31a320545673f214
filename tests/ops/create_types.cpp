// The kind create over every dtype, those that are only stored too, ranks 0 to 5, and extents known at any time,
// against plain loops; random numbers of the dtypes that have them.
#include "../typed.hpp"

#include <tt/random.hpp>

using tests::wide_t;
using tt::AnyTensor;
using tt::index_t;

namespace {

/// f(x), which takes type and extents from x, at each rank; want(i) is element i.
template <class Type, class Result = Type, class Function, class Plain>
void every_rank(Function f, Plain want) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  tests::each_rank([&]<class Sizes>(Sizes) {
    const AnyTensor got = tests::alike<Type, Sizes>(f, tests::operand<Type>(Sizes::size(), 1));
    CHECK(got.sizes() == Sizes::size());
    std::vector<wide_t<Result>> numbers;
    for (index_t i = 0; i < got.numel(); ++i) numbers.push_back(wide_t<Result>(want(i)));
    tests::check_holds<Result>(got, numbers, 0);
  });
}

template <class X>
using value = tt::value_t<X>;
template <class X>
using shape = tt::shape_t<X>;

}  // namespace

TEST_CASE("create types: zeros and one number throughout", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    every_rank<Type>([](const auto& x) { return tt::zeros<value<decltype(x)>, shape<decltype(x)>>(x.sizes()); },
                     [](index_t) { return 0; });
    every_rank<Type>([](const auto& x) { return tt::full_like(x, 100); }, [](index_t) { return 100; });
  });
}

TEST_CASE("create types: ranges, and the identity", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    INFO(tt::name_of(tt::dtype_of<Type>));
    std::vector<wide_t<Type>> unit(12);
    for (std::size_t i = 0; i < 3; ++i) unit[i * 5] = 1;
    tests::check_holds<Type>(tt::eye<Type, 3, 4>(), unit, 0);
    tests::check_holds<Type>(tt::eye<Type>(3, 4), unit, 0);
    if constexpr (!tests::is_complex<Type> && !std::is_same_v<Type, bool>) {
      std::vector<wide_t<Type>> steps;
      for (int i = 0; i < 40; ++i) steps.push_back(wide_t<Type>(5 + 3 * i));
      tests::check_holds<Type>(tt::arange<Type>(5, 125, 3), steps, 0);
    }
  });
}

TEST_CASE("create types: random numbers are those of the seed, whatever the shape", "[ops]") {
  tests::Reals::each([]<class Type>(Type) {
    const auto drawn = [](auto draw) {
      tt::Generator g(7);
      return tests::wide<Type>(AnyTensor(draw(tt::dims{96}, g)));
    };
    using vector = tt::Shape<tt::dyn>;
    const auto uniform = drawn([](const tt::dims& n, tt::Generator& g) { return tt::rand<Type, vector>(n, g); });
    const auto normal = drawn([](const tt::dims& n, tt::Generator& g) { return tt::randn<Type, vector>(n, g); });
    for (auto u : uniform) CHECK((u >= 0 && u < 1));
    every_rank<Type>(
        [](const auto& x) {
          tt::Generator g(7);
          return tt::rand<value<decltype(x)>, shape<decltype(x)>>(x.sizes(), g);
        },
        [&](index_t i) { return uniform[std::size_t(i)]; });
    every_rank<Type>(
        [](const auto& x) {
          tt::Generator g(7);
          return tt::randn<value<decltype(x)>, shape<decltype(x)>>(x.sizes(), g);
        },
        [&](index_t i) { return normal[std::size_t(i)]; });
  });
}

TEST_CASE("create types: random integers are those of the seed, whatever the shape", "[ops]") {
  tests::Integers::each([]<class Type>(Type) {
    if constexpr (!std::is_same_v<Type, bool>) {
      tt::Generator g(7);
      const auto all = tests::wide<Type>(tt::randint<tt::Shape<tt::dyn>, Type>(3, 100, {96}, g));
      for (auto n : all) CHECK((n >= 3 && n < 100));
      every_rank<Type>(
          [](const auto& x) {
            tt::Generator own(7);
            return tt::randint<shape<decltype(x)>, value<decltype(x)>>(3, 100, x.sizes(), own);
          },
          [&](index_t i) { return all[std::size_t(i)]; });
    }
  });
}
