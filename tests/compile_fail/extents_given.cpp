// expect: this shape has extents known at run time only
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void make(tt::index_t n) {
  tt::Tensor good = tt::zeros<float, tt::Shape<tt::dyn, 3>>({n, 3}) + tt::zeros<float, tt::Shape<3>>();
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::zeros<float, tt::Shape<tt::dyn, 3>>() + 1;
#endif
}
