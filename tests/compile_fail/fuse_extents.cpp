// expect: the extents of the expression do not fit the tensor that is written
// expect: extent<3>
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/fuse.hpp>

void look(tt::Tensor<float, tt::Shape<2>> a, tt::Tensor<float, tt::Shape<3>> b) {
  tt::fuse(tt::into(a) = a * 2, tt::into(b) = b + 1);
#ifdef TT_COMPILE_FAIL
  tt::fuse(tt::into(a) = b * 2, tt::into(b) = b + 1);
#endif
}
