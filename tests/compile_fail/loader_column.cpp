// expect: DataLoader: a column needs an axis of rows
// budget: 1 error, 16 lines, 4000 bytes
#include <tt/data.hpp>

void run(const tt::Vector<float>& rows, [[maybe_unused]] const tt::Scalar<float>& value) {
#ifdef TT_COMPILE_FAIL
  tt::data::DataLoader loader({}, rows, value);
#else
  tt::data::DataLoader loader({}, rows);
#endif
  for (auto batch : loader) (void)batch;
}
