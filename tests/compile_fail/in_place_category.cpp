// expect: the result is of a higher category than the tensor that is written
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void write(tt::Tensor<std::int64_t, tt::Shape<3>> n, tt::Tensor<std::int8_t, tt::Shape<3>> narrow) {
  tt::neg_(narrow), narrow.mul_(n);
#ifdef TT_COMPILE_FAIL
  tt::exp_(n);
#endif
}
