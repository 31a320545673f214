// The network: 64 pixels, one hidden layer, ten classes.
#pragma once
#include <tt/nn.hpp>

namespace digits {

inline constexpr tt::index_t batch = tt::dim("batch");
using Images = tt::Tensor<float, tt::Shape<batch, 64>>;
using Labels = tt::Tensor<std::int64_t, tt::Shape<batch>>;

struct Net : tt::nn::Module<Net> {
  tt::nn::Linear<64, 64> fc1;
  tt::nn::ReLU relu;
  tt::nn::Linear<64, 10> fc2;
  TT_MODULE(fc1, relu, fc2)

  template <class X>
  auto forward(const X& x) {
    return fc2(relu(fc1(x)));
  }
};

}  // namespace digits
