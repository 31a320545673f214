// expect: bmm two stacks of matrices
// expect: got<tt::error::extent<4>, tt::error::extent<3> ?>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void multiply(tt::Tensor<float, tt::Shape<2, 3, 4>> a, tt::Tensor<float, tt::Shape<4, 3>> b) {
  tt::Tensor good = tt::matmul(a, b) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::bmm(a, b) + 1;
#endif
}
