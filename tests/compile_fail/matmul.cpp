// expect: tt::matmul: the inner extents differ
// expect: got<tt::error::extent<2>, tt::error::extent<3> ?>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void multiply(tt::Tensor<float, tt::Shape<2, 3>> a, tt::Tensor<float, tt::Shape<3, 4>> b) {
  tt::Tensor good = relu(tt::matmul(a, b)) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = relu(tt::matmul(b, a)) + 1;   // one mistake, reported once although more follows
#endif
}
