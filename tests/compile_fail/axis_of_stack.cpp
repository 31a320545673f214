// expect: this axis does not exist
// expect: at_axis<2>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/ops.hpp>

void join(tt::Tensor<float, tt::Shape<3>> a) {
  tt::Tensor good = tt::stack<1>(a, a) + 1;   // one axis more than its operands have
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::stack<2>(a, a) + 1;
#endif
}
