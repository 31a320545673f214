// expect: tt: the number of elements differs
// expect: extent<2>, tt::error::extent<6>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void view(tt::Tensor<float, tt::Shape<2, 6>> a) {
  tt::Tensor good = tt::reshape<3, 4>(a) + tt::reshape<3, -1>(a);
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::reshape<5, 2>(a) + 1;
#endif
}
