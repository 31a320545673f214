// expect: more than 16 axes
// budget: 5 errors, 130 lines, 12000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::reshape<1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 12>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::reshape<1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 12>(a);
#endif
}
