// expect: tt::repeat: each axis needs a number of repeats
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/ops.hpp>

void copies(tt::Tensor<float, tt::Shape<2, 3>> a) {
  tt::Tensor good = tt::repeat<2, 1>(a) + tt::tile<2, 1>(a);
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::repeat<2>(a) + 1;
#endif
}
