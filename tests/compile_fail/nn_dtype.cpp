// expect: the input must be float or double: cast it
// expect: Linear<64, 10>, *tt::error::got<(unsigned char|std::uint8_t)>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

void run(tt::nn::Linear<64, 10>& fc, const tt::Tensor<std::uint8_t, tt::Shape<5, 64>>& pixels) {
  tt::backward(sum(fc(tt::to<float>(pixels))));
#ifdef TT_COMPILE_FAIL
  tt::backward(sum(relu(fc(pixels))));
#endif
}
