#include <tt/autograd/gradcheck.hpp>
#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"
#include "doubles.hpp"

namespace nn = tt::nn;
using tests::numbers;
using tt::dim;
using tt::dyn;
using tt::Shape;

using Mlp = nn::Sequential<nn::Linear<3, 8>, nn::ReLU, nn::Linear<8, 4>, nn::Tanh, nn::Linear<4, 2>>;

/// A block that Sequential knows nothing about before it runs.
struct Residual : nn::Module<Residual> {
  nn::Linear<4, 4> fc;
  TT_MODULE(fc)
  template <class X>
  auto forward(const X& x) {
    return relu(fc(x)) + x;
  }
};

struct Net : nn::Module<Net> {
  nn::Sequential<nn::Linear<3, 4>, nn::ReLU> body;
  nn::Linear<4, 2> head;
  TT_MODULE(body, head)
  template <class X>
  auto forward(const X& x) {
    return head(body(x));
  }
};

template <class M>
std::string names(M& m) {
  std::string all;
  for (const auto& [name, p] : m.named_parameters()) all += name + ' ';
  return all;
}

static_assert(std::is_same_v<nn::output_shape<Mlp, Shape<dim("n"), 3>>, Shape<dim("n"), 2>>);
static_assert(std::is_same_v<nn::output_shape<nn::Sequential<>, Shape<dyn, 7>>, Shape<dyn, 7>>);
static_assert(
    std::is_same_v<decltype(nn::Sequential(nn::Linear(3, 8), nn::ReLU{})), nn::Sequential<nn::Linear<>, nn::ReLU>>);
static_assert(std::is_same_v<nn::output_shape<nn::Sequential<nn::Linear<3, 8>, nn::Linear<>>, Shape<3>>, Shape<dyn>>);

// Refusals are told layer by layer, through nested chains, and the rest of the chain goes on with what was expected.
constexpr auto refused =
    nn::Sequential<nn::Linear<3, 8>, nn::Sequential<nn::ReLU, nn::Linear<9, 4>>, nn::Linear<4, 2>>::rule({5, 3});
static_assert(!refused.ok && refused.depth == 2 && refused.path[0] == 1 && refused.path[1] == 1);
static_assert(refused.want == tt::dims{5, 9} && refused.have == tt::dims{5, 8} && refused.out == tt::dims{5, 2});
template <int Depth, class Layer>
struct nested {
  using type = nn::Sequential<nn::ReLU, typename nested<Depth - 1, Layer>::type>;
};
template <class Layer>
struct nested<0, Layer> {
  using type = Layer;
};
constexpr auto far_down = nested<6, nn::Linear<9, 4>>::type::rule({5, 3});
static_assert(!far_down.ok && far_down.depth == nn::max_path && far_down.path[3] == 1);

TEST_CASE("sequential: runs its layers one after the other, static, from values, nested", "[nn]") {
  Mlp net;
  CHECK(names(net) == "0.weight 0.bias 2.weight 2.bias 4.weight 4.bias ");
  CHECK(net.num_parameters() == 32 + 36 + 10);
  const auto x = numbers<float, Shape<dim("n"), 3>>({6, 3});
  auto& l = net.layers;
  const tt::Tensor by_hand =
      nn::detail::slot_at<4>(l)(tanh(nn::detail::slot_at<2>(l)(relu(nn::detail::slot_at<0>(l)(x)))));
  CHECK(tests::same_bits(net(x), by_hand));

  nn::Sequential values(nn::Linear(3, 8), nn::ReLU{}, nn::Linear(8, 4), nn::Tanh{}, nn::Linear<4, 2>{});
  values.load_state_dict(net.state_dict());
  CHECK(tests::same_bits(values(x), by_hand));

  nn::Sequential<nn::Sequential<nn::Linear<3, 8>, nn::ReLU>,
                 nn::Sequential<nn::Linear<8, 4>, nn::Tanh, nn::Linear<4, 2>>>
      deep;
  CHECK(names(deep) == "0.0.weight 0.0.bias 1.0.weight 1.0.bias 1.2.weight 1.2.bias ");
  const auto from = net.parameters(), to = deep.parameters();
  for (std::size_t i = 0; i < from.size(); ++i) to[i]->value.detach().copy_(from[i]->value);
  CHECK(tests::same_bits(deep(x), by_hand));
}

TEST_CASE("sequential: one layer, none, and layers of the user's own", "[nn]") {
  const auto x = numbers<float, Shape<5, 4>>({5, 4});
  nn::Sequential<> nothing;
  CHECK(tests::same_bits(nothing(x), x));
  nn::Sequential<nn::ReLU> one;
  CHECK(tests::same_bits(one(x), relu(x)));

  nn::Sequential<Residual, nn::Sigmoid, Residual> own;
  CHECK(names(own) == "0.fc.weight 0.fc.bias 2.fc.weight 2.fc.bias ");
  auto& l = own.layers;
  CHECK(tests::same_bits(own(x), nn::detail::slot_at<2>(l)(sigmoid(nn::detail::slot_at<0>(l)(x)))));
  CHECK(nn::unlisted<decltype(own)>() == 0);
  nn::Sequential<nn::Sequential<Residual>, nn::Linear<4, 2>> around;
  CHECK(tests::values(around(x)).size() == 10);
}

TEST_CASE("sequential: a member of a network, copied and moved with it", "[nn]") {
  Net net;
  CHECK(names(net) == "body.0.weight body.0.bias head.weight head.bias ");
  Net copy = net;
  const auto x = numbers<float, Shape<5, 3>>({5, 3});
  CHECK(tests::same_bits(net(x), copy(x)));
  net.eval();
  CHECK_FALSE(nn::detail::slot_at<1>(net.body.layers).is_training());
  CHECK(nn::detail::slot_at<1>(copy.body.layers).is_training());
  const Net moved = std::move(copy);
  CHECK(moved.head.weight.value.defined());
}

TEST_CASE("sequential: gradients of input and all parameters", "[nn]") {
  auto net = tests::doubles(Mlp());
  const auto x = tests::leaf<double, Shape<5, 3>>({5, 3});
  const auto call = [&](const auto& own, const auto&... value) {
    const auto p = net.parameters();
    std::size_t i = 0;
    ((p[i++]->value = value), ...);
    return net(own);
  };
  CHECK(tt::gradcheck(call, x, tests::leaf<double, Shape<8, 3>>({8, 3}, -1, 1, 2),
                      tests::leaf<double, Shape<8>>({8}, -1, 1, 3), tests::leaf<double, Shape<4, 8>>({4, 8}, -1, 1, 4),
                      tests::leaf<double, Shape<4>>({4}, -1, 1, 5), tests::leaf<double, Shape<2, 4>>({2, 4}, -1, 1, 6),
                      tests::leaf<double, Shape<2>>({2}, -1, 1, 7)));
}

TEST_CASE("sequential: what fits at compile time only is refused at the layer", "[nn]") {
  nn::Sequential net(nn::Linear(3, 8), nn::ReLU{}, nn::Linear(7, 4));
  CHECK_THROWS_WITH(net(numbers<float, Shape<5, 3>>({5, 3})),
                    "tt::nn::Linear: expected 7 as the last extent, got [5, 8]");
}
