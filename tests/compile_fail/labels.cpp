// expect: tt::cross_entropy: the labels must have the extents of the scores without their class axis
// expect: extent<10>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void loss(tt::Tensor<float, tt::Shape<32, 10>> scores, tt::Tensor<std::int64_t, tt::Shape<32>> labels, tt::Tensor<std::int64_t, tt::Shape<10>> others) {
  tt::Tensor good = tt::cross_entropy(scores, labels) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::cross_entropy(scores, others) * 2;
#endif
}
