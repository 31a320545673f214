// expect: tt::matmul: the leading extents do not broadcast
// expect: got<tt::error::extent<2>, tt::error::extent<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void multiply(tt::Tensor<float, tt::Shape<2, 3, 4>> a, tt::Tensor<float, tt::Shape<5, 4, 3>> b,
              tt::Tensor<float, tt::Shape<1, 4, 3>> c) {
  tt::Tensor good = relu(tt::matmul(a, c)) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = relu(tt::matmul(a, b)) + 1;
#endif
}
