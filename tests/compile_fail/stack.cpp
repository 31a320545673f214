// expect: these tensors cannot be joined
// expect: got<tt::error::extent<4> ?>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/ops.hpp>

void join(tt::Tensor<float, tt::Shape<3>> a, tt::Tensor<float, tt::Shape<4>> b) {
  tt::Tensor good = tt::stack<1>(a, a) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::stack<1>(a, b) + 1;
#endif
}
