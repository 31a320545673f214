// Truth values elementwise, and of whole tensors and axes.
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::AnyTensor;
using tt::call;
using tt::dtype;
using tt::keepdim;
using Vector = tt::Shape<tt::dyn>;
using Cube = tt::Shape<tt::dyn, tt::dyn, tt::dyn>;
using list = std::vector<double>;

static_assert(std::is_same_v<tt::value_t<decltype(tt::all(tt::Vector<float>()))>, bool>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::any(tt::Vector<std::uint8_t>()))>, std::uint8_t>);
static_assert(std::is_same_v<tt::shape_t<decltype(tt::all<1>(tt::Tensor<float, tt::Shape<2, 3>>(), keepdim))>,
                             tt::Shape<2, 1>>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::count_nonzero(tt::Vector<bool>()))>, std::int64_t>);

TEST_CASE("logical: what is not 0 is true, in every dtype, NaN too", "[ops]") {
  const tt::Tensor<float, tt::Shape<4>> a{{0, -0.f, std::nanf(""), 1e-30f}};
  const tt::Tensor<std::int64_t, tt::Shape<4>> b{{0, 5, 0, -1}};
  CHECK(values(tt::logical_and(a, b)) == list{0, 0, 0, 1});
  CHECK(values(tt::logical_or(a, b)) == list{0, 1, 1, 1});
  CHECK(values(tt::logical_xor(a, b)) == list{0, 1, 1, 0});
  CHECK(values(tt::logical_not(a)) == list{1, 1, 0, 0});
  for (int i = 0; i < tt::dtype_count; ++i) {
    const dtype type = dtype(i);
    if (is_storage_only(type)) continue;
    const AnyTensor one = tt::ones(type, {2}), none = tt::zeros(type, {2});
    INFO(tt::name_of(type));
    CHECK(call("logical_and", {one, none}).tensor().dtype() == dtype::boolean);
    CHECK(values(call("logical_xor", {one, none}).tensor()) == list{1, 1});
    CHECK(values(call("logical_not_", {one}).tensor()) == list{0, 0});
    CHECK(one.dtype() == type);
    CHECK(values(call("logical_or_", {one, tt::ones(dtype::boolean, {})}).tensor()) == list{1, 1});
  }
  const tt::Vector<double> x{3, 0};
  CHECK(values(tt::logical_xor_(tt::logical_not_(x), tt::Vector<bool>{true, true})) == list{1, 0});
  CHECK(values(tt::logical_or_(tt::logical_and_(x, x), x)) == list{1, 0});
  CHECK(!call("logical_not", {leaf<double, Vector>({2})}).tensor().requires_grad());
}

TEST_CASE("all, any and count_nonzero: every axis, layout and length", "[ops]") {
  for (tt::index_t n : {1, 3, 70, 300}) {
    const auto plain = numbers<float, Cube>({4, n, 3}, -1, 2);
    for (tt::index_t i = 0; i < plain.numel(); ++i)
      if (plain.data()[i] < 0.9f) plain.data()[i] = 0;
    for (const auto& x : {plain, scattered(plain)}) {
      const tt::Tensor every = tt::all<1>(x);
      const tt::Tensor count = tt::count_nonzero<1>(x);
      const tt::Tensor some = tt::any(x, 1, keepdim);
      CHECK(some.sizes() == tt::dims{4, 1, 3});
      for (tt::index_t i = 0; i < 4; ++i)
        for (tt::index_t k = 0; k < 3; ++k) {
          std::int64_t want = 0;
          for (tt::index_t j = 0; j < n; ++j) want += x(i, j, k) != 0;
          CHECK(count(i, k) == want);
          CHECK(every(i, k) == (want == n));
          CHECK(some(i, 0, k) == (want > 0));
        }
      CHECK(values(tt::count_nonzero(x)) == list{values(tt::sum(count))[0]});
      CHECK(values(tt::all(x, {0, 2})) == values(tt::all<0, 2>(x)));
      CHECK(values(tt::any(x, {0})) == values(tt::any(x, 0)));
      CHECK(values(tt::all(x, {1}, keepdim)) == values(tt::all<1>(x)));
      CHECK(values(tt::count_nonzero(x, {1})) == values(tt::count_nonzero(x, 1)));
      CHECK(values(tt::any<0>(x, keepdim)) == values(tt::any(x, 0)));
      CHECK(values(tt::count_nonzero(x, {1, 2})) == values(tt::count_nonzero<1, 2>(x)));
      CHECK(values(tt::count_nonzero(x, -1)) == values(tt::count_nonzero<2>(x)));
    }
  }
}

TEST_CASE("all and any: of nothing, of one, NaN, every dtype; not on the tape", "[ops]") {
  const auto none = tt::zeros<float, tt::Shape<0, 3>>();
  CHECK(values(tt::all(none)) == list{1});
  CHECK(values(tt::any(none)) == list{0});
  CHECK(values(tt::all<0>(none)) == list{1, 1, 1});
  CHECK(values(tt::any<1>(none)).empty());
  CHECK(values(tt::all(tt::Scalar<double>{0.25}, -1)) == list{1});
  CHECK(values(tt::all(tt::Vector<float>{std::nanf(""), -1e-30f})) == list{1});
  CHECK(values(tt::any(tt::Vector<float>{0, -0.f})) == list{0});
  CHECK(tt::eval(tt::all(numbers<double, Vector>({9}) < 5)).item());
  for (int i = 0; i < tt::dtype_count; ++i) {
    const dtype type = dtype(i);
    if (is_storage_only(type)) continue;
    INFO(tt::name_of(type));
    const AnyTensor x = tt::zeros(type, {2, 3});
    x.with_layout({1}, x.strides(), 1).copy_(tt::ones(type, {1}));
    const AnyTensor every = call("all", {x, 0}).tensor(), some = call("any", {x, {0}, true}).tensor();
    CHECK(every.dtype() == (type == dtype::uint8 ? type : dtype::boolean));
    CHECK(values(every) == list{0, 0, 0});
    CHECK(some.sizes() == tt::dims{1, 3});
    CHECK(values(some) == list{0, 1, 0});
    CHECK(values(call("count_nonzero", {x}).tensor()) == list{1});
  }
  const auto x = leaf<double, Vector>({3});
  for (const char* op : {"all", "any", "count_nonzero"}) CHECK(!call(op, {x}).tensor().requires_grad());
  CHECK_THROWS_WITH(tt::any(x, 1), Contains("tt::any: axis 1 of a tensor with 1 axes"));
}
