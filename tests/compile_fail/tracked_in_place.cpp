// expect: writing into a Variable is not recorded
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void step(tt::Variable<float, tt::Shape<3>> w, tt::Tensor<float, tt::Shape<3>> g) {
  w.detach() -= g * 0.1;
#ifdef TT_COMPILE_FAIL
  w -= g * 0.1;
#endif
}
