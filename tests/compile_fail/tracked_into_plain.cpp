// expect: a tracked expression needs a tracked tensor
// expect: order<1>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

using Plain = tt::Tensor<float, tt::Shape<3>>;

void store(tt::Variable<float, tt::Shape<3>> w, Plain x) {
  Plain good = w.detach() * x;
#ifdef TT_COMPILE_FAIL
  Plain bad = w * x;
#endif
}
