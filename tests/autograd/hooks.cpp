// Hooks on gradients, retained gradients, a look at the graph, and the guards that turn recording on and off.
#include <tt/autograd.hpp>

#include "../catch.hpp"
#include "vectors.hpp"

#include <memory>

using tests::leaf;
using tests::values;
using tt::backward;
using Plain = tt::Tensor<double, Vector>;

TEST_CASE("hooks: called once with the whole gradient of a tensor that is used twice", "[autograd]") {
  const Leaf x = ones(2);
  const tt::Tensor y = x * 3;
  std::vector<list> seen;
  y.register_hook([&](const Plain& g) { seen.push_back(values(g)); });
  backward(sum(y * y) + sum(y * 2), tt::retain_graph);
  CHECK(seen == std::vector<list>{{8, 8}});
  CHECK(values(x.grad()) == list{24, 24});
  backward(sum(y));
  CHECK(seen.size() == 2);
}

TEST_CASE("hooks: what one returns takes the gradient's place, in the order of their registration", "[autograd]") {
  const Leaf x = ones(2);
  std::vector<list> seen;
  const auto note = [&](const Plain& g) { seen.push_back(values(g)); };
  x.register_hook([&](const Plain& g) { return note(g), g * 10; });                    // an expression
  x.register_hook([&](const Plain& g) { return note(g), tt::eval(g + 1); });           // a tensor
  x.register_hook([&](const Plain& g) { return note(g), tt::AnyTensor(); });           // undefined: as it was
  x.register_hook([&](Plain g) { note(g); });
  backward(sum(x * 2));
  CHECK(seen == std::vector<list>{{2, 2}, {20, 20}, {21, 21}, {21, 21}});
  CHECK(values(x.grad()) == list{21, 21});
  backward(sum(x));   // the sum of both runs, each with its hooks
  CHECK(values(x.grad()) == list{32, 32});
}

TEST_CASE("hooks: one on a result changes what goes on to its operands", "[autograd]") {
  const Leaf x = ones(2);
  const tt::Tensor y = x * 2, z = y * 5;
  z.register_hook([](const Plain& g) { return g * 0 + 7; });
  y.register_hook([](const Plain& g) { return -g; });
  backward(sum(z));
  CHECK(values(x.grad()) == list{-70, -70});
}

TEST_CASE("hooks: a hook's own tensor is not written to by the tape", "[autograd]") {
  const Leaf x = ones(2);
  const Plain mine{tt::full<double, Vector>({2}, 4)};
  const tt::Tensor y = x + 0.0;
  y.register_hook([&](const Plain&) { return mine; });
  backward(sum(y) + sum(x * 3));
  backward(sum(x));
  CHECK(values(x.grad()) == list{8, 8});
  CHECK(values(mine) == list{4, 4});
  const tt::Tensor seen = tt::arange<double>(8);
  x.set_grad({});
  const tt::Tensor w = x * 1.0;
  w.register_hook([&](const Plain&) { return tt::AnyTensor(tt::slice<0>(seen, 1, 8, 4)); });   // not contiguous
  backward(sum(w));
  CHECK(values(x.grad()) == list{1, 5});
}

TEST_CASE("hooks: a handle removes its hook, also from within, and after the tensor is gone", "[autograd]") {
  const Leaf x = ones(1);
  int calls = 0;
  const auto counted = std::make_shared<int>(0);
  tt::RemovableHandle first = x.register_hook([&, counted](const Plain&) { ++calls; });
  tt::RemovableHandle itself;
  itself = x.register_hook([&](const Plain&) { calls += 10, itself.remove(); });
  backward(x * 1.0);
  CHECK(calls == 11);
  backward(x * 1.0);
  CHECK(calls == 12);
  first.remove();
  first.remove();
  backward(x * 1.0);
  CHECK(calls == 12);
  CHECK(counted.use_count() == 1);   // what it captured is gone
  tt::RemovableHandle late;
  {
    const Leaf gone = ones(1);
    late = gone.register_hook([&](const Plain&) { ++calls; });
  }
  late.remove();
  { tt::RemovableHandle dropped = x.register_hook([&](const Plain&) { ++calls; }); }   // the hook stays
  backward(x * 1.0);
  CHECK(calls == 13);
}

TEST_CASE("hooks: what cannot be is said", "[autograd]") {
  const Leaf plain = tt::ones<double, Vector>({2}), x = ones(2);
  CHECK_THROWS_WITH(plain.register_hook([](const Plain&) {}), Contains("requires no gradient"));
  CHECK_THROWS_WITH(plain.retain_grad(), Contains("requires no gradient"));
  CHECK_THROWS(tt::AnyTensor().register_hook([](const tt::AnyTensor&) {}));
  tt::RemovableHandle h = x.register_hook([](const Plain&) { return tt::ones<double, Vector>({3}); });
  CHECK_THROWS_WITH(backward(sum(x)), Contains("[3]") && Contains("[2]"));
  h.remove();
  h = x.register_hook([](const Plain&) { return tt::ones<float, Vector>({2}); });
  CHECK_THROWS_WITH(backward(sum(x)), Contains("float32") && Contains("float64"));
  h.remove();
  h = x.register_hook([](const Plain&) { throw std::runtime_error("mine"); });
  CHECK_THROWS_WITH(backward(sum(x)), Contains("mine"));
  h.remove();
  CHECK_FALSE(x.grad().defined());
  backward(sum(x));
  CHECK(values(x.grad()) == list{1, 1});
}

TEST_CASE("hooks: a hook on an AnyTensor, on a scalar and on an empty tensor", "[autograd]") {
  const Leaf x = ones(3), none = ones(0);
  const tt::AnyTensor loss = tt::eval(sum(x));
  int ranks = 0;
  loss.register_hook([&](const tt::AnyTensor& g) { ranks += 1 + g.rank(); });
  none.register_hook([&](const tt::AnyTensor& g) { ranks += 10 * int(g.numel() + 1); });
  backward(tt::Variable<double, tt::Shape<>>(loss) + sum(none));
  CHECK(ranks == 11);
  CHECK(none.grad().numel() == 0);
}

TEST_CASE("hooks: a hook records nothing and may run a graph of its own", "[autograd]") {
  const Leaf x = ones(2), w = ones(2);
  const tt::Tensor y = x * 2;
  bool recorded = true;
  y.register_hook([&](const Plain& g) {
    recorded = tt::eval(w * g).requires_grad();
    const tt::enable_grad on;
    backward(sum(w * w) + sum(x));   // x is a leaf that the outer run reaches too
    return g * w.detach();
  });
  backward(sum(y));
  CHECK_FALSE(recorded);
  CHECK(values(w.grad()) == list{2, 2});
  CHECK(values(x.grad()) == list{3, 3});
  const tt::Tensor a = x * 1.0, b = a * 2, c = b + a;
  b.register_hook([&](const Plain&) {
    const tt::enable_grad on;
    backward(sum(a * 3));   // a waits in the outer run
  });
  CHECK_THROWS_WITH(backward(sum(c)), Contains("from a hook"));
}

TEST_CASE("hooks: retain_grad keeps the gradient of a result, after its hooks, and adds up", "[autograd]") {
  const Leaf x = ones(2);
  const tt::Tensor y = x * 3;
  CHECK_FALSE(y.grad().defined());
  y.retain_grad();
  CHECK(y.retains_grad());
  y.register_hook([](const Plain& g) { return g * 2; });
  const tt::Tensor loss = sum(y * y);
  backward(loss, tt::retain_graph);
  CHECK(values(y.grad()) == list{12, 12});
  CHECK(values(x.grad()) == list{36, 36});
  backward(loss);
  CHECK(values(y.grad()) == list{24, 24});
  x.retain_grad();   // a leaf has its own
  CHECK_FALSE(x.retains_grad());
  CHECK(values(x.grad()) == list{72, 72});
}

TEST_CASE("grad_fn: names, fused ops and next functions", "[autograd]") {
  const Leaf x = ones(2), w = ones(2);
  CHECK_FALSE(x.grad_fn());
  CHECK(x.grad_fn().name() == "");
  const tt::Tensor h = tanh(x * w + 1);
  const tt::Tensor loss = sum(h * h.detach() - w);
  CHECK(h.grad_fn().name() == "tanh");
  using names = std::vector<std::string_view>;
  CHECK(h.grad_fn().ops() == names{"tanh", "add", "mul"});
  CHECK(loss.grad_fn().name() == "sum");
  CHECK(loss.grad_fn().ops() == names{"sum", "sub", "mul"});
  const auto next = loss.grad_fn().next_functions();
  REQUIRE(next.size() == 2);
  CHECK(next[0] == h.grad_fn());
  CHECK(next[1].name() == "AccumulateGrad");
  CHECK(next[1].next_functions().empty());
  CHECK(next[0].next_functions().at(1) == next[1]);
  CHECK(tt::AnyTensor(h).grad_fn() == h.grad_fn());
  CHECK(tt::eval(tt::matmul(tt::ones<double, tt::Shape<2, 2>>(), x)).grad_fn().name() == "matmul");
  CHECK(tt::eval(tt::reshape<2, 1>(x)).grad_fn().ops() == names{"reshape"});
  const tt::GradFn kept = loss.grad_fn();
  backward(loss);
  CHECK(kept.next_functions().empty());
  CHECK(kept.name() == "sum");
  CHECK_FALSE(tt::AnyTensor().grad_fn());
}

TEST_CASE("grad mode: set_grad_enabled turns recording on and off, nested in any way", "[autograd]") {
  const Leaf x = ones(2);
  const auto recorded = [&] { return tt::eval(x * 2).requires_grad(); };
  for (bool training : {true, false}) {
    const tt::set_grad_enabled guard(training);
    CHECK(tt::is_grad_enabled() == training);
    CHECK(recorded() == training);
    {
      const tt::set_grad_enabled other(!training);
      CHECK(recorded() == !training);
      const tt::enable_grad on;
      CHECK(recorded());
    }
    CHECK(recorded() == training);
  }
  CHECK(recorded());
}

TEST_CASE("hooks: a kept gradient stays with the tensor when it is written to", "[autograd]") {
  const Leaf x{1, 2, 3};
  x.requires_grad_();
  Leaf y = x * 1;
  y.retain_grad();
  y *= 2;
  CHECK(y.retains_grad());
  backward(sum(y * 3));
  CHECK(values(y.grad()) == list{3, 3, 3});
  CHECK(values(x.grad()) == list{6, 6, 6});

  Leaf z = x * 1;
  z.retain_grad();
  tt::slice<0>(z, 0, 2) *= 5;
  backward(sum(z * z));
  CHECK(values(z.grad()) == list{10, 20, 6});

  Leaf plain = x * 1;
  plain *= 2;
  CHECK(!plain.retains_grad());
}
