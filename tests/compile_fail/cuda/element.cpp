// expect: the host does not reach the elements of a tensor on CUDA
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/cuda.hpp>

float first(tt::Tensor<float, tt::Shape<3>, tt::cuda> a) {
  float good = tt::to<tt::cpu>(a)(0);
#ifdef TT_COMPILE_FAIL
  good += a(0);
#endif
  return good;
}
