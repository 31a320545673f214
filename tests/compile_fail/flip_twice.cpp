// expect: an axis is named twice
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/ops.hpp>

void turn(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor good = tt::flip<0, 1>(a) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::flip<1, -1>(a) + 1;
#endif
}
