// expect: tt::softmax: the operand must be floating
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void classify(tt::Tensor<std::int64_t, tt::Shape<2, 3>> a) {
  tt::Tensor good = log(tt::softmax<1>(tt::to<float>(a)));
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = log(tt::softmax<1>(a));
#endif
}
