// Expressions, graphs and leaves that more than one thread touches.
#include <tt/autograd.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <atomic>
#include <functional>
#include <thread>

using tests::leaf;
using tests::values;
using tt::backward;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;

namespace {
/// f(0) .. f(count - 1), each on a thread of its own, begun together.
void together(int count, const std::function<void(int)>& f) {
  std::atomic<int> waiting = count;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      f(t);
    });
  for (auto& t : threads) t.join();
}
constexpr int rounds = 200;
}  // namespace

TEST_CASE("threads: a graph may be built on one thread and run on another", "[autograd]") {
  const auto x = leaf<double, Vector>({5}, 1, 1);
  tt::Variable<double, tt::Shape<>> y;
  std::thread([&] {
    const tt::Tensor a = x * 2, b = a * a;
    y = sum(b + a);
  }).join();
  const tt::Tensor z = y * 3;
  backward(z);
  CHECK(values(x.grad()) == list(5, 3 * (2 * 2 * 2 + 2)));
}

TEST_CASE("threads: a product or a sum that two threads evaluate at once is one value", "[autograd]") {
  const auto a = leaf<double, Matrix>({20, 20}), b = leaf<double, Matrix>({20, 20}, -3, 3, 2);
  for (int round = 0; round < rounds; ++round) {
    const auto product = tt::matmul(a, b);
    const auto total = sum(a * b);
    tt::AnyTensor seen[4], sums[4];
    together(4, [&](int t) {
      seen[t] = tt::evaluate(product);
      sums[t] = tt::evaluate(total);
    });
    for (int t = 1; t < 4; ++t) {
      CHECK(seen[t].storage() == seen[0].storage());
      CHECK(sums[t].storage() == sums[0].storage());
    }
  }
}

TEST_CASE("threads: graphs of their own over shared leaves", "[autograd]") {
  const auto w = leaf<double, Matrix>({8, 8});
  const auto v = leaf<double, Vector>({8});
  const auto step = [&](int t) { backward(sum(tanh(tt::matmul(w, v)) * double(t + 1)) + sum(w * w) + sum(v)); };
  for (int t = 0; t < 4; ++t) step(t);
  const auto want_w = values(w.grad()), want_v = values(v.grad());
  for (int round = 0; round < rounds; ++round) {
    w.set_grad({}), v.set_grad({});
    together(4, step);
    const auto got_w = values(w.grad()), got_v = values(v.grad());
    bool right = true;
    for (std::size_t i = 0; i < want_w.size(); ++i) right &= got_w[i] == Approx(want_w[i]).margin(1e-9);
    for (std::size_t i = 0; i < want_v.size(); ++i) right &= got_v[i] == Approx(want_v[i]).margin(1e-9);
    CHECK(right);
  }
}

TEST_CASE("threads: one graph run by several threads at once", "[autograd]") {
  const auto x = leaf<double, Vector>({300}, 0.5, 2);
  for (int round = 0; round < rounds; ++round) {
    x.set_grad({});
    const tt::Tensor a = exp(x), b = a * x, c = a + b;
    const tt::Tensor d = tt::reshape<3, 100>(c) * 2;
    tt::Variable<double, tt::Shape<>> loss[4];
    for (int t = 0; t < 4; ++t) loss[t] = sum(d) + sum(b * double(t));
    together(4, [&](int t) { backward(loss[t], tt::retain_graph); });
    bool right = true;
    for (tt::index_t i = 0; i < 300; ++i) {
      const double e = std::exp(x(i)), db = e * x(i) + e;
      right &= x.grad()(i) == Approx(4 * 2 * (e + db) + 6 * db).epsilon(1e-9);
    }
    CHECK(right);
  }
}

TEST_CASE("threads: hooks see the gradient of each run, and what they return adds up", "[autograd]") {
  const auto x = leaf<double, Vector>({100}, 0.5, 2);
  std::atomic<int> calls = 0;
  x.register_hook([&](const tt::Tensor<double, Vector>& g) {
    ++calls;
    return g * 2;
  });
  for (int round = 0; round < rounds; ++round) {
    x.set_grad({});
    calls = 0;
    const tt::Tensor shared = x * 3;
    together(4, [&](int t) { backward(sum(shared) + sum(x * double(t)), tt::retain_graph); });
    CHECK(calls == 4);
    CHECK(values(x.grad()) == list(100, 2 * (4 * 3 + 0 + 1 + 2 + 3)));
  }
}

TEST_CASE("threads: tensors, nodes and storage made on one thread may end on another", "[autograd]") {
  for (int round = 0; round < 20; ++round) {
    std::vector<tt::AnyTensor> made(64);
    together(2, [&](int t) {
      for (std::size_t i = std::size_t(t); i < made.size(); i += 2)
        made[i] = tt::Tensor(exp(leaf<float, Vector>({100})) * 2);
    });
    together(2, [&](int t) {
      for (std::size_t i = std::size_t(t); i < made.size(); i += 2) made[made.size() - 1 - i] = {};
    });
  }
  CHECK(true);
}
