// Scans: every axis, layout, dtype and length; gradients.
#include <tt/autograd.hpp>
#include <tt/autograd/gradcheck.hpp>
#include <tt/autograd/gradgradcheck.hpp>
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::same_bits;
using tests::scattered;
using tests::values;
using tt::AnyTensor;
using tt::call;
using tt::dtype;
using Vector = tt::Shape<tt::dyn>;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using Cube = tt::Shape<tt::dyn, tt::dyn, tt::dyn>;
using list = std::vector<double>;

static_assert(std::is_same_v<decltype(tt::cumsum<-1>(std::declval<tt::Tensor<float, tt::Shape<2, tt::dim("n")>>>())),
                             tt::Tensor<float, tt::Shape<2, tt::dim("n")>>>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::cumsum(std::declval<tt::Vector<bool>>(), 0))>, std::int64_t>);

TEST_CASE("cumsum: every axis and layout, rows alone and side by side", "[ops]") {
  const auto check = []<class Number>(Number) {
    for (const tt::dims& size : {tt::dims{3, 5, 4}, {2, 300, 3}, {4, 3, 17}, {2, 6, 300}, {70, 2, 600}, {1, 1, 1}}) {
      INFO(tt::name_of(tt::dtype_of<Number>) << ' ' << tt::to_string(size));
      const auto plain = numbers<Number, Cube>(size, -4, 5);
      for (const auto& x : {plain, scattered(plain)})
        for (int axis = 0; axis < 3; ++axis) {
          const tt::Tensor y = tt::cumsum(x, axis);
          REQUIRE(y.sizes() == size);
          std::size_t wrong = 0;
          tt::index_t at[3];
          for (at[0] = 0; at[0] < size[0]; ++at[0])
            for (at[1] = 0; at[1] < size[1]; ++at[1])
              for (at[2] = 0; at[2] < size[2]; ++at[2]) {
                double want = 0;
                tt::index_t from[3] = {at[0], at[1], at[2]};
                for (from[axis] = 0; from[axis] <= at[axis]; ++from[axis])
                  want += double(x(from[0], from[1], from[2]));
                wrong += !(std::abs(double(y(at[0], at[1], at[2])) - want) <= 1e-6 * (1 + std::abs(want)));
              }
          CHECK(wrong == 0);
        }
    }
  };
  check(float{}), check(double{}), check(std::int64_t{}), check(std::uint8_t{});
  const auto x = numbers<float, Matrix>({20, 30});
  CHECK(same_bits(tt::cumsum<0>(x), tt::cumsum(x, -2)));
  CHECK(same_bits(tt::cumsum<0>(tt::transpose<0, 1>(x)), tt::cumsum(tt::transpose<0, 1>(tt::eval(x * 1)), 0)));
  CHECK(values(tt::cumsum<0>(x * 2 + 1)) == values(tt::cumsum<0>(tt::eval(x * 2 + 1))));
}

TEST_CASE("cumsum: as many threads as there are give the same bits", "[ops]") {
  const auto x = numbers<float, Matrix>({700, 300}, -1, 2);
  tt::set_num_threads(1);
  const tt::Tensor rows = tt::cumsum<1>(x), columns = tt::cumsum<0>(x);
  tt::set_num_threads(3);
  CHECK(same_bits(tt::cumsum<1>(x), rows));
  CHECK(same_bits(tt::cumsum<0>(x), columns));
  tt::set_num_threads(0);
}

TEST_CASE("cumsum: dtypes, wrapping, wide sums of narrow numbers, NaN, nothing, no axes", "[ops]") {
  for (int i = 0; i < tt::dtype_count; ++i) {
    const dtype type = dtype(i);
    const AnyTensor ones = tt::ones(type, {3});
    INFO(tt::name_of(type));
    if (is_storage_only(type)) {
      CHECK_THROWS_WITH(call("cumsum", {ones, 0}), Contains("tt::cumsum"));
      continue;
    }
    const AnyTensor y = call("cumsum", {ones, 0}).tensor();
    CHECK(y.dtype() == (is_integral(type) ? dtype::int64 : type));
    CHECK(values(y) == list{1, 2, 3});
  }
  CHECK(values<std::int64_t>(tt::cumsum<0>(tt::Vector<std::int64_t>{INT64_MAX, 1}))[1] == INT64_MIN);
  const auto hundreds = tt::full<std::int64_t, Vector>({3}, 100);
  const AnyTensor bytes = call("cumsum", {hundreds, 0}, {{"dtype", dtype::uint8}}).tensor();
  CHECK((bytes.dtype() == dtype::uint8 && values(bytes) == list{100, 200, 300 % 256}));
  CHECK(values(tt::cumsum<0>(tt::full<tt::half, Vector>({5000}, 1)))[4999] == 5000);  // of half alone it stops at 2048
  CHECK(values(tt::cumsum<0>(tt::full<float, Vector>({1000000}, 0.1f)))[999999] == Approx(100000).epsilon(1e-6));
  const list y = values(tt::cumsum<0>(tt::Vector<double>{1, std::nan(""), 2}));
  CHECK((y[0] == 1 && std::isnan(y[1]) && std::isnan(y[2])));
  CHECK(tt::cumsum<0>(tt::zeros<float, tt::Shape<0, 3>>()).sizes() == tt::dims{0, 3});
  CHECK(tt::cumsum<1>(tt::zeros<float, tt::Shape<0, 3>>()).numel() == 0);
  CHECK(tt::cumsum(tt::Scalar<double>{4}, -1).item() == 4);
  CHECK(values(tt::cumsum<0>(tt::expand<4>(tt::Vector<float>{2}))) == list{2, 4, 6, 8});
  CHECK_THROWS_WITH(tt::cumsum(tt::Vector<float>{1}, 1), Contains("tt::cumsum: axis 1 of a tensor with 1 axes"));
  CHECK_THROWS_WITH(call("cumsum", {tt::ones(dtype::float32, {2}), -2}), Contains("axis -2"));
}

TEST_CASE("cumsum_: written through, views of a tensor and onto itself", "[ops]") {
  const tt::Matrix<double> m{{1, 2, 3}, {4, 5, 6}};
  tt::cumsum_<0>(tt::transpose<0, 1>(m));
  CHECK(values(m) == list{1, 3, 6, 4, 9, 15});
  tt::cumsum_(m, 0);
  CHECK(values(m) == list{1, 3, 6, 5, 12, 21});
  const AnyTensor n = tt::ones(dtype::int32, {3});
  CHECK(call("cumsum_", {n, 0}).tensor().body() == n.body());
  CHECK(values(n) == list{1, 2, 3});
  CHECK_THROWS_WITH(call("cumsum_", {tt::ones(dtype::boolean, {3}), 0}), Contains("int64") && Contains("bool"));
}

TEST_CASE("cumsum: gradients, and theirs, of strided operands and several uses", "[ops]") {
  const auto x = leaf<double, Cube>({2, 5, 3});
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumsum<1>(a); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumsum(tt::transpose<0, 2>(a * a), 0) * 2; }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::eval(tt::cumsum<2>(a)) * a + tt::cumsum<0>(a); }, x));
  CHECK(tt::gradgradcheck([](const auto& a) { return tt::square(tt::cumsum<1>(a * a)); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumsum<0>(a); }, leaf<double, Matrix>({0, 3})));
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumsum(a, 0); }, leaf<double, tt::Shape<>>({})));
  const auto half = leaf<tt::half, Vector>({3000}, 1, 2);
  tt::backward(tt::sum(tt::cumsum<0>(half)));
  CHECK(values(half.grad())[0] == Approx(3000).epsilon(0x1p-11));
  const tt::Variable<double, Vector> v = leaf<double, Vector>({4});
  const tt::Tensor y = v * 1;
  tt::cumsum_<0>(y);
  tt::backward(tt::sum(y));
  CHECK(values(v.grad()) == list{4, 3, 2, 1});
  CHECK(!tt::cumsum<0>(tt::Vector<std::int64_t>{1}).requires_grad());
}

TEST_CASE("cumprod and logcumsumexp: values, layouts, wrapping, what overflows on the way", "[ops]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto plain = numbers<double, Cube>({3, 20, 18}, -1.5, 1.5);
  for (const auto& x : {plain, scattered(plain)}) {
    const tt::Tensor product = tt::cumprod<1>(x), sum = tt::logcumsumexp(x, 1);
    std::size_t wrong = 0;
    for (tt::index_t i = 0; i < 3; ++i)
      for (tt::index_t k = 0; k < 18; ++k) {
        double p = 1, s = 0;
        for (tt::index_t j = 0; j < 20; ++j) {
          p *= x(i, j, k), s += std::exp(x(i, j, k));
          wrong += !(std::abs(product(i, j, k) - p) <= 1e-12 * std::abs(p));
          wrong += !(std::abs(sum(i, j, k) - std::log(s)) <= 1e-12);
        }
      }
    CHECK(wrong == 0);
  }
  CHECK(values(tt::cumprod<0>(tt::Vector<std::uint8_t>{200, 200, 2})) == list{200, 40000, 80000});
  CHECK(values<std::int64_t>(tt::cumprod<0>(tt::Vector<std::int64_t>{INT64_MAX, 2}))[1] == -2);
  CHECK(values(tt::cumprod_<0>(tt::Vector<float>{1, 2, 3, 4})) == list{1, 2, 6, 24});
  const auto of = [](const list& x) {
    return values(tt::logcumsumexp<0>(tt::Vector<double>({tt::index_t(x.size())}, x)));
  };
  CHECK(of({-infinity, -infinity, 0, infinity, 5}) == list{-infinity, -infinity, 0, infinity, infinity});
  CHECK(of({1000, 1000})[1] == Approx(1000 + std::log(2)));
  CHECK(of({0, -800}) == list{0, 0});
  CHECK(std::isnan(of({0, std::nan(""), 1})[2]));
  CHECK(of({}).empty());
  CHECK(tt::logcumsumexp(tt::Scalar<float>{2}, 0).item() == 2);
  CHECK_THROWS_WITH(call("logcumsumexp", {tt::ones(dtype::int64, {2}), 0}), Contains("tt::logcumsumexp"));
}

TEST_CASE("cumprod and logcumsumexp: gradients, with zeros among the factors, of long rows, once", "[ops]") {
  const auto x = leaf<double, Cube>({2, 5, 3});
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumprod<1>(a) + tt::cumprod<0>(a * a); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::logcumsumexp<1>(tt::transpose<0, 2>(a)); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumprod(a, 0); }, leaf<double, tt::Shape<>>({})));
  CHECK(tt::gradcheck([](const auto& a) { return tt::cumprod<0>(a); }, leaf<std::complex<double>, Vector>({4})));
  tt::Variable<double, tt::Shape<4>> zeros{{2, 0, 3, 0}};
  zeros.requires_grad_();
  tt::backward(tt::sum(tt::cumprod<0>(zeros)));
  CHECK(values(zeros.grad()) == list{1, 2 + 2 * 3, 0, 0});
  const auto row = leaf<double, Vector>({700}, -1, 1), copy = leaf<double, Vector>({700}, -1, 1);  // several pieces
  tt::backward(tt::sum(tt::logcumsumexp<0>(row) * tt::arange<double>(700)));
  const tt::Tensor y = tt::log(tt::cumsum<0>(exp(copy)));
  tt::backward(tt::sum(y * tt::arange<double>(700)));
  const list got = values(row.grad()), want = values(copy.grad());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(want[i]).epsilon(1e-9));
  tt::Variable<double, tt::Shape<3>> low{{-1000, 0, -1000}};
  low.requires_grad_();
  tt::backward(tt::sum(tt::logcumsumexp<0>(low)));
  CHECK(values(low.grad()) == list{1, 2, 0});
  const auto leaf_of_y = leaf<double, Vector>({4}, 0.5, 2), leaf_of_z = leaf<double, Vector>({4}, 0.5, 2);
  const tt::Tensor written = leaf_of_y * 1, z = leaf_of_z * 1;
  tt::cumprod_<0>(written);
  call("cumprod_", {z, 0});
  tt::backward(tt::sum(written)), tt::backward(tt::sum(z));
  const list slopes = values(leaf_of_y.grad()), v = values(leaf_of_y);
  CHECK(values(leaf_of_z.grad()) == slopes);
  CHECK(slopes[3] == Approx(v[0] * v[1] * v[2]));
  const tt::Tensor<double, Vector, tt::cpu, 2> twice = numbers<double, Vector>({3});
  twice.requires_grad_();
  const tt::Tensor total = tt::sum(tt::cumprod<0>(twice));
  CHECK_THROWS_WITH(tt::grad(total, twice), Contains("cumprod can be differentiated once"));
}

TEST_CASE("cummax and cummin: values and positions, the last of ties, NaN, gradients", "[ops]") {
  const tt::Matrix<double> m{{1, 3, 2, 3}, {-1, -5, -5, 0}};
  const auto [most, at] = tt::cummax<1>(m);
  CHECK(values(most) == list{1, 3, 3, 3, -1, -1, -1, 0});
  CHECK(values(at) == list{0, 1, 1, 3, 0, 0, 0, 3});
  const auto [least, where] = tt::cummin(scattered(m), 1);
  CHECK(values(least) == list{1, 1, 1, 1, -1, -5, -5, -5});
  CHECK(values(where) == list{0, 0, 0, 0, 0, 1, 2, 2});
  CHECK(values(tt::cummax<0>(m).second) == list{0, 0, 0, 0, 0, 0, 0, 0});
  const auto [nan, from] = tt::cummin<0>(tt::Vector<float>{1, std::nanf(""), 0, std::nanf("")});
  CHECK((nan(0) == 1 && std::isnan(nan(1)) && std::isnan(nan(2))));
  CHECK(values(from) == list{0, 1, 1, 3});
  CHECK(values(tt::cummax<0>(tt::Vector<bool>{false, true, false}).second) == list{0, 1, 1});
  CHECK(tt::cummax<0>(tt::zeros<float, tt::Shape<0, 3>>()).first.numel() == 0);
  CHECK(tt::cummax(tt::Scalar<float>{3}, -1).first.item() == 3);
  for (int i = 0; i < tt::dtype_count; ++i) {
    const AnyTensor ones = tt::ones(dtype(i), {2});
    if (is_storage_only(dtype(i)) || is_complex(dtype(i)))
      CHECK_THROWS_WITH(call("cummax", {ones, 0}), Contains("tt::cummax"));
    else
      CHECK(values(call("cummin", {ones, 0}).get<tt::Argument::List>().at(1).tensor()) == list{0, 1});
  }
  const auto x = leaf<double, Cube>({2, 5, 3});
  CHECK(tt::gradcheck([](const auto& a) { return tt::cummax<1>(a).first * a; }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::cummin<2>(a * a).first; }, x));
}
