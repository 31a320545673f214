// expect: tensors on CUDA need #include <tt/cuda.hpp>
// budget: 2 errors, 32 lines, 4000 bytes
#include <tt/tensor.hpp>

void make() {
  tt::Tensor<float, tt::Shape<3>> good(tt::dims{3});
#ifdef TT_COMPILE_FAIL
  tt::Tensor<float, tt::Shape<3>, tt::cuda> bad(tt::dims{3});
#endif
}
