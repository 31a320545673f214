// expect: these tensors cannot be joined
// expect: got<tt::error::extent<2>, tt::error::extent<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/ops.hpp>

void join(tt::Tensor<float, tt::Shape<2, 3>> a, tt::Tensor<float, tt::Shape<2, 4>> b) {
  tt::Tensor good = tt::cat<1>(a, b) + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::cat<0>(a, b) + 1;
#endif
}
