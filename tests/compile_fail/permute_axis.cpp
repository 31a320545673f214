// expect: this axis does not exist
// expect: at_axis<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void view(tt::Tensor<float, tt::Shape<2, 3, 4>> a) {
  tt::Tensor good = tt::permute<2, 0, -2>(a) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::permute<2, 0, 3>(a) * 2;
#endif
}
