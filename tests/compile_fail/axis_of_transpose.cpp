// expect: this axis does not exist
// expect: at_axis<2>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void view(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor good = tt::transpose<0, 1>(a) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::transpose<0, 2>(a) * 2;
#endif
}
