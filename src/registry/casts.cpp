// Casts.
#include "table.hpp"

namespace tt::registry {

namespace {

template <dtype To>
Argument cast(const Bound& a) {
  check_placement(a);
  return any_cast(a.tensor("self"), To);
}

}  // namespace

void add_casts(Table& table) {
  table.add({
      {"float(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::float32>},
      {"double(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::float64>},
      {"long(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::int64>},
      {"byte(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::uint8>},
      {"bool(Tensor self, MemoryFormat? memory_format=None) -> Tensor", cast<dtype::boolean>},
  });
}

}  // namespace tt::registry
