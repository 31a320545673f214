// expect: this layer cannot take its input
// expect: Linear<32, 10>, *tt::error::expected<.*axis<'b', *'a', *'t', *'c', *'h'>, *tt::error::extent<32> *>
// expect: got<.*axis<'b', *'a', *'t', *'c', *'h'>, *tt::error::extent<64> *>
// expect: nn_member.cpp:21:
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

namespace nn = tt::nn;

struct Net : nn::Module<Net> {
  nn::Linear<64, 64> fc1;
  nn::ReLU relu;
#ifdef TT_COMPILE_FAIL
  nn::Linear<32, 10> fc2;
#else
  nn::Linear<64, 10> fc2;
#endif
  TT_MODULE(fc1, relu, fc2)
  template <class X>
  auto forward(const X& x) {
    return fc2(relu(fc1(x)));
  }
};

void train(Net& net, const tt::Tensor<float, tt::Shape<tt::dim("batch"), 64>>& x,
           const tt::Tensor<std::int64_t, tt::Shape<tt::dim("batch")>>& y) {
  tt::backward(tt::cross_entropy(net(x), y));  // goes on with the output that was expected
}
