// expect: write struct Me : nn::Module<Me>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

namespace nn = tt::nn;

struct Other : nn::Module<Other> {
  TT_MODULE()
  template <class X>
  auto forward(const X& x) {
    return x + 1;
  }
};
#ifdef TT_COMPILE_FAIL
struct Net : nn::Module<Other> {  // copied from above
#else
struct Net : nn::Module<Net> {
#endif
  nn::Linear<64, 10> fc;
  TT_MODULE(fc)
  template <class X>
  auto forward(const X& x) {
    return fc(x);
  }
};

void run(const tt::Tensor<float, tt::Shape<5, 64>>& x) {
  Net net;
  (void)net(x);
}
