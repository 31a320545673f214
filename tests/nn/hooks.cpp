#include <tt/autograd/gradcheck.hpp>
#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <tuple>

namespace nn = tt::nn;
using tests::numbers;
using tests::same_bits;
using tt::AnyTensor;
using tt::Shape;
using Any = std::vector<AnyTensor>;

struct Net : nn::Module<Net> {
  nn::Linear<3, 4> fc1;
  nn::ReLU relu;
  nn::Linear<4, 2> fc2;
  TT_MODULE(fc1, relu, fc2)
  template <class X>
  auto forward(const X& x) {
    return fc2(relu(fc1(x)));
  }
};
struct Pair : nn::Module<Pair> {
  TT_MODULE()
  template <class X, class Y>
  auto forward(const X& x, const Y& y) {
    return std::tuple(x + y, std::tuple(x * y, 3));
  }
};
const auto rows = [] { return numbers<float, Shape<5, 3>>({5, 3}); };
const auto ignore = [](nn::AnyModule&, const Any&, Any&) {};

/// Outputs and gradients of all parameters, bit for bit.
std::vector<std::vector<double>> outcome(Net& net) {
  std::vector<std::vector<double>> all;
  net.zero_grad();
  const tt::Tensor y = net(rows());
  tt::backward(sum(square(y)));
  all.push_back(tests::values(y));
  for (const auto* p : net.parameters()) all.push_back(tests::values(p->value.grad()));
  return all;
}

TEST_CASE("hooks: see inputs and outputs, each once a call, in the order of registration", "[nn]") {
  Net net;
  std::string order;
  AnyTensor in, out;
  net.fc1.register_forward_hook([&](nn::AnyModule& m, const Any& i, Any& o) {
    CHECK(&m == &net.fc1);
    REQUIRE((i.size() == 1 && o.size() == 1));
    in = i[0], out = o[0], order += 'a';
  });
  net.fc1.register_forward_hook([&](nn::AnyModule&, const Any&, Any&) { order += 'b'; });
  net.register_forward_hook([&](nn::AnyModule&, const Any&, Any& o) { order += o[0].rank() == 2 ? 'c' : '?'; });
  const auto x = rows();
  net(x);
  CHECK(order == "abc");
  CHECK(in.data_ptr() == x.data_ptr());
  CHECK(same_bits(out, tt::eval(net.fc1.forward(x))));
}

TEST_CASE("hooks: inputs and outputs of several tensors come flat", "[nn]") {
  Pair pair;
  std::size_t in = 0, out = 0;
  pair.register_forward_hook([&](nn::AnyModule&, const Any& i, Any& o) { in = i.size(), out = o.size(); });
  const auto x = rows();
  const auto [sum, rest] = pair(x, tt::eval(x * 2));
  CHECK((in == 2 && out == 2));
  CHECK(same_bits(sum, x + x * 2));
  CHECK(same_bits(std::get<0>(rest), x * (x * 2)));
  CHECK(std::get<1>(rest) == 3);
}

TEST_CASE("hooks: a network computes the same bits with hooks as without, forward and backward", "[nn]") {
  Net net;
  const auto plain = outcome(net);
  for (nn::AnyModule* m : std::initializer_list<nn::AnyModule*>{&net, &net.fc1, &net.relu, &net.fc2})
    m->register_forward_hook(ignore);
  CHECK(outcome(net) == plain);
}

TEST_CASE("hooks: an output may be replaced, and what follows sees it", "[nn]") {
  Net net;
  const auto x = rows();
  SECTION("a contraction, before its activation") {
    net.fc1.register_forward_hook(
        [](nn::AnyModule&, const Any&, Any& out) { out[0] = AnyTensor(tt::full<float, Shape<5, 4>>(2)); });
    CHECK(same_bits(net(x), net.fc2(tt::full<float, Shape<5, 4>>(2))));
  }
  SECTION("a stored output") {
    net.relu.register_forward_hook(
        [](nn::AnyModule&, const Any&, Any& out) { out[0] = AnyTensor(tt::full<float, Shape<5, 4>>(2)); });
    CHECK(same_bits(net(x), net.fc2(tt::full<float, Shape<5, 4>>(2))));
  }
  SECTION("the result, by one that has a gradient") {
    net.register_forward_hook([&](nn::AnyModule&, const Any&, Any& out) {
      const tt::Variable<float, Shape<5, 2>> y(out[0]);
      out[0] = tt::Tensor(y * 3);
    });
    tt::backward(sum(net(x)));
    const auto tripled = tests::values(net.fc2.bias.value.grad());
    CHECK(tripled == std::vector<double>{15, 15});
  }
  SECTION("not by one of another dtype or other extents") {
    AnyTensor other = AnyTensor::empty(tt::dtype::float64, {5, 4});
    net.fc1.register_forward_hook([&](nn::AnyModule&, const Any&, Any& out) { out[0] = other; });
    CHECK_THROWS_AS(net(x), tt::Error);
    other = AnyTensor::empty(tt::dtype::float32, {5, 3});
    CHECK_THROWS_AS(net(x), tt::Error);
  }
}

TEST_CASE("hooks: can be removed, each by its number", "[nn]") {
  Net net;
  std::string called;
  const int a = net.register_forward_hook([&](nn::AnyModule&, const Any&, Any&) { called += 'a'; });
  const int b = net.register_forward_hook([&](nn::AnyModule&, const Any&, Any&) { called += 'b'; });
  net.remove_hook(a);
  net(rows());
  CHECK(called == "b");
  net.remove_hook(a);  // gone already
  net.remove_hook(b);
  net(rows());
  CHECK(called == "b");
  const int c = net.register_forward_hook([&](nn::AnyModule&, const Any&, Any&) { called += 'c'; });
  net(rows());
  CHECK(called == "bc");
  net.remove_hook(a);  // old numbers are not given again
  net.remove_hook(b);
  net(rows());
  CHECK(called == "bcc");
  net.remove_hook(c);
  net(rows());
  CHECK(called == "bcc");
}

TEST_CASE("hooks: one that removes itself or adds another does no harm", "[nn]") {
  Net net;
  int calls = 0, id = 0, later = 0;
  id = net.register_forward_hook([&](nn::AnyModule& m, const Any&, Any&) {
    ++calls;
    m.remove_hook(id);
    for (int i = 0; i < 20; ++i) m.register_forward_hook([&](nn::AnyModule&, const Any&, Any&) { ++later; });
  });
  net(rows());
  net(rows());
  CHECK(calls == 1);
  CHECK(later >= 20);
}

TEST_CASE("hooks: predict runs them, and an exception in one reaches the caller", "[nn]") {
  Net net;
  int calls = 0, tracked = 0;
  net.fc2.register_forward_hook(
      [&](nn::AnyModule&, const Any&, Any& out) { ++calls, tracked += out[0].requires_grad(); });
  net.predict(rows());
  CHECK((calls == 1 && tracked == 0));
  net.fc1.register_forward_hook([](nn::AnyModule&, const Any&, Any&) { throw std::runtime_error("seen"); });
  CHECK_THROWS_WITH(net(rows()), "seen");
}

TEST_CASE("a layer's output used twice is computed once, and its gradient is the sum", "[nn]") {
  nn::Linear<3, 4> fc;
  const auto x = rows();
  const auto h = fc(x);
  const tt::Tensor y = relu(h) + h;
  const tt::Tensor stored = fc(x);
  CHECK(same_bits(y, relu(stored) + stored));
  tt::backward(sum(y));
  const auto once = tests::values(fc.bias.value.grad());
  fc.zero_grad();
  tt::backward(sum(relu(stored) + stored));
  CHECK(tests::values(fc.bias.value.grad()) == once);

  fc.zero_grad();
  fc.register_forward_hook(ignore);
  const auto hooked = fc(x);
  const tt::Tensor again = hooked + relu(hooked);
  CHECK(same_bits(again, y));
  tt::backward(sum(again));
  CHECK(tests::values(fc.bias.value.grad()) == once);
}
