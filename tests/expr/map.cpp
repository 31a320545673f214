// Expressions: what they own, when they are refused, and how large ones are cut.
#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::same_bits;
using tests::values;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using numbers = std::vector<double>;

// ---- orders: comparisons end them, one frozen operand freezes, numbers do neither ----

namespace {
template <class E>
constexpr int order = tt::order_of<E>;
using plain = tt::Tensor<float, tt::Shape<3>>;
using tracked = tt::Variable<float, tt::Shape<3>>;
using frozen = tt::Tensor<float, tt::Shape<3>, tt::cpu, tt::frozen>;
template <class A, class B>
using add = decltype(std::declval<A>() + std::declval<B>());
template <class A, class B>
using less = decltype(std::declval<A>() < std::declval<B>());
template <class A, class B, class C>
using choice = decltype(tt::where(std::declval<A>() > 0, std::declval<B>(), std::declval<C>()));
}  // namespace
static_assert(order<add<plain, plain>> == 0 && order<add<tracked, plain>> == 1 && order<add<plain, tracked>> == 1);
static_assert(order<add<tracked, double>> == 1 && order<add<double, frozen>> == tt::frozen &&
              order<add<plain, double>> == 0);
static_assert(order<add<frozen, tracked>> == tt::frozen && order<add<tracked, frozen>> == tt::frozen &&
              order<add<frozen, plain>> == tt::frozen);
static_assert(order<less<tracked, tracked>> == 0 && order<less<frozen, tracked>> == tt::frozen);
static_assert(order<choice<tracked, plain, plain>> == 0 && order<choice<plain, tracked, double>> == 1 &&
              order<choice<plain, double, tracked>> == 1);
static_assert(order<choice<tracked, frozen, tracked>> == tt::frozen);
static_assert(order<decltype(tt::sum(std::declval<tracked>()))> == 1 &&
              order<decltype(tt::argmax(std::declval<tracked>()))> == 0);
static_assert(order<decltype(tt::to<double>(std::declval<tracked>()))> == 1 &&
              order<decltype(tt::to<std::int64_t>(std::declval<tracked>()))> == 0);
static_assert(
    order<decltype(tt::matmul(std::declval<tt::Variable<float, tt::Shape<2, 3>>>(), std::declval<frozen>()))> ==
    tt::frozen);
static_assert(order<decltype(std::declval<tracked>().detach())> == 0);

// ---- concepts, for yes and for no ----

static_assert(tt::expression<plain> && tt::expression<add<plain, plain>> && tt::expression<const tracked&>);
static_assert(!tt::expression<float> && !tt::expression<tt::AnyTensor> && !tt::expression<std::vector<float>>);
static_assert(tt::operand<int> && tt::operand<plain> && !tt::operand<const char*> && !tt::operand<std::vector<float>>);
template <class A, class B>
concept adds = requires(A a, B b) { a + b; };
static_assert(adds<plain, float> && adds<float, plain> && adds<plain, tracked> && !adds<plain, const char*>);

namespace {
auto returned() {
  const auto a = tests::numbers<double, Vector>({5}), b = tests::numbers<double, Vector>({5}, 0, 1, 2);
  return a * 2 + exp(b);
}
}  // namespace

TEST_CASE("map: an expression outlives its tensors, and may be evaluated again", "[expr]") {
  const auto e = returned();
  const auto a = tests::numbers<double, Vector>({5}), b = tests::numbers<double, Vector>({5}, 0, 1, 2);
  CHECK(same_bits(e, a * 2 + exp(b)));
  CHECK(same_bits(e, e));
  const auto copy = e;
  CHECK(same_bits(copy + 1, e + 1));
}

TEST_CASE("map: rebinding or moving a name does not touch the expressions that read it", "[expr]") {
  auto a = tests::numbers<double, Vector>({5}), b = a;
  const auto e = a * 2;
  a = tt::zeros<double, Vector>({5});
  CHECK(same_bits(e, b * 2));
  const auto c = std::move(b);
  CHECK_FALSE(b.defined());   // NOLINT: what a moved-from handle is
  CHECK(same_bits(e, c * 2));
  a = a + 1;
  a = a * a;
  CHECK(values(a) == numbers(5, 1));
}

TEST_CASE("map: a leaf that was changed in place after the expression was built is an error", "[expr]") {
  const auto a = tests::numbers<float, Vector>({4}), b = tests::numbers<float, Vector>({4});
  const auto e = a + b;
  CHECK_NOTHROW(tt::eval(e));
  b += 1;
  CHECK_THROWS_WITH(tt::eval(e), Contains("changed in place") && Contains("[4]"));
  const auto inner = tt::sum(exp(a) + b);
  tt::slice<0>(b, 0, 1) = 3;   // a view writes into the same storage
  CHECK_THROWS_WITH(tt::eval(inner), Contains("changed in place"));
  CHECK_NOTHROW(tt::eval(a + b));
}

TEST_CASE("map: a matrix that was changed after a product or a transpose read it is an error too", "[expr]") {
  const auto a = tests::numbers<float, tt::Shape<2, 2>>({2, 2}), b = tests::numbers<float, tt::Shape<2, 2>>({2, 2});
  const tt::Tensor<float, tt::Shape<2>> bias{{1, 2}};
  const auto refused = [](const auto& e, const auto& changed) {
    changed += 1;
    CHECK_THROWS_WITH(tt::eval(e), Contains("changed in place"));
  };
  refused(tt::matmul(a, b), a);
  refused(tt::matmul(a, b), b);
  refused(tt::matmul(a, tt::transpose(b)), b);
  refused(relu(tt::matmul(a, b) + bias), a);
  refused(relu(tt::matmul(a, b) + bias), bias);
  refused(tt::matmul(a, b) + bias, bias);
  refused(tt::transpose(a) + 1, a);
  refused(tt::transpose(a), a);
  const auto product = tt::matmul(a, b);
  const tt::Tensor before = product;   // computed: it keeps its result, whatever comes
  b += 1;
  CHECK(same_bits(product, before));
}

TEST_CASE("map: one tensor may stand at any place and as often as one likes", "[expr]") {
  const auto x = tests::numbers<double, Vector>({7});
  CHECK(same_bits(x + x, x * 2.0));
  const tt::Tensor y = (x + x) * (x + x) - x;
  for (tt::index_t i = 0; i < 7; ++i) CHECK(y(i) == Approx(4 * x(i) * x(i) - x(i)));
  const tt::Tensor<double, tt::Shape<2, 2>> m{{1, 2, 3, 4}};
  CHECK(values(m + tt::transpose(m)) == numbers{2, 5, 5, 8});
  CHECK(values(m * tt::select<0>(m, 0) + m) == numbers{2, 6, 6, 12});
}

TEST_CASE("map: equal names are one extent, so 1 does not broadcast against 5 under the same name", "[expr]") {
  using Named = tt::Tensor<float, tt::Shape<tt::dim("batch"), 3>>;
  using Lone = tt::Tensor<float, tt::Shape<tt::dim("batch"), 1>>;
  const Named five = tests::numbers<float, tt::Shape<tt::dim("batch"), 3>>({5, 3}),
              one = tests::numbers<float, tt::Shape<tt::dim("batch"), 3>>({1, 3});
  const Lone column = tests::numbers<float, tt::Shape<tt::dim("batch"), 1>>({5, 1});
  CHECK(tt::Tensor(five * 2 + column).sizes() == tt::dims{5, 3});
  CHECK(tt::Tensor(one + one).sizes() == tt::dims{1, 3});
  CHECK_THROWS_WITH(tt::eval(five + one),
                    Contains("equal names are one extent") && Contains("[5, 3]") && Contains("[1, 3]"));
  CHECK_THROWS_WITH(tt::eval(exp(one * 2) - (five + column)), Contains("equal names are one extent"));
  CHECK_THROWS_AS(tt::eval(tt::where(five > 0, five, one)), tt::Error);
  CHECK(tt::Tensor(five + tt::slice<0>(one, 0, 1)).sizes() == tt::dims{5, 3});   // a slice has no name
}

// ---- more than sixteen leaves: a part is stored first, and nothing else changes ----

namespace {
template <int Count, class X>
auto many(const X& x) {
  if constexpr (Count == 1) return x + 0.5;
  else return many<Count / 2>(x) * many<Count - Count / 2>(x) + x;
}
template <int Count, class X>
auto chain(const X& x) {
  if constexpr (Count == 0) return x * 1.0;
  else return chain<Count - 1>(x) + x;
}
double chain_value(double x, int count) {
  double y = x;
  for (int i = 0; i < count; ++i) y += x;
  return y;
}
template <int Count>
constexpr int leaves_of = decltype(chain<Count>(std::declval<tt::Vector<double>>()))::leaves;
}  // namespace

static_assert(leaves_of<13> == 15 && leaves_of<14> == 16 && leaves_of<15> == 2);

TEST_CASE("map: trees of more than sixteen leaves are cut", "[expr]") {
  const auto x = tests::numbers<double, Vector>({9}, -0.5, 0.5);
  const auto check = [&]<int Count>(std::integral_constant<int, Count>) {
    const tt::Tensor y = chain<Count>(x);
    for (tt::index_t i = 0; i < 9; ++i) CHECK(y(i) == chain_value(x(i), Count));
  };
  check(std::integral_constant<int, 13>{});
  check(std::integral_constant<int, 14>{});
  check(std::integral_constant<int, 15>{});
  check(std::integral_constant<int, 16>{});
  check(std::integral_constant<int, 40>{});
  const tt::Tensor a = many<20>(x), b = many<10>(x);
  for (tt::index_t i = 0; i < 9; ++i) CHECK(a(i) == Approx(b(i) * b(i) + x(i)));
}

TEST_CASE("map: gradients of a cut tree are those of its parts", "[expr]") {
  const auto x = leaf<double, Vector>({9}, -0.5, 0.5), y = leaf<double, Vector>({9}, -0.5, 0.5);
  tt::backward(sum(many<20>(x)));
  const tt::Tensor part = many<10>(y);
  tt::backward(sum(part * part + y));
  for (tt::index_t i = 0; i < 9; ++i) CHECK(x.grad()(i) == Approx(y.grad()(i)));
}

TEST_CASE("map: where takes no NaN from the branch that is not chosen", "[expr]") {
  const auto x = leaf<double, tt::Shape<4>>({4}, -1, 1);
  const tt::Tensor y = tt::where(x > 0, log(x), x);
  for (tt::index_t i = 0; i < 4; ++i) CHECK(y(i) == Approx(x(i) > 0 ? std::log(x(i)) : x(i)));
  tt::backward(sum(y));
  for (tt::index_t i = 0; i < 4; ++i) CHECK(x.grad()(i) == Approx(x(i) > 0 ? 1 / x(i) : 1));
}
