// expect: the extents of the expression do not fit the tensor's type
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void store(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor<float, tt::Shape<2, tt::dyn>> good = a + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor<float, tt::Shape<3, 2>> bad = a + 1;
#endif
}
