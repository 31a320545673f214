#include <cstdio>
#include <Eigen/Dense>
int main() {
  Eigen::ArrayXf a = Eigen::ArrayXf::Random(1000), b = Eigen::ArrayXf::Random(1000), c = a + b;
  std::printf("%g\n", c[0]);
}
