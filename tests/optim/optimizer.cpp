#include <tt/optim.hpp>

#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

namespace nn = tt::nn;
namespace optim = tt::optim;
using tests::values;
using tt::AnyTensor;
using tt::dyn;
using tt::Shape;

static_assert(!std::is_copy_constructible_v<optim::Adam> && std::is_nothrow_move_constructible_v<optim::Adam>);

/// The textbook's loops, in double.
struct sgd_by_hand {
  double lr, momentum, weight_decay;
  std::vector<double> velocity;
  void step(std::vector<double>& p, const std::vector<double>& g) {
    const bool first = velocity.empty();
    velocity.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double slope = g[i] + weight_decay * p[i];
      velocity[i] = first ? slope : momentum * velocity[i] + slope;
      p[i] -= lr * velocity[i];
    }
  }
};
struct adam_by_hand {
  double lr, beta1, beta2, eps;
  std::vector<double> mean, square;
  int t = 0;
  void step(std::vector<double>& p, const std::vector<double>& g) {
    ++t, mean.resize(p.size()), square.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      mean[i] = beta1 * mean[i] + (1 - beta1) * g[i];
      square[i] = beta2 * square[i] + (1 - beta2) * g[i] * g[i];
      p[i] -= lr * mean[i] / (1 - std::pow(beta1, t)) / (std::sqrt(square[i] / (1 - std::pow(beta2, t))) + eps);
    }
  }
};

/// Three steps from one start on the same gradients, for sizes around the vector width and at an odd address.
template <class Number, class Optimiser, class Hand>
void compare(const auto& options, Hand hand, tt::index_t n, tt::index_t offset) {
  INFO(n << " elements, " << offset << " after an aligned address");
  const AnyTensor room = AnyTensor::empty(tt::dtype_of<Number>, {n + offset + 1});
  room.copy_(tests::numbers<Number, Shape<dyn>>({n + offset + 1}));
  const auto around = values(room);
  const tt::index_t stride = 1;
  const AnyTensor p = room.with_layout({n}, &stride, offset);
  p.requires_grad_();
  auto want = values(p);
  Optimiser optimiser({p}, options);
  for (std::uint64_t step = 0; step < 3; ++step) {
    const auto g = tests::numbers<Number, Shape<dyn>>({n}, -1, 1, step + 7);
    p.set_grad(g);
    optimiser.step();
    hand.step(want, values(g));
    CHECK(tests::same_bits(p.grad(), g));
  }
  const auto got = values(p);
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(1e-5).epsilon(1e-5));
  const auto after = values(room);  // nothing beside it was written
  for (tt::index_t i = 0; i < offset; ++i) CHECK(after[std::size_t(i)] == around[std::size_t(i)]);
  CHECK(after.back() == around.back());
}

TEMPLATE_TEST_CASE("optimisers: every element is updated, for any number of them, and nothing beside them", "[optim]",
                   float, double) {
  for (tt::index_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100}) {
    for (tt::index_t offset : {0, 1, 3}) {
      compare<TestType, optim::SGD>(optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1},
                                    sgd_by_hand{0.1, 0.9, 0.1, {}}, n, offset);
      compare<TestType, optim::SGD>(optim::SGDOptions{.lr = 0.1}, sgd_by_hand{0.1, 0, 0, {}}, n, offset);
      compare<TestType, optim::Adam>(optim::AdamOptions{.lr = 0.1}, adam_by_hand{0.1, 0.9, 0.999, 1e-8, {}, {}}, n,
                                     offset);
    }
  }
}

TEST_CASE("optimisers: take a module, or tensors in braces", "[optim]") {
  nn::Linear<3, 4> fc;
  CHECK(optim::Adam(fc, {}).parameters().size() == 2);
  auto w = tests::leaf<float, Shape<3>>({3});
  auto b = tests::leaf<double, Shape<>>({});
  optim::SGD sgd({w, b}, {.lr = 1});
  tt::backward(sum(w * 2));
  tt::backward(b * 3);
  const auto before = values(w);
  const double b_before = b.item();
  sgd.step();
  CHECK(values(w)[1] == Approx(before[1] - 2));
  CHECK(b.item() == Approx(b_before - 3));
}

TEST_CASE("optimisers: a parameter without a gradient stays as it is, and so does its moment", "[optim]") {
  auto x = tests::leaf<float, Shape<3>>({3}), y = tests::leaf<float, Shape<3>>({3});
  optim::SGD sgd({x, y}, {.lr = 0.1, .momentum = 0.9});
  const auto start = values(y);
  tt::backward(sum(x));
  sgd.step();
  CHECK(values(y) == start);
  sgd.zero_grad();
  CHECK_FALSE(x.grad().defined());
  const auto still = values(x);
  sgd.step();  // no gradient at all: not even the velocity moves it
  CHECK(values(x) == still);
  AnyTensor(y).requires_grad_(false);
  sgd.zero_grad();
  sgd.step();
}

TEST_CASE("optimisers: options may be changed between steps", "[optim]") {
  auto x = tests::leaf<double, Shape<1>>({1});
  optim::SGD sgd({x}, {.lr = 1});
  x.set_grad(tt::full<double, Shape<1>>(1));
  const double start = x(0);
  sgd.step();
  sgd.options.lr = 0.25;
  sgd.step();
  CHECK(x(0) == Approx(start - 1.25));
}

TEST_CASE("optimisers: a graph recorded before a step is refused afterwards", "[optim]") {
  auto x = tests::leaf<float, Shape<3>>({3});
  const tt::Tensor y = sum(x * x);
  const auto doubled = x * 2;
  tt::backward(sum(x));
  optim::SGD({x}, {.lr = 0.1}).step();
  CHECK_THROWS_WITH(tt::backward(y), Contains("changed in place"));
  CHECK_THROWS_AS(tt::eval(doubled), tt::Error);
}

TEST_CASE("optimisers: what cannot be trained and options without a meaning are refused", "[optim]") {
  const auto x = tests::leaf<float, Shape<2, 3>>({2, 3});
  const auto with = [](const AnyTensor& p) { return optim::SGD(std::vector{p}, {.lr = 0.1}); };
  const std::string refusal = "tt::optim: a parameter must be a contiguous leaf that requires a gradient";
  CHECK_THROWS_WITH(with(AnyTensor()), refusal);
  CHECK_THROWS_WITH(with(tests::numbers<float, Shape<3>>({3})), refusal);
  CHECK_THROWS_WITH(with(tt::eval(x * 2)), refusal);
  CHECK_THROWS_WITH(with(tests::scattered(x.AnyTensor::detach())), refusal);

  const auto sgd = [&](const optim::SGDOptions& o) { optim::SGD({x}, o); };
  const auto adam = [&](const optim::AdamOptions& o) { optim::Adam({x}, o); };
  for (double bad : {-1., std::nan("")}) {
    CHECK_THROWS_WITH(sgd({.lr = bad}), Contains("SGD: lr, momentum and weight_decay must not be negative"));
    CHECK_THROWS_AS(sgd({.lr = 1, .momentum = bad}), tt::Error);
    CHECK_THROWS_AS(sgd({.lr = 1, .weight_decay = bad}), tt::Error);
    CHECK_THROWS_WITH(adam({.lr = bad}), Contains("Adam: lr, eps and weight_decay must not be negative"));
    CHECK_THROWS_AS(adam({.eps = bad}), tt::Error);
    CHECK_THROWS_AS(adam({.weight_decay = bad}), tt::Error);
    CHECK_THROWS_WITH(adam({.beta1 = bad}), Contains("Adam: the betas must lie in [0, 1)"));
    CHECK_THROWS_AS(adam({.beta2 = bad}), tt::Error);
  }
  CHECK_THROWS_AS(adam({.beta2 = 1}), tt::Error);
  CHECK_THROWS_WITH(sgd({.lr = 1, .nesterov = true}), Contains("Nesterov momentum needs a momentum and no dampening"));
  CHECK_THROWS_AS(sgd({.lr = 1, .momentum = 0.9, .dampening = 0.1, .nesterov = true}), tt::Error);
}
