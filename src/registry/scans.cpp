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

/// Values and positions: the chosen elements have the gradient.
template <class Op>
Argument best_of(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const AnyTensor at = any_position_scan<Op>(self, a.integer("dim"));
  return Argument::List{detail::run_gather(self, a.integer("dim"), at, detail::record_index), at};
}

}  // namespace

void add_scans(Table& table) {
  table.add({
      {"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", scan_of<ops::cumsum>},
      {"cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", in_place},
      {"cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", scan_of<ops::cumprod>},
      {"cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", in_place},
      {"logcumsumexp(Tensor self, int dim) -> Tensor", scan_of<ops::logcumsumexp>},
      {"cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", best_of<ops::cummax>},
      {"cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", best_of<ops::cummin>},
  });
}

}  // namespace tt::registry
