// A network, cross-entropy, backward and SGD.
#include <tt/nn.hpp>
#include <tt/optim.hpp>
#include <tt/tensor.hpp>

#include <cstdio>

constexpr tt::index_t batch = tt::dim("batch");

struct Net : tt::nn::Module<Net> {
  tt::nn::Linear<784, 256> fc1;
  tt::nn::Linear<256, 128> fc2;
  tt::nn::Linear<128, 10> fc3;
  TT_MODULE(fc1, fc2, fc3)
  auto forward(const auto& x) { return fc3(relu(fc2(relu(fc1(x))))); }
};

int main() {
  Net net;
  tt::optim::SGD sgd(net, {.lr = 1e-3});
  const auto x = tt::rand<float, tt::Shape<batch, 784>>({64, 784});
  const auto y = tt::zeros<std::int64_t, tt::Shape<batch>>({64});
  for (int i = 0; i < 10; ++i) {
    tt::Tensor loss = tt::cross_entropy(net(x), y);
    sgd.zero_grad();
    tt::backward(loss);
    sgd.step();
    std::printf("%g\n", double(loss.item()));
  }
}
