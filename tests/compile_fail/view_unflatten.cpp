// expect: the number of elements differs
// expect: expected<tt::error::extent<4>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void look(tt::Tensor<float, tt::Shape<2, 6>> a) {
  [[maybe_unused]] auto good = tt::unflatten<1, 2, -1>(a);
#ifdef TT_COMPILE_FAIL
  [[maybe_unused]] auto bad = tt::unflatten<1, 4, 2>(a);
#endif
}
