// The same network, used only: no backward may be compiled.
#include <tt/nn.hpp>
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
  const auto x = tt::rand<float, tt::Shape<batch, 784>>({64, 784});
  std::printf("%g\n", double(net.predict(x)(0, 0)));
}
