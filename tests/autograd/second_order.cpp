// Second and third derivatives, against formulas and central differences.
#include <tt/autograd.hpp>
#include <tt/autograd/gradgradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::values;
using tt::backward;
using tt::grad;
using Vector = tt::Shape<tt::dyn>;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using list = std::vector<double>;

namespace {

template <int Order, class ShapeType>
using Of = tt::Tensor<double, ShapeType, tt::cpu, Order>;

template <int Order, class ShapeType>
Of<Order, ShapeType> leaf(const tt::dims& size, double low = -2, double high = 2, std::uint64_t seed = 1) {
  Of<Order, ShapeType> x = tests::numbers<double, ShapeType>(size, low, high, seed);
  x.requires_grad_();
  return x;
}
template <class Function, class... X>
void check(const char* what, const Function& f, const X&... x) {
  INFO(what);
  CHECK(tt::gradgradcheck(f, x...));
  // The gradient that is recorded is the one that is not.
  const auto recorded = grad(tt::eval(sum(f(x...))), std::tuple(x...));
  (x.set_grad({}), ...);
  backward(sum(f(x...)));
  const auto compare = [](const tt::AnyTensor& got, const tt::AnyTensor& want) {
    const list g = values(got), w = values(want);
    for (std::size_t i = 0; i < g.size(); ++i) CHECK(g[i] == Approx(w[i]).margin(1e-12));
  };
  std::apply([&](const auto&... g) { (compare(g, x.grad()), ...); }, recorded);
  (x.set_grad({}), ...);
}

}  // namespace

TEST_CASE("second order: maps of one operand", "[autograd]") {
  const auto x = leaf<2, Vector>({5}, 0.3, 1.8);
  check("square", [](const auto& a) { return square(a) * a; }, x);
  check("reciprocal, sign", [](const auto& a) { return tt::reciprocal(a) * tt::sign(a) * a * a; }, x);
  check("exp", [](const auto& a) { return exp(a * 2); }, x);
  check("log", [](const auto& a) { return log(a); }, x);
  check("sqrt", [](const auto& a) { return sqrt(a + 1); }, x);
  check("tanh alone", [](const auto& a) { return tanh(a); }, x);
  check("tanh fused", [](const auto& a) { return tanh(a * a) + a; }, x);
  check("sigmoid", [](const auto& a) { return sigmoid(a) * 3; }, x);
  check("relu", [](const auto& a) { return relu(a) * a * a; }, x);
  check("abs, neg", [](const auto& a) { return -abs(a) * a * a; }, x);
  check("pow", [](const auto& a) { return pow(a, 3) + pow(2.5, a); }, x);
  check("sin, cos", [](const auto& a) { return sin(a * 2) * cos(a); }, x);
  check("log2, atan2", [](const auto& a) { return tt::log2(a) + tt::atan2(a, a * a + 1); }, x);
}
TEST_CASE("second order: maps of several operands, broadcast and used twice", "[autograd]") {
  const auto x = leaf<2, Matrix>({3, 4}, 0.5, 2), y = leaf<2, Matrix>({3, 4}, 0.5, 2, 2);
  const auto row = leaf<2, Vector>({4}, 0.5, 2, 3);
  const auto scalar = leaf<2, tt::Shape<>>({}, 0.5, 2, 4);
  check("mul", [&](const auto& a) { return a * y * a; }, x);
  check("div", [&](const auto& a) { return y / a + a / y; }, x);
  check("pow", [&](const auto& a) { return pow(a, y) + pow(y, a); }, x);
  check("a row", [&](const auto& a) { return tanh(x * a) * a + a; }, row);
  check("a scalar", [&](const auto& a) { return exp(x * a) / a; }, scalar);
  check("remainder, fmod", [&](const auto& a) { return (a * a * 7) % y * a + tt::fmod(y * 5, a) * a; }, x);
  check("minimum", [&](const auto& a) { return tt::minimum(a * a, y) * a + tt::maximum(a, y) * a; }, x);
  check("where", [&](const auto& a) { return tt::where(a > 1, a * a * a, exp(a)); }, x);
}
TEST_CASE("second order: reductions and views", "[autograd]") {
  const auto x = leaf<2, Matrix>({3, 4}, 0.5, 2);
  check("sum", [](const auto& a) { return tt::eval(sum(a * a)) * tt::eval(sum(a)); }, x);
  check("sum of a stored tensor", [](const auto& a) { return square(tt::sum<0>(tt::eval(a * a))); }, x);
  check("mean", [](const auto& a) { return square(tt::mean<1>(exp(a))); }, x);
  check("keepdim", [](const auto& a) { return a / tt::sum<1>(a, tt::keepdim); }, x);
  check("prod", [](const auto& a) { return tt::prod(a) + tt::prod<0>(a); }, leaf<2, Vector>({3}, 0.5, 2));
  check("amax", [](const auto& a) { return square(tt::amax<1>(a * a)); }, x);
  check("softmax", [](const auto& a) { return tt::softmax<1>(a); }, x);
  check("log_softmax", [](const auto& a) { return tt::log_softmax<1>(a) * a; }, x);
  check("views", [](const auto& a) {
    const auto t = tt::transpose(a);
    const auto part = tt::slice<0>(tt::eval(t), 1, 4, 2);
    return tt::eval(part * part) * tt::select<0>(tt::eval(tt::reshape<4, 3>(a)), 1);
  }, x);
  check("expand", [](const auto& a) { return square(tt::eval(tt::expand<2, 3, 4>(a) * a)); }, x);
}
TEST_CASE("second order: gaps in memory, no elements, no axes", "[autograd]") {
  Of<2, Matrix> x{tests::scattered(tests::numbers<double, Matrix>({3, 4}, 0.5, 2))};
  x.requires_grad_();
  const auto g = grad(tt::eval(sum(tanh(x * x) * tt::transpose(tt::eval(tt::transpose(x * x))))), x);
  const auto packed = leaf<2, Matrix>({3, 4}, 0.5, 2);
  const auto want = grad(tt::eval(sum(tanh(packed * packed) * packed * packed)), packed);
  CHECK(values(g)[7] == Approx(values(want)[7]));
  CHECK_THROWS_WITH(grad(tt::eval(sum(g * x)), x), Contains("with_order<1>"));
  CHECK(values(grad(tt::with_order<1>(sum(g * x)), x))[7] == Approx(values(grad(tt::with_order<1>(sum(want * packed)), packed))[7]));
  const auto none = leaf<2, Matrix>({0, 3});
  const auto empty = grad(tt::eval(sum(exp(none * 2)) + sum(tt::matmul(none, packed))), none);
  CHECK((empty.sizes() == tt::dims{0, 3}) == true);
  CHECK(grad(tt::eval(sum(empty)), none).numel() == 0);
  const auto scalar = leaf<2, tt::Shape<>>({}, 0.5, 2);
  const auto slope = grad(tt::eval(scalar * scalar * scalar), scalar);
  CHECK(grad(slope, scalar).item() == Approx(6 * scalar.item()));
}
TEST_CASE("second order: products of matrices and vectors", "[autograd]") {
  const auto a = leaf<2, Matrix>({3, 4}), b = leaf<2, Matrix>({4, 2}, -2, 2, 2), c = leaf<2, Matrix>({3, 2}, -2, 2, 3);
  const auto v = leaf<2, Vector>({4}, -2, 2, 4);
  check("left", [&](const auto& x) { return square(tt::matmul(x, b)); }, a);
  check("right", [&](const auto& x) { return square(tt::matmul(a, x)); }, b);
  check("transposed left", [&](const auto& x) { return square(tt::matmul(tt::transpose(x), c)); }, a);
  check("transposed right", [&](const auto& x) { return square(tt::matmul(tt::transpose(c), tt::transpose(x))); }, b.detach().defined() ? leaf<2, Matrix>({5, 3}) : a);
  check("twice", [&](const auto& x) { return tt::matmul(tt::transpose(x), x); }, a);
  check("a vector", [&](const auto& x) { return square(tt::matmul(a, x)); }, v);
  check("vectors", [&](const auto& x) { return square(tt::matmul(x, x)); }, v);
  check("a vector from the left", [&](const auto& x) { return square(tt::matmul(x, b)); }, v);
  check("a layer", [&](const auto& x) { return tanh(tt::matmul(x, b) + c) * relu(tt::matmul(x, b)); }, a);
}

namespace {
// A first derivative that is right, and a second one that is not: what its slope is does not follow from its value.
struct crooked {
  static constexpr std::string_view name = "crooked";
  template <class V> static V apply(V x) { return x * x * x; }
  template <int Operand> static auto pullback(const auto& g, const auto&, const auto& x) {
    auto cut = x;   // read as a graph, half of the history is lost
    if constexpr (requires { x.tensor(); }) cut = decltype(cut)(x.tensor().detach());
    return g * (cut * x + cut * x + cut * x);
  }
};
}  // namespace

TEST_CASE("gradgradcheck: several inputs, plain ones, tolerances, and a wrong second derivative by name", "[autograd]") {
  const auto x = tests::leaf<double, Vector>({3}, 0.5, 2), y = tests::leaf<double, Vector>({3}, 0.5, 2, 2);   // of order 1
  CHECK(tt::gradgradcheck([](const auto& a, const auto& b) { return a * a * b + exp(a / b); }, x, y));
  CHECK(tt::gradgradcheck([](const auto& a, const auto& b) { return a * a * b; }, x, y.detach()));
  const auto wrong = [](const auto& a) { return tt::map_of<crooked>(a); };
  CHECK(tt::gradcheck(wrong, x));
  CHECK_THROWS_WITH(tt::gradgradcheck(wrong, x), Contains("gradgradcheck: input 0, element [0]"));
  CHECK_FALSE(tt::gradgradcheck({.raise_exception = false}, wrong, x));
  CHECK_FALSE((x.grad().defined() || y.grad().defined()));
}

TEST_CASE("second order: elements by index", "[autograd]") {
  const auto x = leaf<2, Matrix>({3, 4}, 0.5, 2);
  const tt::Tensor<std::int64_t, tt::Shape<5>> rows{{2, 0, 2, 1, 2}};
  const tt::Tensor<std::int64_t, tt::Shape<2, 3>> places{{{0, 3, 3}, {1, 1, 0}}};
  check("index_select", [&](const auto& a) { return square(tt::index_select<0>(tt::eval(a * a), rows)); }, x);
  check("gather", [&](const auto& a) { return exp(tt::gather<1>(tt::eval(a * a), places)); }, x);
}

namespace {
struct Cube : tt::Function<Cube> {
  static constexpr const char* name = "cube";
  static auto forward(tt::FunctionContext& context, const auto& x) { return context.save_for_backward(x), x * x * x; }
  static auto backward(tt::FunctionContext& context, const auto& g) {
    const auto x = context.saved<std::remove_cvref_t<decltype(g)>>(0);
    return g * 3 * x * x;
  }
};
/// exp(a) * b from its own output, and a factor that is no tensor.
struct Scaled : tt::Function<Scaled> {
  static constexpr const char* name = "scaled";
  double factor = 0;
  auto forward(tt::FunctionContext& context, const auto& a, double f, const auto& b) {
    factor = f;
    const auto y = tt::eval(exp(a) * b * f);
    context.save_for_backward(y, a);
    return y;
  }
  auto backward(tt::FunctionContext& context, const auto& g) {
    using G = std::remove_cvref_t<decltype(g)>;
    return std::tuple(g * context.saved<G>(0), g * exp(context.saved<G>(1)) * factor);
  }
};
/// Reads what it saved as a plain tensor: right once, but not twice.
struct Forgets : tt::Function<Forgets> {
  static auto forward(tt::FunctionContext& context, const auto& x) { return context.save_for_backward(x), x * x; }
  static auto backward(tt::FunctionContext& context, const auto& g) { return g * 2 * context.saved<Of<0, Vector>>(0); }
};
struct Pair : tt::Function<Pair> {
  static constexpr const char* name = "pair";
  static auto forward(tt::FunctionContext&, const auto& x) { return std::tuple(tt::eval(x * 2), tt::eval(x * 3)); }
  static auto backward(tt::FunctionContext&, const auto& a, const auto& b) { return a * 2 + b * 3; }
};
}  // namespace

TEST_CASE("second order: functions of one's own, whose backward is differentiated", "[autograd]") {
  const auto x = leaf<2, Vector>({3}, 0.5, 2), y = leaf<2, Vector>({3}, 0.5, 2, 2);
  check("saved inputs", [](const auto& a) { return Cube::apply(a * a) + Cube::apply(a); }, x);
  check("a saved output", [](const auto& a, const auto& b) { return Scaled::apply(a, 2., b) * a; }, x, y);
  check("one operand", [&](const auto& a) { return Scaled::apply(a, 2., y.detach()); }, x);
  const auto third = leaf<3, Vector>({2}, 0.5, 2);
  const auto first = grad(tt::eval(sum(Cube::apply(third))), third);
  const auto second = grad(tt::eval(sum(first)), third);
  CHECK(values(grad(tt::eval(sum(second)), third)) == list{6, 6});
  CHECK_THROWS_WITH(grad(tt::eval(sum(Forgets::apply(x))), x), Contains("saved tensor 0") && Contains("history"));
  const auto [a, b] = Pair::apply(x);
  CHECK_THROWS_WITH(grad(tt::eval(sum(a * b)), x), Contains("pair") && Contains("once"));
  backward(sum(a + b));
  CHECK(values(x.grad()) == list{5, 5, 5});
}

TEST_CASE("second order: the order falls, plain gradients stay where they are, and mixed orders meet", "[autograd]") {
  const auto x = leaf<2, Vector>({3}, 0.5, 2);
  const auto w = leaf<1, Vector>({3}, 0.5, 2, 2);
  const tt::Tensor y = sum(x * x * x * w);
  CHECK(decltype(y)::order == 2);
  const auto g = grad(y, x);
  CHECK(std::is_same_v<decltype(g), const Of<1, Vector>>);
  CHECK_FALSE((x.grad().defined() || w.grad().defined()));
  backward(sum(square(g)));   // 6 x^2 w * .. : a gradient penalty reaches the parameter of order 1 too
  for (int i = 0; i < 3; ++i) {
    const double xi = x(i), wi = w(i), first = 3 * xi * xi * wi;
    CHECK(g(i) == Approx(first));
    CHECK(x.grad()(i) == Approx(2 * first * 6 * xi * wi));
    CHECK(w.grad()(i) == Approx(2 * first * 3 * xi * xi));
  }
  CHECK(std::is_same_v<decltype(grad(y, w)), Of<0, Vector>>);
  CHECK(values(grad(y, w))[1] == Approx(std::pow(x(1), 3)));
  const auto [dx, dw] = grad(tt::eval(sum(x * w)), std::tuple(x, w));
  CHECK(decltype(dx)::order == 0);
  CHECK(values(dw) == values(x));
}

TEST_CASE("second order: a third derivative", "[autograd]") {
  const auto x = leaf<3, Vector>({4}, 0.5, 2);
  const auto first = grad(tt::eval(sum(exp(x * 2) + x * x * x * x)), x);
  const auto second = grad(tt::eval(sum(first)), x);
  const auto third = grad(tt::eval(sum(second)), x);
  CHECK((decltype(first)::order == 2 && decltype(second)::order == 1 && decltype(third)::order == 0));
  for (int i = 0; i < 4; ++i) CHECK(third(i) == Approx(8 * std::exp(2 * x(i)) + 24 * x(i)));
}

TEST_CASE("second order: floats, float leaves among doubles, and numbers that are not tracked", "[autograd]") {
  tt::Tensor<float, Vector, tt::cpu, 2> x = tests::numbers<float, Vector>({3}, 0.5, 2);
  x.requires_grad_();
  const auto g = grad(tt::eval(sum(x * x * x)), x);
  CHECK(values(grad(tt::eval(sum(g)), x))[0] == Approx(6 * x(0)));
  const auto d = leaf<2, Vector>({3}, 0.5, 2);
  const tt::Tensor<std::int64_t, Vector> n{tt::AnyTensor(tt::arange<std::int64_t>(3))};
  const auto mixed = grad(tt::eval(sum(x * d * d * n * x)), x);
  CHECK(std::is_same_v<decltype(mixed)::value_type, float>);
  CHECK(values(grad(tt::eval(sum(mixed)), d, {.retain_graph = true}))[2] == Approx(2 * x(2) * 2 * d(2) * 2));
  CHECK(values(grad(tt::eval(sum(mixed)), x))[2] == Approx(2 * d(2) * d(2) * 2));
}

TEST_CASE("second order: NaN of a branch that was not taken stays out of the first derivative", "[autograd]") {
  Of<2, Vector> x = tt::zeros<double, Vector>({2});
  x.requires_grad_();
  const auto g = grad(tt::eval(sum(tt::where(x > 1, sqrt(x), x * x))), x);
  CHECK(values(g) == list{0, 0});
  CHECK(std::isnan(grad(tt::eval(sum(g)), x)(0)));   // which is not one region any more: docs/autograd.md
}

TEST_CASE("second order: hooks, unused tensors, what has no second derivative, changes in place", "[autograd]") {
  const auto x = leaf<2, Vector>({3}, 0.5, 2);
  const tt::Tensor h = x * x;
  h.register_hook([](const Of<1, Vector>& g) { return g * 2; });
  const auto g = grad(tt::eval(sum(h * h)), x);
  CHECK(g(0) == Approx(8 * std::pow(x(0), 3)));
  CHECK(values(grad(tt::eval(sum(g)), x))[0] == Approx((8 + 32) * x(0) * x(0)));   // h's hook was called again
  const auto linear = grad(tt::eval(sum(x * 3)), x);   // a constant
  CHECK_FALSE(linear.requires_grad());
  CHECK_THROWS_WITH(grad(tt::eval(sum(linear)), x), Contains("does not depend"));
  CHECK(values(grad(tt::eval(sum(linear)), x, {.materialize_grads = true})) == list{0, 0, 0});
  const tt::Tensor<std::int64_t, tt::Shape<1>> label{0};
  CHECK_THROWS_WITH(grad(tt::cross_entropy(tt::reshape<1, 3>(x), label), x), Contains("cross_entropy") && Contains("once"));
  const tt::Tensor changed = exp(x * x);
  x.detach() += 1;
  CHECK_THROWS_WITH(grad(tt::eval(sum(changed)), x), Contains("exp") && Contains("version"));
}
