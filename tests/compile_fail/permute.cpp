// expect: tt::permute: each axis must be named once
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void view(tt::Tensor<float, tt::Shape<2, 3, 4>> a) {
  tt::Tensor good = tt::permute<2, 0, -2>(a) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::permute<2, 0, 0>(a) * 2;
#endif
}
