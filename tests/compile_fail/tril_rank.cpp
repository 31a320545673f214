// expect: a triangle is one of a matrix
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/ops.hpp>

void part(tt::Tensor<float, tt::Shape<2, 3>> a, tt::Tensor<float, tt::Shape<3>> v) {
  tt::Tensor good = tt::tril(a) + v;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::tril(v) + v;
#endif
}
