// expect: the extents are no expansion of these
// expect: error::extent<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::sum_to_size<6>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::sum_to_size<3>(a);
#endif
}
