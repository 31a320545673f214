// expect: this operation is not defined for the dtype of its operands
// expect: ops::neg, bool
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void negate(tt::Tensor<float, tt::Shape<3>> a) {
  tt::Tensor good = -tt::to<float>(a > 0) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = -(a > 0) * 2;
#endif
}
