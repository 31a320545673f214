// expect: orders above 1 need
// expect: second_order.hpp
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void twice(tt::Tensor<double, tt::Shape<2>, tt::cpu, 1> x) {
  (void)(x * x);
#ifdef TT_COMPILE_FAIL
  tt::Tensor<double, tt::Shape<2>, tt::cpu, 2> y;
#endif
}
