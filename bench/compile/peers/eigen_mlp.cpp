#include <cstdio>
#include "mlp_eigen.hpp"
int main() {
  bench::MlpEigen m({784, 256, 128, 10}, 64);
  for (int i = 0; i < 10; ++i) std::printf("%g\n", m.step());
}
