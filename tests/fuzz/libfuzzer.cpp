// One reader under libFuzzer (llvm.org/docs/LibFuzzer.html): fuzz.npy [CORPUS]. TT_FUZZ_READER is its place in the
// table.
#include "readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    fuzz::readers[TT_FUZZ_READER].read({data, data + size});
  } catch (const tt::Error&) {
  }
  return 0;
}
