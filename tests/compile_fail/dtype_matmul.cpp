// expect: tt::matmul: both operands must have one dtype
// expect: float, double
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void multiply(tt::Tensor<float, tt::Shape<2, 2>> a, tt::Tensor<double, tt::Shape<2, 2>> b) {
  tt::Tensor good = tt::matmul(tt::to<double>(a), b) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::matmul(a, b) + 1;
#endif
}
