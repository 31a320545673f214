// expect: this axis does not exist
// expect: at_axis<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::unsqueeze<2>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::unsqueeze<3>(a);
#endif
}
