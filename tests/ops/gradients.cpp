// Each op's slope against central differences, alone and inside fused regions, under every kind of broadcasting and layout.
#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../op_families.hpp"

using tests::leaf;
using tt::dyn;
using tt::gradcheck;
using Matrix = tt::Shape<dyn, dyn>;

namespace {
template <class Op>
constexpr bool differentiable = !tests::compares<Op>;
template <class Op>
auto operand(const tt::dims& size, int k) {
  return leaf<double, Matrix>(size, tests::low_of<Op>(k), 3, std::uint64_t(k + 1));
}
/// Op over one, two or three leaves: f(function of the leaves, leaves).
template <class Op, class Function>
bool checked(Function&& wrap, const tt::dims& size, const tt::dims& other) {
  const auto a = operand<Op>(size, 0), b = operand<Op>(other, 1);
  if constexpr (tests::arity<Op> == 1) return gradcheck([&](const auto& x) { return wrap(tt::map_of<Op>(x)); }, a);
  else return gradcheck([&](const auto& x, const auto& y) { return wrap(tests::call<Op>(x, y, x * 2)); }, a, b);
}
}  // namespace

TEST_CASE("gradients: each op has the slope of central differences, whatever is broadcast", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (differentiable<Op>) {
      INFO(Op::name);
      const auto alone = [](const auto& y) { return y; };
      for (const auto& [a, b] : {std::pair<tt::dims, tt::dims>{{3, 4}, {3, 4}}, {{1, 1}, {3, 4}}, {{3, 4}, {1, 4}},
                                 {{3, 1}, {1, 4}}, {{1, 4}, {3, 1}}, {{1, 1}, {1, 1}}, {{0, 4}, {1, 4}}})
        CHECK(checked<Op>(alone, a, b));
    }
  });
}

TEST_CASE("gradients: each op inside a fused region and below a reduction", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (differentiable<Op>) {
      INFO(Op::name);
      const auto region = [](const auto& y) { return tanh(y * 0.3) + y * y; };
      CHECK(checked<Op>(region, {3, 4}, {1, 4}));
      CHECK(checked<Op>([&](const auto& y) { return sum(region(y)); }, {3, 4}, {3, 1}));
      CHECK(checked<Op>([&](const auto& y) { return tt::mean<0>(y) * 2; }, {3, 4}, {3, 4}));
    }
  });
}

TEST_CASE("gradients: each op of strided leaves and of results that are seen through views", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (differentiable<Op>) {
      INFO(Op::name);
      const auto a = operand<Op>({5, 4}, 0), b = operand<Op>({4, 3}, 1);
      CHECK(gradcheck([](const auto& x, const auto& y) {
        const tt::Tensor left = tt::slice<0>(x, 0, 5, 2);              // 3 x 4
        const tt::Tensor right = tt::transpose<0, 1>(y);               // 3 x 4
        return tt::transpose<0, 1>(tt::eval(tests::call<Op>(left, right, left + 1)));
      }, a, b));
    }
  });
}

TEST_CASE("gradients: of one operand while the other is plain, or requires none", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (differentiable<Op> && tests::arity<Op> > 1) {
      INFO(Op::name);
      const auto a = operand<Op>({3, 4}, 0), b = operand<Op>({1, 4}, 1);
      const auto op = [](const auto& x, const auto& y) { return tests::call<Op>(x, y, x * 2) + y; };
      CHECK(gradcheck(op, a, b.detach()));
      CHECK(gradcheck(op, a.detach(), b));
      const tt::Variable<double, Matrix> untracked = b.detach();   // tracked by its type only
      CHECK(gradcheck(op, a, untracked));
      CHECK_FALSE(untracked.requires_grad());
    }
  });
  const auto a = operand<tt::ops::add>({3, 4}, 0), b = operand<tt::ops::add>({3, 4}, 1), c = operand<tt::ops::add>({3, 4}, 2);
  const auto choose = [](const auto& x, const auto& y, const auto& z) { return tt::where(x > 0, y * x, z); };
  CHECK(gradcheck(choose, a.detach(), b, c));
  CHECK(gradcheck(choose, a, b.detach(), c.detach()));
  CHECK(gradcheck(choose, a, b, c.detach()));
  CHECK(gradcheck(choose, a.detach(), b.detach(), c));
}

TEST_CASE("gradients: numbers in place of operands", "[ops]") {
  const auto x = leaf<double, tt::Shape<5>>({5}, 0.2, 2);
  CHECK(gradcheck([](const auto& a) { return a + 2; }, x));
  CHECK(gradcheck([](const auto& a) { return 2 - a; }, x));
  CHECK(gradcheck([](const auto& a) { return 3 * a; }, x));
  CHECK(gradcheck([](const auto& a) { return 3 / a; }, x));
  CHECK(gradcheck([](const auto& a) { return a / 3; }, x));
  CHECK(gradcheck([](const auto& a) { return pow(a, 3); }, x));
  CHECK(gradcheck([](const auto& a) { return pow(a, -0.5); }, x));
  CHECK(gradcheck([](const auto& a) { return pow(2.5, a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::maximum(a, 0.7); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::minimum(1, a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::where(a > 1, a * a, 1); }, x));
  CHECK(gradcheck([](const auto& a) { return -a; }, x));
}

// PyTorch's conventions where there is no slope.
TEST_CASE("gradients: at kinks, ties and poles", "[ops]") {
  const auto gradient = [](auto f, std::initializer_list<double> at) {
    tt::Variable<double, tt::Shape<dyn>> x(tt::dims{tt::index_t(at.size())},
                                           std::span<const double>(at.begin(), at.size()));
    x.requires_grad_();
    tt::backward(sum(f(x)));
    return tests::values(x.grad());
  };
  using numbers = std::vector<double>;
  constexpr double inf = std::numeric_limits<double>::infinity();
  CHECK(gradient([](const auto& x) { return tt::abs(x); }, {-2, 0, -0., 3}) == numbers{-1, 0, 0, 1});
  CHECK(gradient([](const auto& x) { return relu(x); }, {-2, 0, 3}) == numbers{0, 0, 1});
  CHECK(gradient([](const auto& x) { return tt::maximum(x, x * 1.0); }, {1, 2}) == numbers{1, 1});
  CHECK(gradient([](const auto& x) { return tt::maximum(x, 1.0); }, {0, 1, 2}) == numbers{0, 0.5, 1});
  CHECK(gradient([](const auto& x) { return tt::minimum(x, 1.0); }, {0, 1, 2}) == numbers{1, 0.5, 0});
  CHECK(gradient([](const auto& x) { return sqrt(x); }, {0, 4}) == numbers{inf, 0.25});
  CHECK(gradient([](const auto& x) { return log(x); }, {0, 4}) == numbers{inf, 0.25});
  CHECK(gradient([](const auto& x) { return pow(x, 0.0); }, {0, 2}) == numbers{0, 0});
  CHECK(gradient([](const auto& x) { return pow(x, 2.0); }, {0, -3}) == numbers{0, -6});
  CHECK(gradient([](const auto& x) { return pow(0.0, x); }, {0, 2}) == numbers{0, 0});
  CHECK(gradient([](const auto& x) { return tt::where(x > 0, sqrt(x), 0); }, {0, 4}) == numbers{0, 0.25});
  CHECK(gradient([](const auto& x) { return tt::where(x > 0, 0, tt::where(x < 0, 1 / (x * x - x), 2 * x)); },
                 {0, -1, 1})[0] == 2);
  CHECK(gradient([](const auto& x) { return tt::where(x > 0, tt::where(x < 2, log(2 - x), log(x)), sqrt(-x)); },
                 {0, 2, -1, 1}) == numbers{inf, 0.5, -0.5, -1});  // sqrt(-0) is -0
  CHECK(gradient([](const auto& x) { return tt::abs(x); }, {std::nan("")}) == numbers{0});
}

TEST_CASE("gradients: reach float leaves of a double expression, and double leaves of a float one", "[ops]") {
  const auto f = leaf<float, tt::Shape<300>>({300}, 0.5, 2);
  const auto d = leaf<double, tt::Shape<300>>({300}, 0.5, 2, 9);
  tt::backward(sum(f * d + exp(f)));
  const tt::Tensor gf = f.grad();
  const tt::Tensor gd = d.grad();
  static_assert(std::is_same_v<tt::value_t<decltype(gf)>, float>);
  for (tt::index_t i = 0; i < 300; ++i) {
    CHECK(gf(i) == Approx(d(i) + std::exp(f(i))).epsilon(1e-6));
    CHECK(gd(i) == Approx(double(f(i))));
  }
  tt::backward(sum(tt::to<float>(d) * f));
  for (tt::index_t i = 0; i < 300; ++i) CHECK(d.grad()(i) == Approx(2 * double(f(i))).epsilon(1e-6));
}
