#include <tt/nn.hpp>
#include <tt/optim.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <tuple>

namespace nn = tt::nn;
using tt::dyn;

// ---- modules as people write them: the line first, last, between members, over private ones, without any ----

struct LineFirst : nn::Module<LineFirst> {
  TT_MODULE(fc, act)
  nn::Linear<3, 4> fc;
  nn::ReLU act;
  template <class X>
  auto forward(const X& x) {
    return act(fc(x));
  }
};
class Hidden : public nn::Module<Hidden> {
  nn::Linear<4, 2> fc_;
  TT_MODULE(fc_, scale_)
  nn::Parameter scale_{nn::uniform({2}, 1)};

 public:
  template <class X>
  auto forward(const X& x) {
    return fc_(x) *
           scale_.for_input<tt::Shape<2>>(x);
  }
};
struct Nothing : nn::Module<Nothing> {
  template <class X>
  auto forward(const X& x) {
    return x + 1;
  }
  TT_MODULE()
};
template <tt::index_t Width>
struct Block : nn::Module<Block<Width>> {
  nn::Linear<Width, Width> fc;
  TT_MODULE(fc)
  template <class X>
  auto forward(const X& x) {
    return tanh(fc(x)) + x;
  }
};
struct Net : nn::Module<Net> {
  LineFirst first;
  std::vector<Block<4>> blocks{3};
  Hidden head;
  Nothing nothing;
  TT_MODULE(first,  // over two lines, too
            blocks, head, nothing)
  template <class X>
  auto forward(const X& x) {
    tt::Tensor h = first(x);
    for (auto& block : blocks) h = block(h);
    return nothing(head(h));
  }
};
struct Wider : nn::Module<Wider, Net> {
  nn::Linear<2, 5> more;
  TT_MODULE(more)
  template <class X>
  auto forward(const X& x) {
    return more(Net::forward(x));
  }
};
struct Scaled : nn::Module<Scaled, nn::Linear<3, 4>> {  // a library's layer, extended
  nn::Parameter scale{nn::uniform({4}, 1)};
  TT_MODULE(scale)
};
struct TwoWays : nn::Module<TwoWays> {
  nn::Linear<3, 4> left, right;
  TT_MODULE(left, right)
  template <class X, class Y>
  auto forward(const X& x, const Y& y) {
    return std::tuple(tt::Tensor(relu(left(x))), tt::Tensor(right(y)));
  }
};
struct Forgetful : nn::Module<Forgetful> {
  nn::Linear<3, 4> kept, forgotten;
  TT_MODULE(kept)
};
struct Biasless : nn::Module<Biasless> {
  nn::Linear<> fc{3, 4, false};
  nn::Parameter unset;
  TT_MODULE(fc, unset)
};

static_assert(std::is_nothrow_move_constructible_v<Net>);  // else a growing vector would copy, and optimisers go stale

template <class M>
std::string names(M& m) {
  std::string all;
  for (const auto& [name, p] : m.named_parameters()) all += name + ' ';
  return all;
}

using Rows = tt::Tensor<float, tt::Shape<tt::dim("batch"), 3>>;
const auto rows = [] { return tests::numbers<float, tt::Shape<tt::dim("batch"), 3>>({5, 3}); };

TEST_CASE("module: parameters have PyTorch's names, in the order of the line, a base's first", "[nn]") {
  Net net;
  const std::string expected =
      "first.fc.weight first.fc.bias blocks.0.fc.weight blocks.0.fc.bias blocks.1.fc.weight blocks.1.fc.bias "
      "blocks.2.fc.weight blocks.2.fc.bias head.fc.weight head.fc.bias head.scale ";
  CHECK(names(net) == expected);
  CHECK(net.num_parameters() == 16 + 3 * 20 + 12);
  Wider wider;
  CHECK(names(wider) == expected + "more.weight more.bias ");
  Scaled scaled;
  CHECK(names(scaled) == "weight bias scale ");
  Nothing nothing;
  CHECK(names(nothing).empty());
  Biasless biasless;
  CHECK(names(biasless) == "fc.weight ");
  CHECK(biasless.state_dict().size() == 1);
}

TEST_CASE("module: calls reach forward, with one input or two, and one output or a tuple", "[nn]") {
  Wider wider;
  const tt::Variable<float, tt::Shape<tt::dim("batch"), 5>> y = wider(rows());
  CHECK(y.sizes() == tt::dims{5, 5});
  Net& net = wider;
  const auto parts = tests::values(net.forward(rows()));
  tt::Tensor linear = wider.more(tt::Tensor<float, tt::Shape<dyn, 2>>(net.forward(rows()).detach()));
  CHECK(tests::values(y) == tests::values(linear));
  CHECK(parts.size() == 10);

  TwoWays two;
  const auto [a, b] = two(rows(), rows() * 2);
  CHECK(tests::same_bits(a, relu(two.left(rows()))));
  CHECK(tests::same_bits(b, two.right(rows() * 2)));
  Scaled scaled;
  CHECK(tests::same_bits(scaled(rows()), scaled.nn::Linear<3, 4>::forward(rows())));
}

TEST_CASE("module: unlisted counts what a TT_MODULE line forgets", "[nn]") {
  CHECK(nn::unlisted<Net>() == 0);
  CHECK(nn::unlisted<Wider>() == 0);
  CHECK(nn::unlisted<Scaled>() == 0);
  CHECK(nn::unlisted<TwoWays>() == 0);
  CHECK(nn::unlisted<Nothing>() == 0);
  CHECK(nn::unlisted<Biasless>() == 0);  // a parameter without a value is listed all the same
  CHECK(nn::unlisted<Forgetful>() == 2);
}

TEST_CASE("module: a copy has elements, gradients and hooks of its own", "[nn]") {
  Net net;
  net.eval();
  net.first.fc.weight.value.requires_grad_(false);
  int calls = 0;
  net.register_forward_hook([&](auto&, auto&, auto&) { ++calls; });
  Net copy = net;
  CHECK_FALSE(copy.is_training());
  const auto before = net.parameters(), after = copy.parameters();
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(tests::same_bits(before[i]->value, after[i]->value));
    CHECK(before[i]->value.data_ptr() != after[i]->value.data_ptr());
    CHECK(after[i]->value.requires_grad() == (i > 0));
    CHECK(after[i]->value.is_leaf());
  }
  tt::backward(sum(copy(rows())));
  CHECK(calls == 0);
  CHECK(after[1]->value.grad().defined());
  CHECK_FALSE(before[1]->value.grad().defined());
  net = copy;
  CHECK(net.first.fc.bias.value.data_ptr() != copy.first.fc.bias.value.data_ptr());
  net(rows());
  CHECK(calls == 1);  // its own hook stays
}

TEST_CASE("module: a move keeps the storage, so that an optimiser stays valid", "[nn]") {
  std::vector<Net> nets(1);
  tt::optim::SGD sgd(nets[0], {.lr = 0.5});
  const auto* const data = nets[0].first.fc.weight.value.data_ptr();
  nets.resize(100);  // moves
  Net net = std::move(nets[0]);
  CHECK(net.first.fc.weight.value.data_ptr() == data);
  const auto before = tests::values(net.first.fc.weight.value);
  tt::backward(sum(net(rows())));
  sgd.step();
  CHECK(tests::values(net.first.fc.weight.value) != before);
}

TEST_CASE("module: train and eval reach every module below", "[nn]") {
  Net net;
  CHECK(net.is_training());
  net.eval();
  CHECK_FALSE((net.is_training() || net.first.is_training() || net.first.act.is_training() ||
               net.blocks[2].is_training() || net.blocks[2].fc.is_training() || net.nothing.is_training()));
  net.blocks[1].train();
  CHECK((net.blocks[1].fc.is_training() && !net.blocks[0].is_training() && !net.is_training()));
}

TEST_CASE("module: requires_grad_ freezes and thaws, zero_grad drops gradients", "[nn]") {
  Net net;
  tt::optim::SGD sgd(net, {.lr = 0.1});
  net.requires_grad_(false);
  CHECK_THROWS_WITH(tt::backward(sum(net(rows()))), Contains("nothing was recorded"));
  sgd.zero_grad();
  net.zero_grad();
  sgd.step();

  net.requires_grad_();
  net.first.requires_grad_(false);
  tt::backward(sum(net(rows())));
  CHECK_FALSE(net.first.fc.weight.value.grad().defined());
  CHECK(net.blocks[0].fc.weight.value.grad().defined());
  const auto before = tests::values(net.blocks[0].fc.weight.value);
  sgd.step();  // made before the parameters were frozen and thawed
  CHECK(tests::values(net.blocks[0].fc.weight.value) != before);
  net.zero_grad();
  CHECK_FALSE(net.blocks[0].fc.weight.value.grad().defined());
  tt::backward(sum(net(rows())));
  sgd.zero_grad();
  CHECK_FALSE(net.blocks[0].fc.weight.value.grad().defined());
}
