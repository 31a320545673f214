#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../op_families.hpp"

#include <numeric>

using tests::leaf;
using tests::numbers;
using tests::same_bits;
using tests::scattered;
using tests::values;
using tt::dyn;
using tt::keepdim;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;

// ---- result types: axes of the type, and how many of them at run time ----

namespace {
using X = tt::Tensor<float, tt::Shape<2, 3, tt::dim("n")>>;
template <class E>
using shape = tt::shape_t<E>;
}  // namespace
static_assert(std::is_same_v<shape<decltype(tt::sum(std::declval<X>()))>, tt::Shape<>> &&
              std::is_same_v<shape<decltype(tt::sum<1>(std::declval<X>()))>, tt::Shape<2, tt::dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::sum<0, -1>(std::declval<X>()))>, tt::Shape<3>> &&
              std::is_same_v<shape<decltype(tt::sum<0>(std::declval<X>(), keepdim))>, tt::Shape<1, 3, tt::dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::sum(std::declval<X>(), keepdim))>, tt::Shape<1, 1, 1>> &&
              std::is_same_v<shape<decltype(tt::sum(std::declval<X>(), 1))>, tt::Shape<dyn, dyn>>);
static_assert(std::is_same_v<shape<decltype(tt::sum(std::declval<X>(), {0, 1}))>, tt::Shape<dyn>> &&
              std::is_same_v<shape<decltype(tt::sum(std::declval<X>(), {0, 1}, keepdim))>, Cube>);
static_assert(std::is_same_v<shape<decltype(tt::argmax<-1>(std::declval<X>()))>, tt::Shape<2, 3>> &&
              std::is_same_v<shape<decltype(tt::argmin(std::declval<X>()))>, tt::Shape<>>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::sum(std::declval<tt::Vector<bool>>()))>, std::int64_t> &&
              std::is_same_v<tt::value_t<decltype(tt::sum(std::declval<tt::Vector<std::uint8_t>>()))>, std::int64_t> &&
              std::is_same_v<tt::value_t<decltype(tt::amax(std::declval<tt::Vector<std::uint8_t>>()))>, std::uint8_t> &&
              std::is_same_v<tt::value_t<decltype(tt::argmax(std::declval<tt::Vector<float>>()))>, std::int64_t>);

namespace {

/// Elements gathered by result position, in order: what each result element is joined from.
std::vector<std::vector<double>> groups(const tt::AnyTensor& t, tt::detail::AxisSet axes) {
  const auto all = values(t);
  const tt::dims size = t.sizes();
  tt::index_t stride[tt::max_rank];
  const tt::index_t count = tt::detail::reduced_strides(stride, size, axes);
  std::vector<std::vector<double>> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) {
    tt::index_t rest = tt::index_t(i), to = 0;
    for (int a = size.rank - 1; a >= 0; --a) {
      to += rest % size[a] * stride[a];
      rest /= size[a];
    }
    out[std::size_t(to)].push_back(all[i]);
  }
  return out;
}

template <class Op>
double joined(const std::vector<double>& g) {
  if constexpr (std::is_same_v<Op, tt::ops::sum>) return std::accumulate(g.begin(), g.end(), 0.);
  else if constexpr (std::is_same_v<Op, tt::ops::mean>)
    return std::accumulate(g.begin(), g.end(), 0.) / double(g.size());
  else if constexpr (std::is_same_v<Op, tt::ops::amax>) return *std::max_element(g.begin(), g.end());
  else return *std::min_element(g.begin(), g.end());
}

template <class Op, class E>
void check(const E& e, const tt::AnyTensor& t, tt::detail::AxisSet axes, bool keep) {
  const tt::Tensor y = e;
  const auto want = groups(t, axes);
  CHECK(y.sizes() == tt::detail::reduced(t.sizes(), axes, keep));
  const auto got = values(y);
  REQUIRE(got.size() == want.size());
  std::size_t wrong = 0;
  const double tolerance = y.dtype() == tt::dtype::float32 ? 1e-6 : 1e-13;
  for (std::size_t i = 0; i < got.size(); ++i) {
    double scale = 1;
    for (double v : want[i]) scale += std::abs(v);
    wrong += !(std::abs(got[i] - joined<Op>(want[i])) <= tolerance * scale);
  }
  CHECK(wrong == 0);
}

template <class Op, class Number>
void check_axes(const tt::dims& size) {
  INFO(Op::name << " of " << tt::name_of(tt::dtype_of<Number>) << ' ' << tt::to_string(size));
  const auto plain = numbers<Number, Cube>(size, -4, 5);
  using tt::detail::reduce_dynamic, tt::detail::reduce_static;
  for (const auto& t : {plain, scattered(plain)}) {
    check<Op>(reduce_static<Op, false>(t), t, 7, false);
    check<Op>(reduce_static<Op, true>(t), t, 7, true);
    check<Op>(reduce_static<Op, false, 0>(t), t, 1, false);
    check<Op>(reduce_static<Op, false, 1>(t), t, 2, false);
    check<Op>(reduce_static<Op, true, -1>(t), t, 4, true);
    check<Op>(reduce_static<Op, false, 0, 1>(t), t, 3, false);
    check<Op>(reduce_static<Op, false, 2, 0>(t), t, 5, false);
    check<Op>(reduce_static<Op, true, 1, 2>(t), t, 6, true);
    check<Op>(reduce_dynamic<Op, false>(t, {0}), t, 1, false);
    check<Op>(reduce_dynamic<Op, true>(t, {-2}), t, 2, true);
    check<Op>(reduce_dynamic<Op, false>(t, {2, 0}), t, 5, false);
    check<Op>(reduce_dynamic<Op, true>(t, {0, 1, 2}), t, 7, true);
  }
}

}  // namespace

TEST_CASE("reductions: every subset of axes, with and without keepdim, of every dtype and layout", "[ops]") {
  tt::for_each_op(tt::ops::reductions{}, []<class Op>(Op) {
    for (const tt::dims& size : {tt::dims{2, 3, 5}, {1, 4, 1}, {17, 1, 9}, {3, 300, 2}, {300, 2, 33}, {2, 2, 1000}}) {
      check_axes<Op, float>(size);
      check_axes<Op, double>(size);
      if constexpr (tests::accepts<Op>(tt::dtype::int64)) {
        check_axes<Op, std::int64_t>(size);
        check_axes<Op, std::uint8_t>(size);
        check_axes<Op, bool>(size);
      }
    }
  });
}

TEST_CASE("reductions: long rows and columns, at every length around packets and blocks", "[ops]") {
  for (tt::index_t n :
       {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 16383, 16385, 70001}) {
    const auto v = numbers<float, Vector>({n}, -1, 2);
    const auto i = numbers<std::int64_t, Vector>({n}, -9, 9);
    INFO(n);
    check<tt::ops::sum>(tt::sum(v), v, 1, false);
    check<tt::ops::sum>(tt::sum(v * 1), v, 1, false);   // through the region's buffer
    check<tt::ops::sum>(tt::sum(i), i, 1, false);
    check<tt::ops::amax>(tt::amax(v), v, 1, false);
    check<tt::ops::amin>(tt::amin(i), i, 1, false);
    const tt::Tensor column = tt::reshape(v, {n, 1}), row = tt::reshape(v, {1, n});
    check<tt::ops::mean>(tt::mean<0>(column), column, 1, false);
    check<tt::ops::mean>(tt::mean<0>(row), row, 1, false);
    check<tt::ops::mean>(tt::mean<1>(row), row, 2, false);
  }
}

TEST_CASE("reductions: float sums are added up wider, so that a million small numbers do not stick", "[ops]") {
  const auto tenth = tt::full<float, Vector>({1000000}, 0.1f);
  CHECK(tt::Tensor(tt::sum(tenth)).item() == Approx(100000).epsilon(1e-6));
  const tt::Tensor columns = tt::sum<0>(tt::reshape(tenth, {500000, 2}));
  CHECK(columns(1) == Approx(50000).epsilon(1e-6));
}

TEST_CASE("reductions: a region below is joined as it is computed", "[ops]") {
  const auto a = numbers<float, Matrix>({40, 70}), b = numbers<float, Matrix>({40, 1}, -3, 3, 2);
  const auto region = exp(a * 0.3) * b + 1;
  const tt::Tensor stored = region;
  check<tt::ops::sum>(tt::sum(region), stored, 3, false);
  check<tt::ops::sum>(tt::sum<0>(region), stored, 1, false);
  check<tt::ops::mean>(tt::mean<1>(region), stored, 2, false);
  CHECK(same_bits(tt::amax<1>(region), tt::amax<1>(stored)));
  CHECK(values(tt::sum(a > 0))[0] == values(tt::sum(tt::to<float>(a > 0)))[0]);
  CHECK(values(tt::sum(tt::to<std::uint8_t>(tt::full<float, Vector>({300}, 255)) + 10))[0] == 300 * 9);
}

TEST_CASE("reductions: of nothing, of one value, and NaN", "[ops]") {
  const auto none = tt::zeros<float, Matrix>({0, 3});
  CHECK(values(tt::sum(none)) == std::vector<double>{0});
  CHECK(values(tt::sum<0>(none)) == std::vector<double>{0, 0, 0});
  CHECK(values(tt::sum<1>(none)).empty());
  CHECK(std::isnan(values(tt::mean(none))[0]));
  CHECK(std::isnan(values(tt::mean<0>(none))[2]));
  CHECK_THROWS_AS(tt::eval(tt::amax<0>(none)), tt::IndexError);
  CHECK_THROWS_WITH(tt::eval(tt::argmin(none)), Contains("[0, 3]"));
  CHECK(values(tt::amax<1>(none)).empty());
  CHECK(values(tt::argmax<1>(none)).empty());
  const tt::Scalar<float> one{3};
  CHECK((values(tt::sum(one))[0] == 3 && values(tt::mean<0>(one))[0] == 3 && values(tt::amax(one, -1))[0] == 3 &&
         values(tt::argmax<0>(one))[0] == 0));
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (tt::index_t at : {0, 1, 5, 16, 63, 99}) {
    const auto v = numbers<float, Vector>({100});
    v(at) = nan;
    CHECK((std::isnan(values(tt::amax(v))[0]) && std::isnan(values(tt::amin(v))[0]) &&
           std::isnan(values(tt::sum(v))[0])));
    CHECK((values(tt::argmax(v))[0] == double(at) && values(tt::argmin(v))[0] == double(at)));
    CHECK(std::isnan(values(tt::amax<0>(tt::reshape(v, {100, 1})))[0]));
  }
  CHECK(values(tt::amax(tt::full<float, Vector>({5}, -inf)))[0] == -inf);
  CHECK(values(tt::amin(tt::full<float, Vector>({5}, inf)))[0] == inf);
  CHECK(values<std::int64_t>(tt::amax(tt::full<std::int64_t, Vector>({5}, INT64_MIN)))[0] == INT64_MIN);
}

TEST_CASE("reductions: argmax and argmin give the first position, along any axis and layout", "[ops]") {
  const auto plain = numbers<std::int64_t, Cube>({4, 5, 6}, -3, 3);   // many ties
  for (const auto& t : {plain, scattered(plain)}) {
    const auto position = [](const std::vector<double>& g, bool most) {
      return double((most ? std::max_element(g.begin(), g.end()) : std::min_element(g.begin(), g.end())) - g.begin());
    };
    const auto check_arg = [&](const auto& e, tt::detail::AxisSet axes, bool most) {
      const auto want = groups(t, axes);
      const auto got = values(e);
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == position(want[i], most));
    };
    check_arg(tt::argmax<0>(t), 1, true);
    check_arg(tt::argmax<1>(t), 2, true);
    check_arg(tt::argmax(t, -1), 4, true);
    check_arg(tt::argmin<-1>(t), 4, false);
    check_arg(tt::argmin(t, 0, keepdim), 1, false);
    check_arg(tt::argmax(t), 7, true);
    check_arg(tt::argmin(t), 7, false);
  }
}

TEST_CASE("reductions: an axis that does not exist, or twice, is refused", "[ops]") {
  const auto t = numbers<float, Matrix>({2, 3});
  CHECK_THROWS_WITH(tt::sum(t, 2), Contains("sum") && Contains("axis 2") && Contains("2 axes"));
  CHECK_THROWS_AS(tt::argmax(t, -3), tt::IndexError);
  CHECK_THROWS_WITH(tt::mean(t, {0, -2}), Contains("twice"));
}

TEST_CASE("reductions: gradients over every subset of axes", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 4});
  const auto each = [&](auto reduce) {
    CHECK(tt::gradcheck([&](const auto& a) { return reduce(a); }, x));
    CHECK(tt::gradcheck([&](const auto& a) { return reduce(a * a + tanh(a)); }, x));
    CHECK(tt::gradcheck([&](const auto& a) { return exp(reduce(tt::transpose<0, 2>(a)) * 0.1); }, x));
  };
  tt::for_each_op(tt::ops::reductions{}, [&]<class Op>(Op) {
    INFO(Op::name);
    using tt::detail::reduce_dynamic, tt::detail::reduce_static;
    each([](const auto& a) { return reduce_static<Op, false>(a); });
    each([](const auto& a) { return reduce_static<Op, false, 0>(a); });
    each([](const auto& a) { return reduce_static<Op, true, 1>(a); });
    each([](const auto& a) { return reduce_static<Op, false, 2>(a); });
    each([](const auto& a) { return reduce_static<Op, true, 0, 2>(a); });
    each([](const auto& a) { return reduce_static<Op, false, 0, 1>(a); });
    each([](const auto& a) { return reduce_dynamic<Op, false>(a, {1, 2}); });
    each([](const auto& a) { return reduce_dynamic<Op, true>(a, {-1, 0, 1}); });
  });
}

TEST_CASE("reductions: ties of an extremum share the gradient", "[ops]") {
  tt::Variable<double, tt::Shape<2, 3>> x{{1, 3, 3, 2, 2, 2}};
  x.requires_grad_();
  tt::backward(tt::sum(tt::amax<1>(x)));
  CHECK(values(x.grad()) == std::vector<double>{0, 0.5, 0.5, 1. / 3, 1. / 3, 1. / 3});
}

TEST_CASE("reductions: aminmax gives both extrema", "[ops]") {
  const auto x = numbers<float, Cube>({3, 4, 5});
  const auto [least, most] = tt::aminmax<1>(x, keepdim);
  CHECK(same_bits(least, tt::amin<1>(x, keepdim)));
  CHECK(same_bits(most, tt::amax<1>(x, keepdim)));
  CHECK(same_bits(tt::aminmax(x, -1).second, tt::amax(x, -1)));
  CHECK(same_bits(tt::aminmax(x).first, tt::amin(x)));
  CHECK_THROWS_AS(tt::aminmax(tt::zeros<float, Vector>({0})), tt::IndexError);
  const auto m = leaf<double, Matrix>({3, 4});
  CHECK(tt::gradcheck([](const auto& a) { return tt::aminmax<0>(a).first + tt::aminmax(a, 0).second; }, m));
}

TEST_CASE("reductions: one axis in braces is that axis, in each compiler; amax and amin take lists as sum does", "[ops]") {
  const auto x = numbers<float, Cube>({2, 3, 4});
  CHECK(same_bits(tt::sum(x, {1}), tt::sum(x, 1)));
  CHECK(same_bits(tt::mean(x, {-1}, keepdim), tt::mean(x, 2, keepdim)));
  CHECK(same_bits(tt::amax(x, {1}), tt::amax(x, 1)));
  CHECK(same_bits(tt::amin(x, {0}, keepdim), tt::amin(x, 0, keepdim)));
  CHECK(same_bits(tt::amax(x, {0, 2}), tt::amax<0, 2>(x)));
  CHECK(same_bits(tt::amin(x, {0, -1}, keepdim), tt::amin<0, 2>(x, keepdim)));
  CHECK_THROWS_WITH(tt::amax(x, {0, 3}), Contains("amax") && Contains("3"));
  CHECK(tt::gradcheck([](const auto& a) { return tt::amax(a, {0, 1}); }, leaf<double, Cube>({2, 3, 4})));
  enum { columns = 2 };
  const tt::index_t last = 2;
  CHECK(same_bits(tt::sum(x, columns), tt::sum(x, int(last))));
}
