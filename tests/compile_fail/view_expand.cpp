// expect: the extents do not expand to these
// expect: extent<2>, *tt::error::extent<6>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::expand<3, 2, -1>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::expand<3, 6>(a);
#endif
}
