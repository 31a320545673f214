// A recurrent network that only predicts, its state made inside forward; with TT_TRAIN it also learns.
#include <tt/nn.hpp>

namespace nn = tt::nn;
using Steps = tt::Tensor<float, tt::Shape<tt::dim("batch"), 5, 8>>;

struct Cell : nn::Module<Cell> {
  nn::Linear<8, 16> in;
  nn::Linear<16, 16> back;
  TT_MODULE(in, back)
  template <class X, class H>
  auto forward(const X& x, const H& h) {
    return tanh(in(x) + back(h));
  }
};
struct Net : nn::Module<Net> {
  Cell cell;
  nn::Linear<16, 1> head;
  TT_MODULE(cell, head)
  template <class X>
  auto forward(const X& x) {
    auto h = tt::new_zeros<tt::Shape<tt::dim("batch"), 16>>(x, {x.size(0), 16});
    for (tt::index_t t = 0; t < 5; ++t) h = cell(tt::select<1>(x, t), h);
    return sigmoid(head(h));
  }
};

tt::Tensor<float, tt::Shape<tt::dim("batch"), 1>> judge(Net& net, const Steps& x) { return net.predict(x); }

#ifdef TT_TRAIN
void train(Net& net, const tt::Variable<float, Steps::shape>& x) { tt::backward(sum(net(x))); }
#endif
