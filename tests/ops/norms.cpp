// Norms of every order: values, axes, zeros, nothing, dtypes, gradients.
#include <tt/autograd/gradcheck.hpp>
#include <tt/autograd/gradgradcheck.hpp>
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::scattered;
using tests::values;
using tt::call;
using tt::keepdim;
using Vector = tt::Shape<tt::dyn>;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using list = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

using X = tt::Tensor<float, tt::Shape<2, 3>>;
static_assert(std::is_same_v<decltype(tt::norm(std::declval<X>())), tt::Tensor<float, tt::Shape<>>>);
static_assert(std::is_same_v<decltype(tt::norm<1>(std::declval<X>(), 3, keepdim)), tt::Tensor<float, tt::Shape<2, 1>>>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::norm(tt::Vector<std::complex<float>>()))>, float>);

namespace {

double length(const list& x, double p) {
  double total = 0, most = 0, least = infinity;
  for (double v : x) {
    total += p == 0 ? v != 0 : std::pow(std::abs(v), p);
    most = std::max(most, std::abs(v)), least = std::min(least, std::abs(v));
  }
  return p == infinity ? most : p == -infinity ? least : p == 0 ? total : std::pow(total, 1 / p);
}

}  // namespace

TEST_CASE("norm: every order, axis and layout, typed and by name", "[ops]") {
  const auto plain = numbers<double, Matrix>({7, 40}, -3, 3);
  plain(2, 5) = 0;
  for (const auto& x : {plain, scattered(plain)})
    for (double p : {2., 1., 0., 0.5, 3., -1., -2.5, infinity, -infinity}) {
      INFO(p);
      const tt::Tensor y = tt::norm<1>(x, p);
      for (tt::index_t i = 0; i < 7; ++i) {
        list row;
        for (tt::index_t j = 0; j < 40; ++j) row.push_back(x(i, j));
        CHECK(y(i) == Approx(length(row, p)).epsilon(1e-12));
      }
      CHECK(tt::norm(x, p).item() == Approx(length(values(x), p)).epsilon(1e-12));
      CHECK(values(tt::norm(x, p, -1, keepdim)) == values(y));
      CHECK(values(tt::norm(x, p, {1})) == values(y));
      CHECK(values(tt::norm(x, p, {0, 1})) == values(tt::norm(x, p)));
      CHECK(values(call("linalg.vector_norm", {x, p, 1}).tensor()) == values(y));
      CHECK(values(call("norm", {x, p, {1}, true}).tensor()) == values(y));
    }
  CHECK(values(tt::norm<0>(plain)) == values(tt::norm<0>(plain, 2)));
  CHECK(tt::norm<1>(plain, keepdim).sizes() == tt::dims{7, 1});
}

TEST_CASE("norm: matrices by name, orders that are none, dtypes", "[ops]") {
  const tt::Matrix<double> m{{1, -2}, {-3, 4}};
  const auto named = [&](tt::Argument order) { return call("linalg.norm", {m, order}).tensor().item<double>(); };
  CHECK(named(1) == 6);
  CHECK(named(-1) == 4);
  CHECK(named(infinity) == 7);
  CHECK(named(-infinity) == 3);
  CHECK(named("fro") == Approx(std::sqrt(30.)));
  CHECK(call("norm", {m, "fro"}).tensor().item<double>() == Approx(std::sqrt(30.)));
  CHECK(call("linalg.norm", {m}).tensor().item<double>() == Approx(std::sqrt(30.)));
  CHECK(values(call("linalg.norm", {m, 1, {1, 0}, true}).tensor()) == list{7});
  CHECK(values(call("linalg.matrix_norm", {m, infinity}).tensor()) == list{7});
  CHECK(call("linalg.matrix_norm", {m}).tensor().item<double>() == Approx(std::sqrt(30.)));
  CHECK_THROWS_WITH(call("linalg.matrix_norm", {tt::ones(tt::dtype::float32, {2})}), Contains("two axes"));
  CHECK(tt::dist(m, tt::Vector<double>{1, -2}, 1).item() == 10);
  CHECK(call("dist", {m, m, 3}).tensor().item<double>() == 0);
  CHECK_THROWS_AS(named("nuc"), tt::not_implemented);
  CHECK_THROWS_AS(named(2), tt::not_implemented);
  CHECK_THROWS_WITH(named("max"), Contains("not 'max'"));
  CHECK_THROWS_WITH(call("linalg.norm", {tt::zeros(tt::dtype::float32, {2, 2, 2}), 1}), Contains("[2, 2, 2]"));
  CHECK_THROWS_WITH(call("norm", {m, "max"}), Contains("not 'max'"));
  CHECK_THROWS_WITH(call("norm", {tt::ones(tt::dtype::int64, {2})}), Contains("tt::norm") && Contains("int64"));
  const tt::AnyTensor ones = tt::ones(tt::dtype::float32, {4});
  const tt::AnyTensor wide = call("linalg.vector_norm", {ones}, {{"dtype", tt::dtype::float64}}).tensor();
  CHECK((wide.dtype() == tt::dtype::float64 && wide.item<double>() == 2));
  CHECK(double(tt::norm(tt::full<tt::half, Vector>({400}, 20)).item()) == 400);  // the squares overflow
  CHECK(tt::norm(tt::Vector<std::complex<double>>{{3, 4}, {0, 12}}).item() == Approx(13));
  CHECK(tt::norm(tt::Vector<std::complex<double>>{{3, 4}, {0, 12}}, 1).item() == Approx(17));
}

TEST_CASE("norm: of nothing, of one, of NaN", "[ops]") {
  const auto none = tt::zeros<float, tt::Shape<0, 3>>();
  CHECK(values(tt::norm<0>(none)) == list{0, 0, 0});
  CHECK(tt::norm(none, 3).item() == 0);
  CHECK(tt::norm(none, 0).item() == 0);
  CHECK(tt::norm<1>(none, infinity).numel() == 0);
  CHECK_THROWS_AS(tt::norm<0>(none, infinity), tt::Error);
  CHECK_THROWS_WITH(tt::norm(none, -1), Contains("of nothing"));
  CHECK(tt::norm(tt::Scalar<double>{-3}, 5, 0).item() == Approx(3));
  for (double p : {2., 1., 3., infinity}) CHECK(std::isnan(tt::norm(tt::Vector<double>{1, std::nan("")}, p).item()));
  CHECK(tt::norm(tt::Vector<double>{0, std::nan("")}, 0).item() == 1);
}

TEST_CASE("norm: values and slopes where powers of the elements are no numbers of the dtype", "[ops]") {
  // norm(c x) = c norm(x), and the gradient is the same: rows of one vector and its multiples, by powers of 2.
  const auto check = []<class Number>(Number, int exponent) {
    const Number large = std::ldexp(Number(1), exponent), factor[] = {1, 1 / large, large};
    for (double p : {0.5, 1.5, 3., 7., -1., -2.5}) {
      INFO(p);
      tt::Variable<Number, Matrix> x(tt::zeros<Number, Matrix>({3, 4}));
      for (tt::index_t i = 0; i < 3; ++i)
        for (tt::index_t j = 0; j < 4; ++j) x.data()[i * 4 + j] = factor[i] * Number(j == 1 ? -1.5 : 0.5 + double(j));
      x.requires_grad_();
      const tt::Tensor y = tt::norm<1>(x, p);
      CHECK(y(1) == Approx(y(0) / large));
      CHECK(y(2) == Approx(y(0) * large));
      tt::backward(tt::sum(y));
      const list typed = values(x.grad());
      for (std::size_t i = 0; i < 8; ++i) CHECK(typed[i + 4] == Approx(typed[i % 4]).epsilon(1e-5));
      x.set_grad({});
      const tt::AnyTensor named = call("linalg.vector_norm", {x, p, 1}).tensor();
      CHECK(values(named) == values(y));
      tt::detail::backward_from(named, tt::ones(tt::dtype_of<Number>, {3}), false);
      CHECK(values(x.grad()) == typed);
    }
  };
  check(float{}, 100), check(double{}, 800);
}

TEST_CASE("norm: slopes of zeros among others, of zeros alone, of infinities", "[ops]") {
  const auto slopes = [](const list& of, double p) {
    tt::Variable<float, Vector> x(tt::to<float>(tt::Vector<double>({tt::index_t(of.size())}, of)));
    x.requires_grad_();
    tt::backward(tt::norm(x, p));
    return values(x.grad());
  };
  for (double p : {0.5, 1.5, 3., -1., -3.}) {
    INFO(p);
    CHECK(slopes({0, 0}, p) == list{0, 0});
    CHECK(slopes({0}, p) == list{0});
    CHECK(slopes({0, -1e-20}, p) == (p > 0 ? list{0, -1} : list{0, 0}));
  }
  CHECK(tt::norm(tt::Vector<float>{0, 1e-20f}, -3).item() == 0);
  CHECK(tt::norm(tt::Vector<float>{3, float(infinity)}, 3).item() == infinity);
  CHECK(tt::norm(tt::Vector<float>{3, float(infinity)}, -3).item() == Approx(3));
  CHECK(tt::norm(tt::Vector<float>{float(infinity), -float(infinity)}, -3).item() == infinity);
  CHECK(slopes({3, infinity}, 3)[0] == 0);
  CHECK(slopes({-3, infinity}, -3)[0] == Approx(-1));
}

TEST_CASE("norm: gradients, which are 0 at 0; ties of the largest share; a count has none", "[ops]") {
  const auto x = leaf<double, Matrix>({3, 4});
  for (double p : {2., 1., 0.5, 1.5, 3., -1., infinity, -infinity}) {
    INFO(p);
    CHECK(tt::gradcheck([p](const auto& a) { return tt::norm<1>(a, p); }, x));
    tt::Variable<double, tt::Shape<2>> zero{{0, 0}};
    zero.requires_grad_();
    if (p < 0) continue;
    tt::backward(tt::norm(zero, p));
    CHECK(values(zero.grad()) == list{0, 0});
  }
  CHECK(tt::gradcheck([](const auto& a, const auto& b) { return tt::dist(a, b); }, x, leaf<double, Vector>({4})));
  CHECK(tt::gradgradcheck([](const auto& a) { return tt::norm<1>(a); }, x));
  CHECK(tt::gradgradcheck([](const auto& a) { return tt::norm(a, 3); }, x));
  tt::Variable<double, tt::Shape<3>> tie{{-2, 2, 1}};
  tie.requires_grad_();
  tt::backward(tt::norm(tie, infinity));
  CHECK(values(tie.grad()) == list{-0.5, 0.5, 0});
  tie.set_grad({});
  const tt::Tensor count = tt::norm(tie, 0);
  CHECK((count.requires_grad() && count.item() == 3));
  tt::backward(count);
  CHECK(!tie.grad().defined());
}
