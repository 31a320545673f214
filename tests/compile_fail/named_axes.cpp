// expect: the extents of the operands do not broadcast
// expect: axis<'t', 'i', 'm', 'e'>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

using Batch = tt::Tensor<float, tt::Shape<tt::dim("batch"), 3>>;
using Time = tt::Tensor<float, tt::Shape<tt::dim("time"), 3>>;

void add(Batch a, Batch b, Time c) {
  tt::Tensor good = exp(a - b);
#ifdef TT_COMPILE_FAIL
  tt::Tensor bad = exp(a - c);
#endif
}
