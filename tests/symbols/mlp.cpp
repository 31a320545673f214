// A network that only predicts; with TT_TRAIN it also learns.
#include <tt/io.hpp>
#include <tt/nn.hpp>
#include <tt/optim.hpp>

namespace nn = tt::nn;
using Rows = tt::Tensor<float, tt::Shape<tt::dim("batch"), 64>>;
using Labels = tt::Tensor<std::int64_t, tt::Shape<tt::dim("batch")>>;

struct Net : nn::Module<Net> {
  nn::Linear<64, 64> fc1;
  nn::ReLU relu;
  nn::Sequential<nn::Linear<64, 32>, nn::Tanh, nn::Linear<32, 10>> tail;
  TT_MODULE(fc1, relu, tail)
  template <class X>
  auto forward(const X& x) {
    const auto h = relu(fc1(x));
    return softmax<1>(tail(h / (sum<1>(h, tt::keepdim) + 1)));
  }
};

Labels classify(const Rows& x) {
  Net net;
  net.load_state_dict(tt::load("model.safetensors"));
  return tt::argmax<1>(net.predict(x));
}

#ifdef TT_TRAIN
void train(Net& net, const Rows& x, const Labels& y) {
  tt::optim::Adam adam(net, {.lr = 1e-3});
  tt::backward(tt::cross_entropy(net(x), y));
  adam.step();
}
#endif
