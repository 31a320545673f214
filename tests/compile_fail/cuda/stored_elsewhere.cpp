// expect: the expression is on another device than the tensor
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/cuda.hpp>

void store(tt::Tensor<float, tt::Shape<3>, tt::cuda> a) {
  tt::Tensor<float, tt::Shape<3>> good = tt::to<tt::cpu>(a);
#ifdef TT_COMPILE_FAIL
  tt::Tensor<float, tt::Shape<3>> bad = a;
#endif
}
