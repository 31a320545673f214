// expect: this layer cannot take its input
// expect: Linear<64, 10>, *tt::error::expected<tt::error::anything, *tt::error::extent<64> *>, *tt::error::got<>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

void run(tt::nn::Linear<64, 10>& fc, const tt::Tensor<float, tt::Shape<5, 64>>& x) {
  (void)fc(x);
#ifdef TT_COMPILE_FAIL
  tt::backward(sum(fc(sum(x))));
#endif
}
