// expect: a module needs a line TT_MODULE
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/nn.hpp>

namespace nn = tt::nn;

struct Net : nn::Module<Net> {
  nn::Linear<64, 10> fc;
  TT_MODULE(fc)
  template <class X>
  auto forward(const X& x) {
    return fc(x);
  }
};
struct Wider : nn::Module<Wider, Net> {  // the base's line is not its own
  nn::Linear<10, 2> head;
#ifndef TT_COMPILE_FAIL
  TT_MODULE(head)
#endif
  template <class X>
  auto forward(const X& x) {
    return head(Net::forward(x));
  }
};

void run(const tt::Tensor<float, tt::Shape<5, 64>>& x) {
  Wider net;
  tt::backward(sum(net(x)));
}
