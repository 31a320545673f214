#include <tt/tensor.hpp>

#include <cstdio>

int main() {
  auto a = tt::rand<float, tt::Shape<1000>>(), b = tt::rand<float, tt::Shape<1000>>();
  tt::Tensor c = a + b;
  std::printf("%g\n", double(c(0)));
}
