// expect: a position is outside the axis
// expect: positions<7>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::unfold<1, 6>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::unfold<1, 7>(a);
#endif
}
