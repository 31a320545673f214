// expect: tt::grad: a plain tensor gathers no gradient
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Variable<float, tt::Shape<3>> w, tt::Tensor<float, tt::Shape<3>> x) {
  tt::Tensor good = w.grad() + 1;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = x.grad() + 1;
#endif
}
