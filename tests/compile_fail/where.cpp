// expect: tt::where: the condition must be bool
// expect: operands<float>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void choose(tt::Tensor<float, tt::Shape<3>> a, tt::Tensor<float, tt::Shape<3>> b) {
  tt::Tensor good = exp(tt::where(a != 0, a, b));
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = exp(tt::where(a, a, b));
#endif
}
