// expect: write struct Me : nn::Module<Me>
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
#ifdef TT_COMPILE_FAIL
struct Wider : Net {  // would keep Net's forward and names
#else
struct Wider : nn::Module<Wider, Net> {
#endif
  nn::Linear<10, 2> head;
  TT_MODULE(head)
  template <class X>
  auto forward(const X& x) {
    return head(Net::forward(x));
  }
};

void run(const tt::Tensor<float, tt::Shape<5, 64>>& x) {
  Wider net;
  tt::backward(sum(net(x)));
}
