// expect: tt::requires_grad_: a plain tensor gathers no gradient
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void mark(tt::Variable<float, tt::Shape<3>> w, tt::Tensor<float, tt::Shape<3>> x) {
  w.requires_grad_();
#ifdef TT_COMPILE_FAIL
  x.requires_grad_();
#endif
}
