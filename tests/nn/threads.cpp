// One network that several threads call at once: to predict, and to gather gradients.
#include <tt/autograd/backward.hpp>
#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <atomic>
#include <functional>
#include <thread>

namespace nn = tt::nn;
using tests::same_bits;
using tt::dyn;
using tt::Shape;

namespace {

struct Net : nn::Module<Net> {
  nn::Linear<3, 8> fc1;
  nn::ReLU act;
  nn::Linear<8, 2> fc2;
  TT_MODULE(fc1, act, fc2)
  template <class X>
  auto forward(const X& x) {
    return fc2(act(fc1(x)));
  }
};

constexpr int threads = 4, rounds = 50;

/// f(0) .. f(threads - 1), each on a thread of its own, begun together.
void together(const std::function<void(int)>& f) {
  std::atomic<int> waiting = threads;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      f(t);
    });
  for (auto& t : running) t.join();
}

/// Whole numbers, so that sums of gradients are exact in any order.
auto batch(int t) {
  tt::Tensor<float, Shape<dyn, 3>> x({6, 3});
  const std::uint64_t seed = std::uint64_t(t + 1);
  for (tt::index_t i = 0; i < x.numel(); ++i) x.data()[i] = float(tests::number<std::int64_t>(i, -4, 4, seed));
  return x;
}
void whole_weights(Net& net) {
  std::uint64_t seed = 10;
  for (nn::Parameter* p : net.parameters()) {
    auto* w = reinterpret_cast<float*>(p->value.data_ptr());
    for (tt::index_t i = 0; i < p->value.numel(); ++i) w[i] = float(tests::number<std::int64_t>(i, -3, 3, seed));
    ++seed;
  }
}

}  // namespace

TEST_CASE("threads: one network predicts on several", "[nn]") {
  Net net;
  std::vector<tt::AnyTensor> want;
  for (int t = 0; t < threads; ++t) want.push_back(net.predict(batch(t)));
  for (int round = 0; round < rounds; ++round) {
    std::vector<tt::AnyTensor> got(threads);
    together([&](int t) { got[std::size_t(t)] = net.predict(batch(t)); });
    bool same = true;
    for (std::size_t t = 0; t < want.size(); ++t) same &= same_bits(got[t], want[t]);
    CHECK(same);
  }
}

TEST_CASE("threads: gradients of calls on several threads add up in one network", "[nn]") {
  Net net;
  whole_weights(net);
  const auto step = [&](int t) { tt::backward(sum(net(batch(t)))); };
  for (int t = 0; t < threads; ++t) step(t);
  std::vector<tt::AnyTensor> want;
  for (nn::Parameter* p : net.parameters()) want.push_back(p->value.grad());
  for (int round = 0; round < rounds; ++round) {
    net.zero_grad();
    together(step);
    bool same = true;
    for (std::size_t i = 0; i < want.size(); ++i) same &= same_bits(net.parameters()[i]->value.grad(), want[i]);
    CHECK(same);
  }
}

TEST_CASE("threads: a forward hook is called for each call, on the thread that calls", "[nn]") {
  Net net;
  std::atomic<int> calls = 0;
  net.fc1.register_forward_hook([&](auto&, const auto&, auto&) { ++calls; });
  together([&](int t) { (void)tt::eval(net(batch(t))); });
  CHECK(calls == threads);
}
