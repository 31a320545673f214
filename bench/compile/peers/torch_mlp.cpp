#include <torch/torch.h>
#include <cstdio>
int main() {
  torch::nn::Sequential m(torch::nn::Linear(784, 256), torch::nn::ReLU(), torch::nn::Linear(256, 128),
                          torch::nn::ReLU(), torch::nn::Linear(128, 10));
  torch::optim::SGD opt(m->parameters(), 1e-3);
  auto x = torch::rand({64, 784});
  auto y = torch::randint(10, {64}, torch::kLong);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(m->forward(x), y);
    loss.backward();
    opt.step();
    std::printf("%g\n", loss.item<float>());
  }
}
