// expect: a position is outside the axis
// expect: positions<3, *2>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::split_with_sizes<1, 3, 2, 1>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::split_with_sizes<1, 3, 2>(a);
#endif
}
