// expect: the expression has another dtype than the tensor
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void store(tt::Tensor<float, tt::Shape<3>> a, tt::Tensor<double, tt::Shape<3>> b) {
  tt::Tensor<double, tt::Shape<3>> good = a + b;
#ifdef TT_COMPILE_FAIL
  tt::Tensor<float, tt::Shape<3>> bad = a + b;
#endif
}
