// expect: tt::gradgradcheck: complex tensors can be differentiated once
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/autograd/gradgradcheck.hpp>
#include <tt/tensor.hpp>

bool twice(const tt::Variable<double, tt::Shape<2>>& x, const tt::Variable<std::complex<double>, tt::Shape<2>>& z) {
  const auto square = [](const auto& a) { return a * a; };
#ifdef TT_COMPILE_FAIL
  return tt::gradgradcheck(square, z);
#else
  return (void)z, tt::gradgradcheck(square, x);
#endif
}
