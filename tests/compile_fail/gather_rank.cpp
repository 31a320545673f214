// expect: tt::gather: the index must have as many axes as the input
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void take(tt::Tensor<float, tt::Shape<5, 3>> a, tt::Tensor<std::int64_t, tt::Shape<5>> i) {
  tt::Tensor good = tt::gather<1>(a, tt::reshape<5, 1>(i)) * 2;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = tt::gather<1>(a, i) * 2;
#endif
}
