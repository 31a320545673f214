// var, std and their like: numbers far from 0, equal ones, too few, axes, dtypes, gradients.
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
using tt::correction;
using tt::keepdim;
using Vector = tt::Shape<tt::dyn>;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using Cube = tt::Shape<tt::dyn, tt::dyn, tt::dyn>;
using list = std::vector<double>;

using X = tt::Tensor<float, tt::Shape<2, 3>>;
static_assert(std::is_same_v<decltype(tt::var(std::declval<X>())), tt::Tensor<float, tt::Shape<>>>);
static_assert(std::is_same_v<decltype(tt::std<1>(std::declval<X>(), keepdim)), tt::Tensor<float, tt::Shape<2, 1>>>);
static_assert(std::is_same_v<tt::value_t<decltype(tt::var(tt::Vector<std::complex<double>>()))>, double>);

namespace {

double variance(const list& x, double taken = 1) {
  long double mean = 0, total = 0;
  for (double v : x) mean += v / (long double)(x.size());
  for (double v : x) total += (v - mean) * (v - mean);
  return double(total / ((long double)(x.size()) - taken));
}

}  // namespace

TEST_CASE("var: every axis and layout, with corrections, typed and by name", "[ops]") {
  const auto plain = numbers<double, Cube>({4, 17, 3}, -2, 5);
  for (const auto& x : {plain, scattered(plain)}) {
    const auto y = tt::var<1>(x), biased = tt::var(x, 1, correction{0});
    const auto two = tt::var<1>(x, keepdim, correction{2});
    CHECK(two.sizes() == tt::dims{4, 1, 3});
    for (tt::index_t i = 0; i < 4; ++i)
      for (tt::index_t k = 0; k < 3; ++k) {
        list group;
        for (tt::index_t j = 0; j < 17; ++j) group.push_back(x(i, j, k));
        CHECK(y(i, k) == Approx(variance(group)).epsilon(1e-13));
        CHECK(biased(i, k) == Approx(variance(group, 0)).epsilon(1e-13));
        CHECK(two(i, 0, k) == Approx(variance(group, 2)).epsilon(1e-13));
      }
    CHECK(tt::var(x).item() == Approx(variance(values(x))));
    CHECK(tt::std(x, correction{0}).item() == Approx(std::sqrt(variance(values(x), 0))));
    CHECK(values(tt::var(x, {0, 2})) == values(tt::var<0, 2>(x)));
    CHECK(values(tt::var(x, {1})) == values(y));
    CHECK(values(tt::std(x, {1}, keepdim)) == values(tt::std(x, 1)));
    CHECK(values(tt::std(x, 1, keepdim)) == values(tt::std(x, 1)));
    CHECK(values(call("var", {x, {1}}, {{"correction", 2}}).tensor()) == values(two));
    CHECK(values(call("var", {x, 1, false}).tensor()) == values(biased));
    CHECK(values(call("std", {x, {0, 1, 2}, true, true}).tensor()) == list{tt::std(x).item()});
    const auto [v, m] = tt::var_mean<1>(x);
    CHECK(tests::same_bits(v, y));
    CHECK(tests::same_bits(m, tt::mean<1>(x)));
    const auto [s, kept] = tt::std_mean(x, {0, 2}, keepdim, correction{0});
    CHECK((s.sizes() == tt::dims{1, 17, 1} && kept.sizes() == s.sizes()));
    CHECK(values(s) == values(tt::std<0, 2>(x, correction{0})));
    const auto [one, its_mean] = tt::var_mean(x, 1);
    CHECK((tests::same_bits(one, v) && tests::same_bits(its_mean, m)));
    const auto [root, stays] = tt::std_mean(x, -2, keepdim, correction{0});
    CHECK((stays.sizes() == tt::dims{4, 1, 3} && tests::same_bits(root, tt::std(x, {1}, keepdim, correction{0}))));
    CHECK(values(tt::std_mean(x, {1}, keepdim).second) == values(tt::var_mean(x, {1}).second));
    const tt::Argument named = call("std_mean", {x, {0, 2}}, {{"correction", 0}});
    CHECK(values(named.get<tt::Argument::List>().at(0).tensor()) == values(s));
  }
}

TEST_CASE("var: numbers far from 0 and near one another lose nothing; equal ones have 0", "[ops]") {
  auto far = numbers<float, Vector>({1000}, 0, 8);
  for (tt::index_t i = 0; i < far.numel(); ++i) far.data()[i] = 1e7f + std::floor(far.data()[i]);
  CHECK(tt::var(far).item() == Approx(variance(values(far))).epsilon(1e-6));
  far.data()[0] = -1e7f;  // what is taken off is not near the others
  CHECK(tt::var(far).item() == Approx(variance(values(far))).epsilon(1e-6));
  const tt::Tensor<double, tt::Shape<3>> equal{{0.1, 0.1, 0.1}};
  CHECK(tt::var(equal).item() == 0);
  tt::Variable<double, tt::Shape<3>> x{{0.1, 0.1, 0.1}};
  x.requires_grad_();
  tt::backward(tt::std(x));
  CHECK(values(x.grad()) == list{0, 0, 0});
  const auto half = tt::full<tt::half, Vector>({4000}, 300);  // their squares are no numbers of 16 bits
  CHECK(double(tt::var(half).item()) == 0);
  CHECK(double(tt::std(tt::to<tt::bfloat16>(tt::Vector<float>{-300, 300})).item()) == Approx(424).epsilon(0.01));
}

TEST_CASE("var: too few elements give NaN or infinity, infinities and NaN give NaN", "[ops]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(tt::var(tt::Vector<double>{3}).item()));
  CHECK(tt::var(tt::Vector<double>{3}, correction{0}).item() == 0);
  CHECK(tt::var(tt::Vector<double>{3, 4}, correction{5}).item() == infinity);
  CHECK(std::isnan(tt::std(tt::zeros<float, Vector>({0})).item()));
  CHECK(std::isnan(values(tt::var<0>(tt::zeros<float, tt::Shape<0, 2>>()))[1]));
  CHECK(tt::var<1>(tt::zeros<float, tt::Shape<0, 2>>()).numel() == 0);
  CHECK(std::isnan(tt::var(tt::Vector<double>{1, infinity, 2}).item()));
  CHECK(std::isnan(tt::std(tt::Vector<double>{1, std::nan(""), 2}).item()));
  CHECK(std::isnan(tt::var(tt::Scalar<double>{2}, 0).item()));
  CHECK_THROWS_WITH(tt::var(tt::Vector<double>{1, 2}, 1), Contains("tt::var: axis 1 of a tensor with 1 axes"));
  CHECK_THROWS_WITH(tt::std_mean(tt::Vector<double>{1, 2}, 1), Contains("tt::std_mean: axis 1"));
  CHECK_THROWS_WITH(call("std", {tt::ones(tt::dtype::int64, {2})}), Contains("tt::std") && Contains("int64"));
  const tt::Vector<std::complex<double>> z{{1, 2}, {3, -2}};
  CHECK(tt::var(z).item() == Approx(2 + 8));
}

TEST_CASE("var and std: gradients, and theirs", "[ops]") {
  const auto x = leaf<double, Cube>({2, 5, 3});
  CHECK(tt::gradcheck([](const auto& a) { return tt::var<1>(a); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::std(tt::transpose<0, 2>(a), {0, 1}, correction{0}); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tt::var(a * a); }, x));
  const auto both = [](const auto& a) {
    const auto [s, m] = tt::std_mean<1>(a, keepdim);
    return (a - m) / s;
  };
  CHECK(tt::gradcheck(both, x));
  CHECK(tt::gradgradcheck([](const auto& a) { return tt::var<1>(a); }, x));
  CHECK(tt::gradgradcheck(both, leaf<double, Matrix>({2, 4})));
  const auto named = leaf<double, Vector>({4}, 0.5, 2), typed = leaf<double, Vector>({4}, 0.5, 2);
  const tt::AnyTensor y = call("std", {named}).tensor();
  tt::detail::backward_from(y, tt::detail::one_like(y), false);
  tt::backward(tt::std(typed));
  CHECK(values(named.grad()) == values(typed.grad()));
}
