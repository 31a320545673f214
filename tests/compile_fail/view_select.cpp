// expect: a position is outside the axis
// expect: positions<-3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::select<0, -2>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::select<0, -3>(a);
#endif
}
