// Scans along an axis.
#include "table.hpp"

namespace tt::registry {

namespace {

/// Computed in the dtype that is asked for, and stored in it.
template <class Op>
Argument scan_of(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const AnyTensor y = any_scan<Op>(any_cast(self, a.dtype_or("dtype", self.dtype())), a.integer("dim"));
  return any_cast(y, a.dtype_or("dtype", y.dtype()));
}

}  // namespace

void add_scans(Table& table) {
  table.add({
      {"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", scan_of<ops::cumsum>},
      {"cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", in_place},
  });
}

}  // namespace tt::registry
