// expect: the two axes must differ
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::diagonal<0, 1, 0>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::diagonal<0, 1, -1>(a);
#endif
}
