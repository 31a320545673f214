// expect: the first axis must not come after the last
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::flatten<0, 1>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::flatten<1, 0>(a);
#endif
}
