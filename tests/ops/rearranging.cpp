#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::same_bits;
using tests::scattered;
using tests::values;
using tt::dim;
using tt::dyn;
using tt::gradcheck;
using tt::Shape;
using Matrix = Shape<dyn, dyn>;
using Cube = Shape<dyn, dyn, dyn>;
using list = std::vector<double>;

namespace {
template <class E>
using shape = tt::shape_t<E>;
using X = tt::Tensor<float, Shape<2, 3, dim("n")>>;

/// Element by element: out(index) = x(where(index)).
template <class Where>
void check_elements(const tt::Dyn<double, 3>& out, const tt::Dyn<double, 3>& x, Where&& where) {
  for (tt::index_t i = 0; i < out.size(0); ++i)
    for (tt::index_t j = 0; j < out.size(1); ++j)
      for (tt::index_t k = 0; k < out.size(2); ++k) {
        const auto [a, b, c] = where(i, j, k);
        CHECK(out(i, j, k) == x(a, b, c));
      }
}
struct at {
  tt::index_t i, j, k;
};
tt::index_t wrapped(tt::index_t i, tt::index_t n) { return (i % n + n) % n; }
}  // namespace
static_assert(std::is_same_v<shape<decltype(tt::flip<0, -1>(std::declval<X>()))>, shape<X>>);
static_assert(std::is_same_v<shape<decltype(tt::rot90<1>(std::declval<X>()))>, Shape<3, 2, dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::rot90<-2, 1, 2>(std::declval<X>()))>, shape<X>>);
static_assert(std::is_same_v<shape<decltype(tt::repeat<4, 1, 2, 1>(std::declval<X>()))>, Shape<4, 2, 6, dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::tile<2, 2>(std::declval<X>()))>, Shape<2, 6, dyn>>);
static_assert(
    std::is_same_v<shape<decltype(tt::tile<5, 1>(std::declval<tt::Tensor<int64_t, Shape<3>>>()))>, Shape<5, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::repeat_interleave<1, 3>(std::declval<X>()))>, Shape<2, 9, dim("n")>>);
static_assert(std::is_same_v<shape<decltype(tt::repeat_interleave<2, 3>(std::declval<X>()))>, Shape<2, 3, dyn>>);

TEST_CASE("flip, roll and rot90 move each element where their definition says", "[ops]") {
  const auto base = numbers<double, Cube>({3, 4, 5});
  for (const auto& x : {base, scattered(base), tt::Dyn<double, 3>(tt::permute<2, 0, 1>(base))}) {
    const tt::index_t n = x.size(0), m = x.size(1), l = x.size(2);
    check_elements(tt::flip<0, 2>(x), x, [&](auto i, auto j, auto k) { return at{n - 1 - i, j, l - 1 - k}; });
    check_elements(tt::flip(x, {-2}), x, [&](auto i, auto j, auto k) { return at{i, m - 1 - j, k}; });
    check_elements(tt::roll<1>(x, 3), x, [&](auto i, auto j, auto k) { return at{i, wrapped(j - 3, m), k}; });
    check_elements(tt::roll(x, {-1, 2, 7}, {0, 1, 2}), x, [&](auto i, auto j, auto k) {
      return at{wrapped(i + 1, n), wrapped(j - 2, m), wrapped(k - 7, l)};
    });
    check_elements(tt::roll(x, {1, 1}, {2, -1}), x, [&](auto i, auto j, auto k) {
      return at{i, j, wrapped(k - 2, l)};
    });
    check_elements(tt::rot90<1>(x), x, [&](auto i, auto j, auto k) { return at{j, m - 1 - i, k}; });
    check_elements(tt::rot90(x, 2, 1, 2), x, [&](auto i, auto j, auto k) { return at{i, m - 1 - j, l - 1 - k}; });
    check_elements(tt::rot90(x, -1, 0, 2), x, [&](auto i, auto j, auto k) { return at{n - 1 - k, j, i}; });
    check_elements(tt::rot90<3, 2, 0>(x), x, [&](auto i, auto j, auto k) { return at{k, j, l - 1 - i}; });
    CHECK(values(tt::fliplr(x)) == values(tt::flip<1>(x)));
    CHECK(values(tt::flipud(x)) == values(tt::flip<0>(x)));
    CHECK(values(tt::rot90(x, 5)) == values(tt::rot90(x)));
    auto flat = values(x);
    std::rotate(flat.begin(), flat.end() - 7, flat.end());
    CHECK(values(tt::roll(x, 7)) == flat);
    CHECK(tt::roll(x, 7).sizes() == x.sizes());
    CHECK(tests::same_bits(tt::roll(x, INT64_MIN), tt::roll(x, INT64_MIN % 60)));
  }
}

TEST_CASE("repeat and tile put the tensor after itself, repeat_interleave each element", "[ops]") {
  const auto base = numbers<double, Cube>({2, 3, 4});
  for (const auto& x : {base, scattered(base)}) {
    const auto wrap = [](auto i, auto j, auto k) { return at{i % 2, j % 3, k % 4}; };
    check_elements(tt::repeat<2, 1, 3>(x), x, wrap);
    check_elements(tt::repeat(x, {1, 3, 2}), x, wrap);
    check_elements(tt::tile<2>(x), x, wrap);
    check_elements(tt::tile(x, {3, 1}), x, wrap);
    CHECK(values(tt::repeat<2, 1, 1, 1>(x)) == values(tt::stack(x, x)));
    CHECK(values(tt::tile(x, {2, 1, 1, 1})) == values(tt::stack(x, x)));
    check_elements(tt::repeat_interleave<1, 2>(x), x, [](auto i, auto j, auto k) { return at{i, j / 2, k}; });
    check_elements(tt::repeat_interleave(x, 3, -1), x, [](auto i, auto j, auto k) { return at{i, j, k / 3}; });
    const tt::Tensor<std::int64_t, Shape<3>> counts{{2, 0, 1}};
    check_elements(tt::repeat_interleave(x, counts, 1), x, [](auto i, auto j, auto k) {
      return at{i, j < 2 ? 0 : 2, k};
    });
  }
  CHECK(values(tt::repeat_interleave(tt::arange<float>(3), 2)) == list{0, 0, 1, 1, 2, 2});
  CHECK(values(tt::tile<2, 3>(tt::Scalar<float>{4})) == list(6, 4));
  CHECK(tt::repeat(tt::arange(3), {2, 0}).sizes() == tt::dims{2, 0});
  CHECK(tt::tile<0>(tt::zeros<float, Shape<2, 3>>()).sizes() == tt::dims{2, 0});
}

TEST_CASE("rearranging: as many axes as there are, and tensors without elements", "[ops]") {
  tt::dims sixteen, twos;
  for (int i = 0; i < 16; ++i) sixteen.push_back(i % 2 ? 1 : 2), twos.push_back(i < 12 ? 2 : 1);
  const tt::AnyTensor x = tt::detail::reshape_view(tt::arange<double>(256), sixteen, nullptr);
  const tt::AnyTensor repeated = tt::detail::run_repeat("repeat", x, twos, nullptr);
  CHECK(repeated.numel() == 256 << 12);
  // Axis by axis, which never takes more than one move's axes.
  tt::AnyTensor step = x;
  for (int i = 0; i < 12; ++i) {
    tt::dims one;
    for (int j = 0; j < 16; ++j) one.push_back(i == j ? 2 : 1);
    step = tt::detail::run_repeat("repeat", step, one, nullptr);
  }
  CHECK(tests::same_bits(repeated, step));
  const tt::AnyTensor deep = tt::detail::run_interleave(x, 3, 14, nullptr);
  CHECK(values(deep) == values(tt::repeat_interleave(tt::arange<double>(256), 3)));
  CHECK(tt::detail::run_interleave(x, 0, 14, nullptr).numel() == 0);
  const auto none = tt::zeros<float, Shape<3, 0, 2>>();
  CHECK(tt::flip<0, 1>(none).sizes() == none.sizes());
  CHECK(tt::roll<1>(none, 5).sizes() == none.sizes());
  CHECK(tt::roll(none, 5).sizes() == none.sizes());
  CHECK(tt::rot90<1>(none).sizes() == tt::dims{0, 3, 2});
  CHECK(tt::repeat<2, 2, 2>(none).sizes() == tt::dims{6, 0, 4});
  CHECK(tt::flip<0>(tt::Scalar<float>{3}).item() == 3);
}

TEST_CASE("rearranging: what makes no sense is refused", "[ops]") {
  const auto x = numbers<float, Matrix>({2, 3});
  CHECK_THROWS_AS(tt::flip(x, {2}), tt::IndexError);
  CHECK_THROWS_WITH(tt::flip(x, {0, -2}), Contains("named twice"));
  CHECK_THROWS_AS(tt::roll(x, {1}, {2}), tt::IndexError);
  CHECK_THROWS_WITH(tt::rot90(x, 1, 0, -2), Contains("differ"));
  CHECK_THROWS_WITH(tt::repeat(x, {2}), Contains("1 repeats") && Contains("2 axes"));
  CHECK_THROWS_WITH(tt::repeat(x, {2, -1}), Contains("-1 times"));
  CHECK_THROWS_WITH(tt::repeat(x, {INT64_MAX, 2}), Contains("too many"));
  CHECK_THROWS_AS(tt::repeat(x, {tt::index_t(1) << 40, tt::index_t(1) << 40}), tt::Error);
  CHECK_THROWS_AS(tt::repeat_interleave(x, 2, 2), tt::IndexError);
  CHECK_THROWS_WITH(tt::repeat_interleave(x, -2, 0), Contains("-2 times"));
  CHECK_THROWS_WITH(tt::repeat_interleave(x, tt::Tensor<std::int64_t, Shape<2>>{{1, -1}}, 0), Contains("-1 times"));
  CHECK_THROWS_WITH(tt::repeat_interleave(x, tt::Tensor<std::int64_t, Shape<3>>{{1, 1, 1}}, 0),
                    Contains("an axis of 2"));
}

TEST_CASE("rearranging: every dtype moves unchanged, NaN too", "[ops]") {
  const auto check = []<class Type>(Type) {
    const auto x = numbers<Type, Cube>({2, 3, 4}, -9, 9);
    CHECK(tests::same_bits(tt::flip<0>(tt::flip<0>(x)), x));
    CHECK(tests::same_bits(tt::roll<2>(tt::roll<2>(x, 3), -3), x));
    CHECK(tests::same_bits(tt::rot90(tt::rot90(x, 1), 3), x));
    CHECK(tests::same_bits(tt::slice<0>(tt::repeat<2, 1, 1>(x), 2, 4), x));
    CHECK(tests::same_bits(tt::slice<1>(tt::repeat_interleave(x, 2, 1), 0, 6, 2), x));
  };
  for (int i = 0; i < tt::dtype_count; ++i) tt::visit(tt::dtype(i), check);
  const tt::Tensor<float, Shape<2>> odd{{NAN, -0.f}};
  CHECK(tests::same_bits(tt::flip<0>(tt::flip<0>(odd)), odd));
}

TEST_CASE("rearranging: gradients go back, and add up where elements were repeated", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 2});
  CHECK(gradcheck([](const auto& a) { return tt::flip<0, 2>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::flip<1>(tt::transpose<0, 1>(a)) * sum(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::roll(a, {1, 2}, {0, 1}) * a; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::roll(a, 5); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::rot90<1, 0, 2>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::rot90(a, -1, 1, 0) * 3; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::repeat<2, 1, 1, 3>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::tile<2>(a * a) + 1; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::repeat(a, {1, 0, 2}); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::repeat_interleave<1, 2>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::repeat_interleave(a, 2); }, x));
  const tt::Tensor<std::int64_t, Shape<3>> counts{{2, 0, 1}};
  CHECK(gradcheck([&](const auto& a) { return tt::repeat_interleave(a, counts, 1); }, x));
}

TEST_CASE("rearranging: gradients of every dtype that has them, exactly", "[ops]") {
  const auto check = []<class Type>(Type) {
    INFO(tt::name_of(tt::dtype_of<Type>));
    const auto x = leaf<Type, Cube>({2, 3, 2});
    const auto times = [&](const auto& y, double n) {  // every element was moved n times
      tt::backward(y, tt::ones_like(y).detach());
      CHECK(same_bits(x.grad(), tt::full_like(x, n).detach()));
      x.set_grad({});
    };
    times(tt::flip<0, 1>(x), 1);
    times(tt::roll(x, {1, 1}, {0, 2}), 1);
    times(tt::repeat<2, 1, 1, 3>(x), 6);
    times(tt::repeat_interleave(x, 3, 1), 3);
    times(tt::cat<1>(x, x), 2);
    times(tt::stack<3>(x, x, x), 3);
    times(tt::tril(x, 2), 1);
    times(tt::diag_embed(x, 1), 1);
  };
  for (tt::dtype t : {tt::dtype::float16, tt::dtype::bfloat16, tt::dtype::float32, tt::dtype::float64,
                      tt::dtype::complex64, tt::dtype::complex128})
    tt::visit_differentiable(t, check);
}

TEST_CASE("rearranging: handlers see the operation, and no_grad keeps it off the tape", "[ops]") {
  struct Seen final : tt::DispatchHandler {
    std::vector<std::string> ops;
    tt::AnyTensor operator()(const tt::Call& call, tt::Next next) override {
      ops.push_back(std::string(call.kind) + " " + std::string(call.names[0]) + " " +
                    std::to_string(call.inputs.size()));
      return next();
    }
  } seen;
  const auto x = leaf<double, Cube>({2, 3, 2});
  {
    const tt::include_dispatch_key guard(tt::dispatch_key::profiler, seen);
    tt::flip<0>(x), tt::cat<0>(x, x, x), tt::tril(x);
  }
  CHECK(seen.ops == std::vector<std::string>{"move flip 1", "move cat 3", "move tril 1"});
  const tt::no_grad guard;
  CHECK_FALSE(tt::flip<0>(x).requires_grad());
}
