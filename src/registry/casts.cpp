// Casts.
#include "table.hpp"

namespace tt::registry {

namespace {

template <dtype To>
Argument cast(const Bound& a) {
  if (const AnyTensor laid_out = channels_last(a, To, false); laid_out.defined()) return laid_out;
  check_placement(a);
  return any_cast(a.tensor("self"), To);
}

}  // namespace

void add_casts(Table& table) {
  table.add({
      {"float(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::float32>},
      {"double(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::float64>},
      {"long(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::int64>},
      {"half(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::float16>},
      {"bfloat16(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::bfloat16>},
      {"char(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::int8>},
      {"short(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::int16>},
      {"int(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::int32>},
      {"cfloat(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::complex64>},
      {"cdouble(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::complex128>},
      {"byte(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::uint8>},
      {"bool(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::boolean>},
  });
}

}  // namespace tt::registry
