// The tape: what is recorded, when it is gone, and what an error says.
#include "../catch.hpp"
#include "vectors.hpp"

using tests::leaf;
using tests::values;
using tt::backward;
using tt::dyn;

namespace {
// Destroyed after main has ended, and with it the thread's own data.
const tt::Tensor late = exp(leaf<double, Vector>({3})) * 2;
const Leaf late_leaf = leaf<double, Vector>({3});
}  // namespace

TEST_CASE("tape: a chain of 100,000 operations is recorded, run and destroyed without recursion", "[autograd]") {
  const Leaf x = ones(3);
  {
    Leaf h = x;
    for (int i = 0; i < 100000; ++i) h = h * 1.0 + 0.5;
    backward(sum(h));
    CHECK(values(x.grad()) == list{1, 1, 1});
  }
  Leaf unused = x;
  for (int i = 0; i < 100000; ++i) unused = unused + x;
  unused = x;   // the whole chain goes here
  CHECK(values(x.grad()) == list{1, 1, 1});
  Leaf kept = x;
  for (int i = 0; i < 100000; ++i) kept = tt::reshape<-1>(kept);
  backward(sum(kept), tt::retain_graph);
  backward(sum(kept));
  CHECK(values(x.grad()) == list{3, 3, 3});
}

TEST_CASE("tape: deep fans are run once each, newest first", "[autograd]") {
  const Leaf x = ones(1);
  Leaf h = x;
  for (int i = 0; i < 60; ++i) h = h + h;   // 2^60 paths, 60 nodes
  backward(h);
  CHECK(values(x.grad())[0] == 0x1p60);
}

TEST_CASE("tape: a graph is free after backward unless it is retained, and the error names the op", "[autograd]") {
  const Leaf x = ones(2);
  const tt::Tensor y = tanh(x);
  const tt::Tensor z = sum(y);
  backward(z, tt::retain_graph);
  backward(z, tt::retain_graph);
  backward(z);
  const double slope = 1 - std::tanh(1.) * std::tanh(1.);
  CHECK(values(x.grad())[0] == Approx(3 * slope));
  CHECK_THROWS_WITH(backward(z), Contains("sum") && Contains("retain_graph"));
  CHECK_THROWS_WITH(backward(sum(y * 2)), Contains("tanh") && Contains("freed"));
  CHECK(values(x.grad())[0] == Approx(3 * slope));   // nothing was added by the refused runs
  backward(sum(tanh(x)));
  CHECK(values(x.grad())[0] == Approx(4 * slope));
}

TEST_CASE("tape: gradients add up over runs until they are taken away", "[autograd]") {
  const Leaf x = ones(2);
  CHECK_FALSE(x.grad().defined());
  backward(sum(x * 2));
  backward(sum(x * 3));
  CHECK(values(x.grad()) == list{5, 5});
  x.set_grad({});
  CHECK_FALSE(x.grad().defined());
  backward(sum(x));
  CHECK(values(x.grad()) == list{1, 1});
  x.set_grad(tt::full<double, Vector>({2}, 7));
  backward(sum(x));
  CHECK(values(x.grad()) == list{8, 8});
  CHECK_THROWS(x.set_grad(tt::ones<double, Vector>({3})));
  CHECK_THROWS(x.set_grad(tt::ones<float, Vector>({2})));
}

TEST_CASE("tape: gradients of a sum do not share elements", "[autograd]") {
  const Leaf a = ones(3), b = ones(3);
  const tt::Tensor y = a + b;
  const auto seed = tt::full<double, Vector>({3}, 2);
  backward(y, seed);
  CHECK(values(a.grad()) == list{2, 2, 2});
  a.grad() += 5;
  CHECK(values(a.grad()) == list{7, 7, 7});
  CHECK(values(b.grad()) == list{2, 2, 2});
  CHECK(values(seed) == list{2, 2, 2});
  b.grad() += 1;
  CHECK(values(a.grad()) == list{7, 7, 7});
}

TEST_CASE("tape: the gradient given to backward is left as it is, whatever passes it on", "[autograd]") {
  const auto seed = tt::full<double, Vector>({3}, 2);
  const auto unchanged = [&](auto f) {
    const Leaf x = ones(3);
    backward(f(x), seed);
    x.grad() += 100;
    CHECK(values(seed) == list{2, 2, 2});
  };
  unchanged([](const auto& x) { return x; });
  unchanged([](const auto& x) { return x + x; });
  unchanged([](const auto& x) { return tt::reshape<-1>(x); });
  unchanged([](const auto& x) { return relu(tt::matmul(tt::ones<double, tt::Shape<3, 3>>(), x)); });
  unchanged([](const auto& x) { return tt::clone(x); });
  const Leaf x = ones(3);
  backward(x * 1.0, tt::slice<0>(tt::arange<double>(6), 0, 6, 2));
  CHECK(values(x.grad()) == list{0, 2, 4});
  CHECK_THROWS_WITH(backward(x * 1.0, tt::ones<double, Vector>({4})), Contains("[4]") && Contains("[3]"));
  CHECK_THROWS_WITH(backward(x * 1.0), Contains("[3]") && Contains("reduce it"));
}

TEST_CASE("tape: no_grad records nothing, enable_grad inside it does, detach cuts", "[autograd]") {
  const Leaf x = ones(2);
  {
    const tt::no_grad off;
    CHECK_FALSE(tt::is_grad_enabled());
    CHECK_FALSE(tt::eval(x * 2).requires_grad());
    CHECK_FALSE(tt::eval(sum(x)).requires_grad());
    CHECK_FALSE(tt::slice<0>(x, 0, 1).requires_grad());
    CHECK_FALSE(tt::softmax<0>(x).requires_grad());
    {
      const tt::enable_grad on;
      CHECK(tt::eval(x * 2).requires_grad());
    }
    CHECK_FALSE(tt::eval(x * 2).requires_grad());
    CHECK_THROWS_WITH(backward(sum(x)), Contains("nothing was recorded"));
  }
  CHECK(tt::is_grad_enabled());
  backward(sum(x.detach() * x));
  CHECK(values(x.grad()) == list{1, 1});
  CHECK(x.detach().storage() == x.storage());
  CHECK_FALSE(tt::AnyTensor(x.detach()).requires_grad());
}

TEST_CASE("tape: what is built without recording is not recorded when it is evaluated later", "[autograd]") {
  const Leaf x = ones(3);
  const tt::Variable<double, tt::Shape<3, 3>> w = leaf<double, tt::Shape<3, 3>>({3, 3});
  const auto built = [&](auto f) {
    const tt::no_grad off;
    return f();
  };
  CHECK_FALSE(tt::eval(built([&] { return x * 2 + 1; })).requires_grad());
  CHECK_FALSE(tt::eval(built([&] { return sum(x * 2); })).requires_grad());
  CHECK_FALSE(tt::eval(built([&] { return tt::matmul(w, x); })).requires_grad());
  CHECK_FALSE(tt::eval(built([&] { return relu(tt::matmul(w, tt::transpose(w)) + x); })).requires_grad());
  CHECK_FALSE(tt::eval(built([&] { return tt::transpose(w); })).requires_grad());
  const auto target = built([&] { return tt::matmul(w, x); });   // a product that is run after the guard has ended
  tt::backward(sum(x * target));
  CHECK(values(x.grad()) == values(target));
  CHECK_FALSE(w.grad().defined());
}

TEST_CASE("tape: leaves, results, and what requires a gradient", "[autograd]") {
  Leaf x = tt::ones<double, Vector>({2});
  CHECK_FALSE(x.requires_grad());
  CHECK_FALSE(tt::eval(x * 2).requires_grad());
  x.requires_grad_();
  CHECK((x.requires_grad() && x.is_leaf()));
  const tt::Tensor y = x * 2;
  CHECK((y.requires_grad() && !y.is_leaf()));
  CHECK_THROWS_WITH(y.requires_grad_(false), Contains("detach"));
  CHECK_FALSE(tt::eval(tt::where(x > 0, tt::ones<double, Vector>({2}), 0)).requires_grad());
  Leaf other = tt::ones<double, Vector>({2});
  CHECK_FALSE(tt::eval(tt::where(x > 0, other, 0)).requires_grad());   // x is only looked at
  CHECK_FALSE(tt::eval(other * tt::to<double>(x > 0)).requires_grad());
  x.requires_grad_(false);
  CHECK_FALSE(tt::eval(x * 2).requires_grad());
  CHECK_THROWS_AS(tt::AnyTensor(tt::zeros<std::int64_t, Vector>({2})).requires_grad_(), tt::Error);
}

TEST_CASE("tape: a saved tensor that is changed before backward is an error that names the op", "[autograd]") {
  const auto refused = [](const char* name, auto f) {
    const Leaf x = tests::leaf<double, Vector>({4}, 0.5, 2);
    const auto other = tests::numbers<double, Vector>({4}, 1, 2, 3);
    const tt::Tensor y = f(x, other);
    other += 1;
    CHECK_THROWS_WITH(backward(sum(y)), Contains(name) && Contains("changed in place"));
    CHECK_FALSE(x.grad().defined());
  };
  refused("mul", [](const auto& x, const auto& o) { return x * o; });
  refused("exp", [](const auto& x, const auto& o) { return exp(x * o); });
  refused("sum", [](const auto& x, const auto& o) { return sum(x * o); });
  refused("matmul", [](const auto& x, const auto& o) { return tt::matmul(x, o); });
  const Leaf x = ones(3);
  const tt::Tensor y = x * x;
  x.detach() *= 2;
  CHECK_THROWS_WITH(backward(sum(y)), Contains("mul"));
  const tt::Tensor r = relu(tt::matmul(tt::ones<double, tt::Shape<3, 3>>(), x));
  r.detach() += 1;   // its backward reads the output
  CHECK_THROWS_WITH(backward(sum(r)), Contains("relu"));
  const tt::Tensor m = tt::amax(x);
  m.detach() += 1;
  CHECK_THROWS_WITH(backward(m), Contains("amax"));
  tt::Tensor<std::int64_t, tt::Shape<1>> label{0};
  const tt::Tensor loss = tt::cross_entropy(tt::reshape<1, 3>(x), label);
  label += 1;
  CHECK_THROWS_WITH(backward(loss), Contains("cross_entropy"));
}

TEST_CASE("tape: = rebinds, so a recurrence saves each step's own values", "[autograd]") {
  const Leaf x = ones(1);
  Leaf h = x;
  for (int i = 0; i < 3; ++i) h = h * h + x;   // h: 1, 2, 5, 26
  CHECK(values(h)[0] == 26);
  backward(h);
  // dh/dx = 2 h dh + 1: 3, 13, 131
  CHECK(values(x.grad())[0] == 131);
}

TEST_CASE("tape: a failed run leaves nothing behind", "[autograd]") {
  const Leaf x = ones(2), y = ones(2);
  const auto other = tt::ones<double, Vector>({2});
  const tt::Tensor bad = x * other, good = y * 3;
  other += 1;
  CHECK_THROWS(backward(sum(good + bad)));
  x.set_grad({}), y.set_grad({});
  backward(sum(y * 2) + sum(x));
  CHECK(values(x.grad()) == list{1, 1});
  CHECK(values(y.grad()) == list{2, 2});
}

TEST_CASE("tape: global tensors with a history may be destroyed at the very end", "[autograd]") {
  CHECK((late.requires_grad() && late_leaf.requires_grad()));
}

TEST_CASE("a complex result has no slope of its own", "[autograd]") {
  tt::Variable<std::complex<double>, tt::Shape<2>> z{1, 2};
  z.requires_grad_();
  CHECK_THROWS_WITH(backward(sum(z)), Catch::Matchers::Contains("complex128") && Catch::Matchers::Contains("give the gradient"));
  CHECK(!z.grad().defined());
  backward(sum(tt::real(z)));
  CHECK(z.grad()(0) == 1.);
}
