// expect: this axis does not exist
// expect: at_axis<2>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void reduce(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor good = exp(tt::sum<1>(a, tt::keepdim) / a);
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = exp(tt::sum<2>(a, tt::keepdim) / a);
#endif
}
