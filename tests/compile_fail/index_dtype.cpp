// expect: the index must be int64 or uint8
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void take(tt::Tensor<float, tt::Shape<5>> a) {
  tt::Tensor good = tt::index_select<0>(a, tt::argmax<0>(a)) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::index_select<0>(a, a > 0) * 2;
#endif
}
