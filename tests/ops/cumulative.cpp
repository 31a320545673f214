// cumsum: every axis, layout, dtype and length; reversed it is its own gradient.
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
