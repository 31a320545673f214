// expect: tt::matmul: bools have no products
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void multiply(tt::Tensor<bool, tt::Shape<2, 2>> a) {
  tt::Tensor good = tt::matmul(tt::to<float>(a), tt::to<float>(a));
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::matmul(a, a);
#endif
}
