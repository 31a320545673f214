// expect: the extents of the operands do not broadcast
// expect: extent<2>.*extent<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void add(tt::Tensor<float, tt::Shape<2>> a, tt::Tensor<float, tt::Shape<3>> b) {
  tt::Tensor good = tanh(a) * a;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tanh(a + b) * a;
#endif
}
