// expect: TT_MODULE lists a member that is no parameter, module or list of modules
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

namespace nn = tt::nn;

struct Net : nn::Module<Net> {
  nn::Linear<64, 10> fc;
  int steps = 3;
#ifdef TT_COMPILE_FAIL
  TT_MODULE(fc, steps)
#else
  TT_MODULE(fc)
#endif
  template <class X>
  auto forward(const X& x) {
    return fc(x);
  }
};

void run(const tt::Tensor<float, tt::Shape<5, 64>>& x) {
  Net net;
  tt::backward(sum(net(x)));
}
