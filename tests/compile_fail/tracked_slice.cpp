// expect: writing into a Variable is not recorded
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/tensor.hpp>

void reset(tt::Variable<float, tt::Shape<3>> w) {
  tt::slice<0>(w.detach(), 0, 1) = 0;
#ifdef TT_COMPILE_FAIL
  tt::slice<0>(w, 0, 1) = 0;
#endif
}
