// expect: both the result and what it is differentiated by must be Variables
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/autograd.hpp>

void derive(tt::Variable<double, tt::Shape<2>> x, tt::Tensor<double, tt::Shape<2>> plain) {
  (void)tt::grad(sum(x * x), x);
#ifdef TT_COMPILE_FAIL
  (void)tt::grad(sum(x * plain), plain);
#endif
}
