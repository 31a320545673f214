#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <tuple>

namespace nn = tt::nn;
using tests::numbers;
using tt::dim;
using tt::dyn;
using tt::Shape;

struct Net : nn::Module<Net> {
  nn::Linear<3, 4> fc1;
  nn::Linear<4, 2> fc2;
  TT_MODULE(fc1, fc2)
  template <class X>
  auto forward(const X& x) {
    return fc2(tanh(fc1(x)));
  }
};
/// h = tanh(W x + U h), from a state that takes its order from x.
struct Cell : nn::Module<Cell> {
  nn::Linear<3, 4> in;
  nn::Linear<4, 4> back;
  TT_MODULE(in, back)
  template <class X>
  auto forward(const X& x, int steps) {
    auto h = tt::new_zeros<Shape<5, 4>>(x);
    static_assert(tt::order_of<decltype(h)> == tt::order_of<X>);
    auto state = tt::eval(tanh(in(x) + back(h)));
    for (int i = 1; i < steps; ++i) state = tanh(in(x) + back(state));
    return state;
  }
};
struct Several : nn::Module<Several> {
  nn::Linear<3, 4> fc;
  TT_MODULE(fc)
  template <class X, class Y>
  auto forward(const X& x, const Y& y) {
    const auto h = fc(x);
    return std::tuple(sum<1>(h), argmax<1>(h), relu(h) * y, 7);
  }
};
const auto rows = [] { return numbers<float, Shape<dim("n"), 3>>({5, 3}); };

template <class Plain>
inline constexpr int plain_order = std::is_base_of_v<tt::AnyTensor, Plain> ? tt::order_of<Plain> : -2;

TEST_CASE("predict: plain tensors with the values of a call, and nothing on the tape", "[nn]") {
  Net net;
  const auto y = net.predict(rows());
  static_assert(std::is_same_v<decltype(y), const tt::Tensor<float, Shape<dim("n"), 2>>>);
  CHECK_FALSE(y.requires_grad());
  CHECK(tests::same_bits(y, net(rows())));
  for (const auto* p : net.parameters()) CHECK(p->value.requires_grad());  // frozen in the call, not in the network
}

TEST_CASE("predict: a layer and a chain have it too, and any input may be given", "[nn]") {
  nn::Linear fc(3, 4);
  static_assert(std::is_same_v<decltype(fc.predict(rows())), tt::Tensor<float, Shape<dim("n"), dyn>>>);
  CHECK(tests::same_bits(fc.predict(rows()), fc(rows())));
  CHECK(tests::same_bits(fc.predict(rows() * 2), fc(rows() * 2)));
  nn::Sequential<nn::Linear<3, 4>, nn::Sigmoid> chain;
  CHECK(tests::same_bits(chain.predict(rows()), chain(rows())));

  const auto x = tests::leaf<float, Shape<5, 3>>({5, 3});
  const auto y = fc.predict(x);  // tracked: its history ends here
  static_assert(tt::order_of<decltype(y)> == 0);
  CHECK_FALSE(y.requires_grad());
  CHECK(x.requires_grad());
  tt::backward(sum(fc(x)));
  CHECK(x.grad().defined());
}

TEST_CASE("predict: a recurrent network whose state starts from its input stays frozen", "[nn]") {
  Cell cell;
  const auto plain = cell.predict(rows(), 5);
  static_assert(tt::order_of<decltype(plain)> == 0);
  auto h = tt::Tensor(tanh(cell.in(rows()) + cell.back(tt::zeros<float, Shape<5, 4>>())));
  for (int i = 1; i < 5; ++i) h = tanh(cell.in(rows()) + cell.back(h));
  CHECK(tests::same_bits(plain, h));
}

TEST_CASE("predict: tuples come back plain, with what is no tensor left alone", "[nn]") {
  Several net;
  const auto [sums, best, product, number] = net.predict(rows(), numbers<float, Shape<5, 4>>({5, 4}));
  static_assert(plain_order<std::remove_cvref_t<decltype(sums)>> == 0 &&
                plain_order<std::remove_cvref_t<decltype(best)>> == 0 &&
                plain_order<std::remove_cvref_t<decltype(product)>> == 0);
  CHECK(number == 7);
  const auto [s, b, p, n] = net(rows(), numbers<float, Shape<5, 4>>({5, 4}));
  CHECK(tests::same_bits(sums, s));
  CHECK(tests::same_bits(best, b));
  CHECK(tests::same_bits(product, p));
  CHECK(n == number);
}
