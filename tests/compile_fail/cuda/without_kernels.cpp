// expect: expressions on CUDA are evaluated in files that nvcc or clang compiles as CUDA
// budget: 1 error, 24 lines, 4000 bytes
#include <tt/cuda.hpp>

void evaluate(tt::Tensor<float, tt::Shape<3>, tt::cuda> a) {
  auto good = tt::to<tt::cpu>(a) + 1.f;
  auto lazy = a + 1.f;
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = lazy;
#endif
}
