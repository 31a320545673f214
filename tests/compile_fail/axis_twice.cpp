// expect: an axis is named twice
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void reduce(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor good = tt::sum<0, -1>(a);
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::sum<0, -2>(a);
#endif
}
