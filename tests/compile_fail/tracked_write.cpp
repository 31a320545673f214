// expect: writing into a plain tensor is not recorded
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void update(tt::Variable<float, tt::Shape<3>> w, tt::Tensor<float, tt::Shape<3>> x) {
  x += w.detach();
#ifdef TT_COMPILE_FAIL
  x += w;
#endif
}
