// expect: this reduction is not defined for the dtype of its operand
// expect: ops::mean, long
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void average(tt::Tensor<std::int64_t, tt::Shape<2, 3>> a) {
  tt::Tensor good = tt::mean<0>(tt::to<float>(a)) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::mean<0>(a) + 1;
#endif
}
