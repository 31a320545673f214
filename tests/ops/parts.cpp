#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using tt::index_t;
using Cube = tt::Shape<dyn, dyn, dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;

// ---- extents of the type ----

namespace {
const tt::Tensor<float, tt::Shape<5, 3, tt::dim("n")>> typed;
}  // namespace
#define TT_SHAPE_OF(expression, ...) \
  static_assert(std::is_same_v<tt::shape_t<decltype(expression)>, tt::Shape<__VA_ARGS__>>)
TT_SHAPE_OF(tt::slice<1>(typed, 0, 1), 5, dyn, tt::dim("n"));
TT_SHAPE_OF((tt::slice<0, 1, 5, 3>(typed)), 2, 3, tt::dim("n"));
TT_SHAPE_OF((tt::slice<0, -2, 100>(typed)), 2, 3, tt::dim("n"));
TT_SHAPE_OF((tt::slice<-1, 0, 4>(typed)), 5, 3, dyn);
TT_SHAPE_OF(tt::slice(typed, 0, 0, 1), dyn, dyn, dyn);
TT_SHAPE_OF((tt::narrow<0, 1, 3>(typed)), 3, 3, tt::dim("n"));
TT_SHAPE_OF((tt::narrow<2, 1, 3>(typed)), 5, 3, 3);
TT_SHAPE_OF(tt::narrow<0>(typed, 1, 3), dyn, 3, tt::dim("n"));
TT_SHAPE_OF(tt::narrow(typed, 0, 1, 3), dyn, dyn, dyn);
TT_SHAPE_OF(tt::select<0>(typed, 0), 3, tt::dim("n"));
TT_SHAPE_OF((tt::select<1, -1>(typed)), 5, tt::dim("n"));
TT_SHAPE_OF(tt::select(typed, 0, 0), dyn, dyn);
TT_SHAPE_OF(tt::diagonal(typed), tt::dim("n"), 3);
TT_SHAPE_OF((tt::diagonal<1>(typed)), tt::dim("n"), 2);
TT_SHAPE_OF((tt::diagonal<-4>(typed)), tt::dim("n"), 1);
TT_SHAPE_OF((tt::diagonal<9>(typed)), tt::dim("n"), 0);
TT_SHAPE_OF((tt::diagonal<0, 0, 2>(typed)), 3, dyn);
TT_SHAPE_OF(tt::diagonal(typed, 1), dyn, dyn);
TT_SHAPE_OF((tt::unfold<0, 3>(typed)), 3, 3, tt::dim("n"), 3);
TT_SHAPE_OF((tt::unfold<0, 2, 2>(typed)), 2, 3, tt::dim("n"), 2);
TT_SHAPE_OF((tt::unfold<2, 2>(typed)), 5, 3, dyn, 2);
TT_SHAPE_OF((tt::as_strided<2, 2>(typed, {1, 2})), 2, 2);
TT_SHAPE_OF(tt::as_strided(typed, {2, 2}, {1, 2}, 0), dyn, dyn);

TEST_CASE("parts: slices clamp positions as Python does, and take any step", "[ops]") {
  const auto v = tt::arange<double>(10);
  const auto of = [&](tt::index_t start, tt::index_t stop, tt::index_t step = 1) {
    return values(tt::slice<0>(v, start, stop, step));
  };
  CHECK(of(2, 5) == list{2, 3, 4});
  CHECK(of(-3, 10) == list{7, 8, 9});
  CHECK(of(0, -8) == list{0, 1});
  CHECK(of(-100, 2) == list{0, 1});
  CHECK(of(8, 100) == list{8, 9});
  CHECK(of(5, 5).empty());
  CHECK(of(7, 3).empty());
  CHECK(of(100, 200).empty());
  CHECK(of(1, 9, 3) == list{1, 4, 7});
  CHECK(of(1, 8, 3) == list{1, 4, 7});
  CHECK(of(1, 7, 3) == list{1, 4});
  CHECK(of(3, 10, INT64_MAX) == list{3});
  CHECK(of(INT64_MIN, INT64_MAX, INT64_MAX) == list{0});
  CHECK_THROWS_WITH(of(0, 5, 0), Contains("step must be positive"));
  CHECK_THROWS(of(0, 5, -1));
  const auto step = tt::slice<0>(v, 1, 10, 2);
  CHECK(values(tt::slice<0>(step, 1, 5, 2)) == list{3, 7});
  CHECK_THROWS_AS(tt::slice(v, 1, 0, 1), tt::IndexError);
  CHECK_THROWS_AS(tt::slice(tt::Scalar<float>{1}, 0, 0, 1), tt::Error);
}

TEST_CASE("parts: select takes one position, from either end", "[ops]") {
  const auto x = numbers<float, Cube>({2, 3, 4});
  CHECK(values(tt::select<1>(x, -1)) == values(tt::select<1>(x, 2)));
  CHECK(tt::select(x, 2, 3).sizes() == tt::dims{2, 3});
  CHECK(tt::select<0>(tt::arange<float>(3), 2).item() == 2);
  CHECK_THROWS_WITH(tt::select<0>(x, 2), Contains("index 2") && Contains("axis of 2"));
  CHECK_THROWS_AS(tt::select<0>(x, -3), tt::IndexError);
}

TEST_CASE("parts: positions and lengths in the type mean what they mean in the call", "[ops]") {
  const auto x = numbers<float, tt::Shape<5, 4>>({5, 4});
  CHECK(tests::same_bits(tt::slice<0, 1, -1, 2>(x), tt::slice<0>(x, 1, -1, 2)));
  CHECK(tests::same_bits(tt::slice<1, -3, 100>(x), tt::slice(x, 1, -3, 100)));
  CHECK(tests::same_bits(tt::narrow<0, -3, 2>(x), tt::narrow<0>(x, 2, 2)));
  CHECK(tests::same_bits(tt::narrow<1, 1, 3>(x), tt::slice<1>(x, 1, 4)));
  CHECK(tests::same_bits(tt::select<1, -1>(x), tt::select<1>(x, 3)));
  CHECK(tt::narrow<0>(x, 5, 0).sizes() == tt::dims{0, 4});
  CHECK(tt::narrow<0>(x, 1, 2).storage() == x.storage());
  CHECK_THROWS_WITH(tt::narrow<0>(x, 3, 3), Contains("3 positions from 3"));
  CHECK_THROWS_AS(tt::narrow<0>(x, -6, 1), tt::IndexError);
  CHECK_THROWS_WITH(tt::narrow<0>(x, 0, -1), Contains("negative"));
  CHECK_THROWS_WITH(tt::narrow(tt::AnyTensor(tt::Scalar<float>{1}), 0, 0, 1), Contains("without axes"));
}

TEST_CASE("parts: diagonals of every offset and pair of axes, by index arithmetic", "[ops]") {
  const auto x = numbers<float, Cube>({2, 3, 4});
  for (int a = -3; a < 3; ++a)
    for (int b = -3; b < 3; ++b)
      for (index_t offset = -5; offset <= 5; ++offset) {
        const int first = (a + 3) % 3, second = (b + 3) % 3, rest = 3 - first - second;
        if (first == second) {
          CHECK_THROWS_WITH(tt::diagonal(x, offset, a, b), Contains("twice"));
          continue;
        }
        const auto d = tt::diagonal(x, offset, a, b);
        list want;
        for (index_t k = 0; k < x.size(rest); ++k)
          for (index_t i = 0; i < x.size(first); ++i) {
            index_t at[3] = {};
            at[first] = i, at[second] = i + offset, at[rest] = k;
            if (at[second] >= 0 && at[second] < x.size(second)) want.push_back(double(x(at[0], at[1], at[2])));
          }
        CHECK(d.size(0) == x.size(rest));
        CHECK(values(d) == want);
      }
  CHECK(tests::same_bits(tt::diagonal<-1, 2, 0>(x), tt::diagonal(x, -1, 2, 0)));
  CHECK(tt::diagonal(x, INT64_MIN).numel() == 0);
  CHECK(tt::diagonal(x, INT64_MAX).numel() == 0);
  CHECK_THROWS_AS(tt::diagonal(tt::AnyTensor(tt::arange<float>(3))), tt::IndexError);
  tt::diagonal(tt::select<0>(x, 0), 0) = 7;
  CHECK((x(0, 0, 0) == 7 && x(0, 1, 1) == 7 && x(0, 2, 2) == 7));
}

TEST_CASE("parts: unfold shows windows, by index arithmetic", "[ops]") {
  const auto x = numbers<float, Matrix>({3, 7});
  for (index_t size = 0; size <= 7; ++size)
    for (index_t step = 1; step <= 8; ++step) {
      const auto windows = tt::unfold(x, 1, size, step);
      REQUIRE(windows.sizes() == tt::dims{3, (7 - size) / step + 1, size});
      list want;
      for (index_t i = 0; i < 3; ++i)
        for (index_t w = 0; w < windows.size(1); ++w)
          for (index_t k = 0; k < size; ++k) want.push_back(double(x(i, w * step + k)));
      CHECK(values(windows) == want);
    }
  CHECK(tt::unfold(x, 1, 2, INT64_MAX).size(1) == 1);
  CHECK(tests::same_bits(tt::unfold<0, 2>(x), tt::unfold(x, 0, 2, 1)));
  CHECK(values(tt::unfold(tt::Scalar<float>{4}, 0, 1, 1)) == list{4});
  CHECK_THROWS_WITH(tt::unfold(x, 1, 8, 1), Contains("window of 8") && Contains("axis of 7"));
  CHECK_THROWS_WITH(tt::unfold(x, 1, 2, 0), Contains("step must be positive"));
  CHECK_THROWS_WITH(tt::unfold(x, 1, -1, 1), Contains("window of -1"));
  tt::unfold(x, 1, 3, 3) = 1;   // windows side by side may be written
  CHECK((x(0, 5) == 1 && x(2, 0) == 1 && x(1, 6) != 1));
  CHECK_THROWS_WITH((tt::unfold(x, 1, 3, 2) = 1), Contains("read-only"));
}

TEST_CASE("parts: as_strided reads and writes where its arithmetic says", "[ops]") {
  const auto x = numbers<float, Matrix>({4, 6});
  const auto y = tt::as_strided(x, {2, 3, 2}, {7, 2, 1}, 3);
  for (index_t i = 0; i < 2; ++i)
    for (index_t j = 0; j < 3; ++j)
      for (index_t k = 0; k < 2; ++k) CHECK(y(i, j, k) == x.data()[3 + 7 * i + 2 * j + k]);
  CHECK(y.storage() == x.storage());
  const auto part = tt::slice<0>(x, 1, 4);
  CHECK(tt::as_strided<2>(part, {1}).storage_offset() == 6);   // from where part begins
  CHECK(tt::as_strided<2>(part, {1}, 0).storage_offset() == 0);
  CHECK(tt::as_strided(x, {0, 3}, {100, 100}, 1000).numel() == 0);
  CHECK_THROWS_WITH(tt::as_strided(x, {5}, {6}, 0), Contains("24 elements"));
  CHECK_THROWS_WITH(tt::as_strided(x, {2}, {-1}, 5), Contains("the strides [-1] must not be negative"));
  CHECK_THROWS(tt::as_strided(x, {2}, {1}, -1));
  CHECK_THROWS(tt::as_strided(x, {INT64_MAX}, {INT64_MAX}, 0));
  CHECK_THROWS(tt::as_strided(x, {2, 2}, {INT64_MAX, INT64_MAX}, 0));
  CHECK_THROWS_WITH(tt::as_strided(tt::AnyTensor(x), {2, 2}, {1}), Contains("2 extents and 1 strides"));
  tt::as_strided<4>(x, {7}, 0) = 5;
  CHECK((x(0, 0) == 5 && x(1, 1) == 5 && x(2, 2) == 5 && x(3, 3) == 5));
  CHECK_THROWS_WITH((tt::as_strided<2, 2>(x, {1, 1}) = 1), Contains("read-only"));
  tt::as_strided<2, 2>(x, {2, 3}) = 8;   // interleaved, but no element twice: 0, 2, 3, 5
  CHECK((x(0, 0) == 8 && x(0, 2) == 8 && x(0, 3) == 8 && x(0, 5) == 8 && x(0, 1) != 8));
}

TEST_CASE("parts: gradients", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 4});
  CHECK(gradcheck([](const auto& a) { return tt::slice<1>(a, 1, 3) * tt::narrow<1>(a, 0, 2); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::slice<2>(a, 0, 4, 3); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::slice<0>(a, 1, 1); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::clone(tt::slice<1>(tt::select<1>(a, -1), 1, 3)); }, tt::movedim<2, 0>(x)));
  CHECK(gradcheck([](const auto& a) { return tt::diagonal<1, 1, 2>(a) * tt::diagonal(a, -1, 2, 1); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::unfold<2, 3>(a) * tt::unfold(a, 2, 3); }, x));
  CHECK(gradcheck([](const auto& a) { return sum(a) + tt::select<0>(tt::select<0>(tt::select<0>(a, 0), 1), 2); }, x));
}

// The gradient of any layout is that of picking elements one at a time.
TEST_CASE("parts: gradients of as_strided, of bases that lie in a row or not, and beyond them", "[ops]") {
  const auto check = [](auto base_of, tt::dims size, tt::dims stride, index_t offset) {
    const auto x = leaf<double, Matrix>({4, 5});
    const tt::AnyTensor base = base_of(tt::AnyTensor(x));
    const tt::AnyTensor y = tt::as_strided(base, size, stride, offset);
    const tt::AnyTensor seed = numbers<double, tt::Shape<dyn>>({y.numel()}, 1, 2);
    tt::detail::backward_from(y, tt::reshape(seed, size), false);
    list want(20);
    std::vector<bool> in_base(20);
    tt::detail::walk(base.sizes(), base.rank(), base.strides(),
                     [&](index_t at) { in_base[std::size_t(base.storage_offset() + at)] = true; });
    index_t k = 0;
    tt::detail::walk(size, size.rank, stride.extent, [&](index_t at) {
      const auto place = std::size_t(offset + at);
      if (in_base[place]) want[place] += reinterpret_cast<const double*>(seed.data_ptr())[k];
      ++k;
    });
    const list got = values(tt::AnyTensor(x).grad());
    for (std::size_t i = 0; i < 20; ++i) CHECK(got[i] == Approx(want[i]));
  };
  const auto same = [](const tt::AnyTensor& x) { return x; };
  const auto turned = [](const tt::AnyTensor& x) { return tt::transpose(x, 0, 1); };
  const auto row = [](const tt::AnyTensor& x) { return tt::select(x, 0, 1); };
  const auto gaps = [](const tt::AnyTensor& x) { return tt::slice(tt::slice(x, 1, 1, 5, 2), 0, 1, 4, 2); };
  for (const auto& [size, stride, offset] : std::initializer_list<std::tuple<tt::dims, tt::dims, index_t>>{
           {{3, 3}, {5, 1}, 1}, {{2, 2, 2}, {1, 1, 1}, 4}, {{5}, {0}, 6}, {{4, 5}, {5, 1}, 0}, {{}, {}, 7}, {{0, 2}, {1, 1}, 3}}) {
    check(same, size, stride, offset);
    check(turned, size, stride, offset);
    check(row, size, stride, offset);
    check(gaps, size, stride, offset);
  }
  // Elements of an expanded base at one place share what arrives there.
  const auto x = leaf<double, tt::Shape<dyn>>({1});
  const tt::AnyTensor y = tt::as_strided(tt::expand(tt::AnyTensor(x), {4}), {3}, {0}, 0);
  tt::detail::backward_from(y, tt::AnyTensor(tt::ones<double, tt::Shape<3>>()), false);
  CHECK(values(x.grad()) == list{3});
}
