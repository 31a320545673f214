// expect: this layer cannot take its input
// expect: layer_number<2>, *tt::nn::error::layer_number<1>, *tt::nn::Linear<16, 10>
// expect: expected<tt::error::dynamic, *tt::error::extent<16> *>
// expect: got<tt::error::dynamic, *tt::error::extent<32> *>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

namespace nn = tt::nn;

#ifdef TT_COMPILE_FAIL
using Tail = nn::Sequential<nn::Tanh, nn::Linear<16, 10>>;
#else
using Tail = nn::Sequential<nn::Tanh, nn::Linear<32, 10>>;
#endif
using Net = nn::Sequential<nn::Linear<64, 32>, nn::ReLU, Tail, nn::Linear<10, 2>>;

void train(Net& net, const tt::Tensor<float, tt::Shape<tt::dyn, 64>>& x) {
  const tt::Variable<float, tt::Shape<tt::dyn, 2>> y = net(x);
  tt::backward(sum(y * y));
}
