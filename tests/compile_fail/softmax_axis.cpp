// expect: this axis does not exist
// expect: at_axis<2>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void classify(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor good = log(tt::softmax<1>(a));
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = log(tt::softmax<2>(a));
#endif
}
