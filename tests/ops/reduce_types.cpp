// The kind reduce over every dtype, ranks 0 to 5, and extents known at any time, against a plain loop.
#include "../typed.hpp"

using tests::is_complex;
using tests::is_whole;
using tests::wide_t;
using tt::AnyTensor;
using tt::index_t;

namespace {

/// fold(numbers of each line along the axis), in row-major order of what is left. The axis `all` makes one line of all.
constexpr int all = 99;
template <class Type, class Result, class Fold>
std::vector<wide_t<Result>> folded(const AnyTensor& x, int axis, Fold fold) {
  const auto a = tests::wide<Type>(x);
  index_t outer = 1, length = x.numel(), inner = 1;
  if (axis != all) {
    length = x.size(axis);
    for (int i = 0; i < axis; ++i) outer *= x.size(i);
    inner = x.numel() / outer / length;
  }
  std::vector<wide_t<Result>> want;
  for (index_t o = 0; o < outer; ++o)
    for (index_t i = 0; i < inner; ++i) {
      std::vector<wide_t<Type>> line;
      for (index_t k = 0; k < length; ++k) line.push_back(a[std::size_t((o * length + k) * inner + i)]);
      want.push_back(wide_t<Result>(fold(line)));
    }
  return want;
}

template <class Type, class Result, int Low, class Function, class Fold>
void every_rank(int axis, Function f, Fold fold) {
  INFO(tt::name_of(tt::dtype_of<Type>));
  tests::each_rank<Low>([&]<class Sizes>(Sizes) {
    const AnyTensor x = tests::operand<Type>(Sizes::size(), 1);
    const AnyTensor got = tests::alike<Type, Sizes>(f, x);
    tests::check_holds<Result>(got, folded<Type, Result>(x, axis < 0 ? axis + x.rank() : axis, fold), 8);
  });
}

const auto total = [](const auto& line) {
  auto t = line[0];
  for (std::size_t i = 1; i < line.size(); ++i) t += line[i];
  return t;
};

}  // namespace

TEST_CASE("reduce types: sums", "[ops]") {
  tests::each_computed([]<class Type>(Type) {
    using result = std::conditional_t<is_whole<Type>, std::int64_t, Type>;
    every_rank<Type, result, 0>(all, [](const auto& x) { return sum(x); }, total);
    every_rank<Type, result, 1>(-1, [](const auto& x) { return tt::sum<-1>(x, tt::keepdim); }, total);
  });
}

TEST_CASE("reduce types: means", "[ops]") {
  const auto each = []<class Type>(Type) {
    every_rank<Type, Type, 1>(0, [](const auto& x) { return tt::mean<0>(x); }, [](const auto& line) {
      return total(line) / wide_t<Type>(double(line.size()));
    });
  };
  tests::Reals::each(each);
  tests::Complexes::each(each);
}

TEST_CASE("reduce types: extrema and their positions", "[ops]") {
  const auto each = []<class Type>(Type) {
    every_rank<Type, Type, 1>(0, [](const auto& x) { return tt::amax<0>(x); },
                              [](const auto& line) { return *std::max_element(line.begin(), line.end()); });
    if constexpr (!std::is_same_v<Type, bool>)
      every_rank<Type, std::int64_t, 1>(-1, [](const auto& x) { return tt::argmin<-1>(x); }, [](const auto& line) {
        return std::min_element(line.begin(), line.end()) - line.begin();
      });
  };
  tests::Integers::each(each);
  tests::Reals::each(each);
}
