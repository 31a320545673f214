#include <cstdio>
#include <unsupported/Eigen/CXX11/Tensor>
int main() {
  Eigen::Tensor<float, 1, Eigen::RowMajor> a(1000), b(1000), c;
  a.setRandom();
  b.setRandom();
  c = a + b;
  std::printf("%g\n", c(0));
}
