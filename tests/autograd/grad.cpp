// grad(): derivatives as values.
#include <tt/autograd.hpp>

#include "../catch.hpp"
#include "vectors.hpp"

using tests::leaf;
using tests::values;
using tt::backward;
using tt::grad;
using Plain = tt::Tensor<double, Vector>;

TEST_CASE("grad: by leaves, results and several at once, leaving what leaves have gathered", "[autograd]") {
  const Leaf x = ones(2), w = ones(2), other = ones(2);
  const tt::Tensor h = x * 3;
  const tt::Tensor y = sum(h * h * w) + sum(other);
  const Plain dx = grad(y, x, {.retain_graph = true});
  CHECK(values(dx) == list{18, 18});
  CHECK(values(grad(y, h, {.retain_graph = true})) == list{6, 6});
  const auto [dh, dw, again] = grad(y, std::tuple(h, w, h), {.retain_graph = true});
  CHECK(values(dh) == list{6, 6});
  CHECK(values(dw) == list{9, 9});
  CHECK(values(again) == list{6, 6});
  CHECK_FALSE((x.grad().defined() || w.grad().defined() || other.grad().defined()));
  CHECK(values(grad(y, y, {.retain_graph = true})) == list{1});
  backward(y);
  CHECK(values(x.grad()) == list{18, 18});
  CHECK(values(other.grad()) == list{1, 1});
}

TEST_CASE("grad: a seed for a result of any shape", "[autograd]") {
  const Leaf x = ones(3);
  const auto seed = tt::arange<double>(3);
  CHECK(values(grad(x * 2, x, seed)) == list{0, 2, 4});
  CHECK(values(grad(x * 2, x, seed * 2)) == list{0, 4, 8});
  CHECK_THROWS_WITH(grad(x * 2, x, tt::ones<double, Vector>({4})), Contains("[4]") && Contains("[3]"));
  CHECK_THROWS_WITH(grad(x * 2, x), Contains("[3]"));
  CHECK(values(seed) == list{0, 1, 2});
}

TEST_CASE("grad: the graph is free afterwards unless it is retained, as far as it was run", "[autograd]") {
  const Leaf x = ones(2), w = ones(2);
  const tt::Tensor h = exp(x) * 1.0;
  const tt::Tensor y = sum(h * w);
  grad(y, w);
  CHECK_THROWS_WITH(grad(y, w), Contains("freed"));
  CHECK(values(grad(sum(h), h)) == list{1, 1});
  backward(sum(h));   // was not on the way
  CHECK_THROWS_WITH(grad(sum(h), x), Contains("freed"));
}

TEST_CASE("grad: what y does not depend on is an error, undefined or zero", "[autograd]") {
  const Leaf x = ones(2), unused = ones(3), plain = tt::ones<double, Vector>({2});
  const auto y = [&] { return tt::eval(sum(x * 2)); };
  CHECK_THROWS_WITH(grad(y(), unused), Contains("tensor 0 of [3]") && Contains("materialize_grads"));
  CHECK_THROWS_WITH(grad(y(), std::tuple(x, plain)), Contains("tensor 1"));
  CHECK_FALSE(grad(y(), unused, {.allow_unused = true}).defined());
  CHECK(values(grad(y(), unused, {.materialize_grads = true})) == list{0, 0, 0});
  const auto [a, b] = grad(y(), std::tuple(x, unused), {.allow_unused = true});
  CHECK(values(a) == list{2, 2});
  CHECK_FALSE(b.defined());
  CHECK_THROWS_WITH(grad(tt::eval(sum(plain)), x), Contains("does not depend"));
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("grad: hooks are called, on what is run only", "[autograd]") {
  const Leaf x = ones(2), w = ones(2);
  const tt::Tensor h = x * 3;
  int calls = 0;
  w.register_hook([&](const Plain&) { calls += 100; });
  h.register_hook([&](const Plain& g) { return ++calls, g * 2; });
  CHECK(values(grad(sum(h * w), x)) == list{6, 6});
  CHECK(calls == 1);
}

TEST_CASE("grad: a deep graph and a fan are run once", "[autograd]") {
  const Leaf x = ones(1);
  Leaf h = x;
  for (int i = 0; i < 100000; ++i) h = h * 1.0 + 0.5;
  CHECK(values(grad(h, x)) == list{1});
  h = x;
  for (int i = 0; i < 60; ++i) h = h + h;
  CHECK(values(grad(h, x))[0] == 0x1p60);
}
