// expect: the extents of the expression do not fit the tensor's type
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

using Batch = tt::Tensor<float, tt::Shape<tt::dim("batch"), 3>>;
using Time = tt::Tensor<float, tt::Shape<tt::dim("time"), 3>>;

void store(Batch a, tt::Tensor<float, tt::Shape<tt::dyn, 3>> b) {
  Batch good = a + b;
#ifdef TT_COMPILE_FAIL
  Time bad = a + b;
#endif
}
