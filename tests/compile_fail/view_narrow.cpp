// expect: a position is outside the axis
// expect: positions<4, *3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::narrow<1, -4, 3>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::narrow<1, 4, 3>(a);
#endif
}
