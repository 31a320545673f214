// expect: the operands are on two devices
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/cuda.hpp>

void add(tt::Tensor<float, tt::Shape<3>> a, tt::Tensor<float, tt::Shape<3>, tt::cuda> b) {
  auto good = a + tt::to<tt::cpu>(b);
#ifdef TT_COMPILE_FAIL
  auto bad = a + b;
#endif
}
