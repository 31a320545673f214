#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

namespace nn = tt::nn;
using tt::AnyTensor;
using tt::dims;
using tt::dtype;

struct Net : nn::Module<Net> {
  nn::Linear<3, 4> fc1;
  nn::Linear<> fc2{4, 2};
  nn::Parameter mean{AnyTensor::empty(dtype::float32, {2}), true};  // a buffer
  TT_MODULE(fc1, fc2, mean)
  Net() { mean.value.copy_(tests::numbers<float, tt::Shape<2>>({2})); }
  template <class X>
  auto forward(const X& x) {
    return fc2(relu(fc1(x)));
  }
};

std::vector<std::vector<double>> all_values(Net& net) {
  std::vector<std::vector<double>> out;
  for (const auto& [name, value] : net.state_dict()) out.push_back(tests::values(value));
  return out;
}
/// A state of the same names with elements of its own.
nn::StateDict other_state() {
  Net other;
  return other.state_dict();
}

TEST_CASE("state_dict: names, parameters and buffers; the tensors themselves, without history", "[nn]") {
  Net net;
  const nn::StateDict state = net.state_dict();
  std::string names;
  for (const auto& [name, value] : state) names += name + ' ';
  CHECK(names == "fc1.weight fc1.bias fc2.weight fc2.bias mean ");
  CHECK(net.named_parameters().size() == 4);
  CHECK(net.num_parameters() == 12 + 4 + 8 + 2);
  CHECK_FALSE(net.mean.value.requires_grad());
  for (const auto& [name, value] : state) CHECK_FALSE(value.requires_grad());
  state[1].second.copy_(AnyTensor(tt::full<float, tt::Shape<4>>(7)));
  CHECK(tests::values(net.fc1.bias.value) == std::vector<double>(4, 7));
}

TEST_CASE("load_state_dict: copies every tensor, in any order, and keeps leaves and storage", "[nn]") {
  Net net;
  const auto* const data = net.fc1.weight.value.data_ptr();
  const unsigned version = net.fc1.weight.value.version();
  nn::StateDict state = other_state();
  std::swap(state[0], state[4]);
  std::swap(state[1], state[3]);
  net.load_state_dict(state);
  std::swap(state[0], state[4]);
  std::swap(state[1], state[3]);
  for (std::size_t i = 0; i < state.size(); ++i) CHECK(tests::same_bits(net.state_dict()[i].second, state[i].second));
  CHECK(net.fc1.weight.value.data_ptr() == data);
  CHECK(net.fc1.weight.value.data_ptr() != state[0].second.data_ptr());
  CHECK(net.fc1.weight.value.is_leaf());
  CHECK(net.fc1.weight.value.requires_grad());
  CHECK(net.fc1.weight.value.version() > version);
}

TEST_CASE("load_state_dict: a state of its own changes nothing", "[nn]") {
  Net net;
  const auto before = all_values(net);
  net.load_state_dict(net.state_dict());
  CHECK(all_values(net) == before);
}

TEST_CASE("load_state_dict: other dtypes and layouts are converted", "[nn]") {
  Net net;
  nn::StateDict state = other_state();
  const AnyTensor wide = AnyTensor::empty(dtype::float64, {4, 3});
  wide.copy_(state[0].second);
  const AnyTensor whole = AnyTensor::empty(dtype::int64, {4});
  whole.copy_(AnyTensor(tt::full<std::int64_t, tt::Shape<4>>(3)));
  const auto weight = tests::values(state[0].second), second = tests::values(state[2].second);
  state[0].second = wide;
  state[1].second = whole;
  state[2].second = tests::scattered(state[2].second);
  net.load_state_dict(state);
  CHECK(net.fc1.weight.value.dtype() == dtype::float32);
  CHECK(tests::values(net.fc1.weight.value) == weight);
  CHECK(tests::values(net.fc1.bias.value) == std::vector<double>(4, 3));
  CHECK(tests::values(net.fc2.weight.value) == second);
}

TEST_CASE("load_state_dict: another module's state is refused with every fault, and nothing is copied", "[nn]") {
  Net net;
  const auto before = all_values(net);
  nn::StateDict state = other_state();
  const auto refused = [&](const std::string& what) {
    CHECK_THROWS_WITH(net.load_state_dict(state), "tt::nn: load_state_dict: the state is another module's: " + what);
    CHECK(all_values(net) == before);
  };
  SECTION("a name is missing") {
    state.erase(state.begin() + 2);
    refused("fc2.weight is missing");
  }
  SECTION("a name is left over") {
    state.emplace_back("fc3.weight", state[0].second);
    refused("fc3.weight is not part of the module");
  }
  SECTION("a name differs") {
    state[4].first = "mean_";
    refused("mean is missing, mean_ is not part of the module");
  }
  SECTION("a name occurs twice") {
    state.push_back(state[1]);
    refused("fc1.bias occurs twice");
  }
  SECTION("a shape differs, though the number of elements does not") {
    state[0].second = AnyTensor::empty(dtype::float32, {3, 4});
    refused("fc1.weight is [3, 4] instead of [4, 3]");
  }
  SECTION("a shape would broadcast") {
    state[1].second = AnyTensor::empty(dtype::float32, {1});
    refused("fc1.bias is [1] instead of [4]");
  }
  SECTION("a tensor has no elements") {
    state[3].second = {};
    refused("fc2.bias is missing");
  }
  SECTION("all at once") {
    state[0].second = AnyTensor::empty(dtype::float32, {4});
    state[2].first = "fc2.weights";
    refused("fc1.weight is [4] instead of [4, 3], fc2.weight is missing, fc2.weights is not part of the module");
  }
  SECTION("an empty state") {
    state.clear();
    refused("fc1.weight is missing, fc1.bias is missing, fc2.weight is missing, fc2.bias is missing, mean is missing");
  }
}

TEST_CASE("load_state_dict: one state serves a network with static and one with dynamic sizes", "[nn]") {
  nn::Sequential<nn::Linear<3, 4>, nn::ReLU, nn::Linear<4, 2>> fixed;
  nn::Sequential open(nn::Linear(3, 4), nn::ReLU{}, nn::Linear(4, 2));
  open.load_state_dict(fixed.state_dict());
  const auto x = tests::numbers<float, tt::Shape<5, 3>>({5, 3});
  CHECK(tests::same_bits(fixed(x), open(x)));
}

TEST_CASE("load_state_dict: a graph recorded before is refused, since its weights are gone", "[nn]") {
  Net net;
  const tt::Tensor y = sum(net(tests::numbers<float, tt::Shape<5, 3>>({5, 3})));
  net.load_state_dict(other_state());
  CHECK_THROWS_WITH(tt::backward(y), Contains("changed in place"));
}
