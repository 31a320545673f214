// expect: nothing in this expression is tracked
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void train(tt::Variable<float, tt::Shape<3>> w, tt::Tensor<float, tt::Shape<3>> x) {
  tt::backward(sum(w * x));
#ifdef TT_COMPILE_FAIL
  tt::backward(sum(x * x));
#endif
}
