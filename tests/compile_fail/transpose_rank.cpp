// expect: tt::transpose: the tensor needs two axes
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void view(tt::Tensor<float, tt::Shape<2, 3>> a, tt::Tensor<float, tt::Shape<3>> b) {
  tt::Tensor good = tt::transpose(a) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::transpose(b) * 2;
#endif
}
