// Sums, extrema and their positions.
#include "table.hpp"

namespace tt::registry {

namespace {

/// Computed in the dtype that is asked for, and stored in it.
template <class Op>
Argument reduction_of(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const AnyTensor x = any_cast(self, a.dtype_or("dtype", self.dtype()));
  const AnyTensor y = any_reduce<Op>(x, axes_of(a, "dim", x.rank()), a.boolean("keepdim"));
  return any_cast(y, a.dtype_or("dtype", y.dtype()));
}
template <class Op>
Argument position_of(const Bound& a) {
  return any_arg<Op>(a.tensor("self"), axes_of(a, "dim", a.tensor("self").rank()), a.boolean("keepdim"));
}

/// Multiplied in the type that kernels compute in.
Argument product(const Bound& a) {
  AnyTensor x = a.tensor("self");
  if (is_storage_only(x.dtype()))
    fail({"tt::prod: it is not defined for the dtype ", name_of(x.dtype()), ": cast it"});
  const dtype result = a.dtype_or("dtype", is_integral(x.dtype()) ? dtype::int64 : x.dtype());
  x = any_cast(x, compute_dtype(result));
  const bool whole = !a.given("dim");
  if (whole) x = detail::reshape_view(x, {-1}, detail::record_view);
  const index_t axis = whole ? 0 : a.integer("dim");
  const MapKernel& mul = *detail::any_map_for<ops::mul>(x).kernel[int(x.dtype())];
  const AnyTensor y = any_cast(detail::run_product(x, axis, mul, detail::record_view, detail::record_move), result);
  if (!whole && a.boolean("keepdim")) return y;
  const detail::AxisSet axes = whole ? detail::all_axes(1) : axes_of(a, "dim", x.rank());
  return detail::reshape_view(y, detail::reduced(y.sizes(), axes, false), detail::record_view);
}

/// max(self), max(self, other), and max(self, dim), which gives values and positions: the chosen one has the gradient.
template <class Extremum, class Position, class Pair>
Argument extremum(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  if (a.given("other")) return any_map<Pair>(self, a.tensor("other"));
  if (!a.given("dim")) return any_reduce<Extremum>(self, detail::all_axes(self.rank()), false);
  const detail::AxisSet axis = axes_of(a, "dim", self.rank());
  const bool keep = a.boolean("keepdim");
  const AnyTensor& ordered = self.dtype() == dtype::boolean ? any_cast(self, dtype::uint8) : self;
  AnyTensor at = any_arg<Position>(ordered, axis, true);
  AnyTensor values = detail::run_gather(self, a.integer("dim"), at, detail::record_index);
  if (!keep) {
    const dims size = detail::reduced(self.sizes(), axis, false);
    values = detail::reshape_view(values, size, detail::record_view);
    at = detail::reshape_view(at, size, detail::record_view);
  }
  return Argument::List{values, at};
}

/// NaN counts for nothing.
AnyTensor without_nan(const AnyTensor& x) {
  return is_integral(x.dtype()) ? x : any_map<ops::where>(any_map<ops::eq>(x, x), x, 0);
}
Argument nansum(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const AnyTensor x = without_nan(any_cast(self, a.dtype_or("dtype", self.dtype())));
  const AnyTensor y = any_reduce<ops::sum>(x, axes_of(a, "dim", x.rank()), a.boolean("keepdim"));
  return any_cast(y, a.dtype_or("dtype", y.dtype()));
}
Argument nanmean(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const dtype result = a.dtype_or("dtype", self.dtype());
  if (!is_differentiable(result)) fail({"tt::nanmean: it is not defined for the dtype ", name_of(result), ": cast it"});
  const AnyTensor x = any_cast(self, compute_dtype(result));
  const detail::AxisSet axes = axes_of(a, "dim", x.rank());
  const auto sum = [&](const AnyTensor& t) { return any_reduce<ops::sum>(t, axes, a.boolean("keepdim")); };
  return any_cast(any_map<ops::div>(sum(without_nan(x)), sum(any_map<ops::eq>(x, x))), result);
}

Argument extrema(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const detail::AxisSet axes = axes_of(a, "dim", self.rank());
  const bool keep = a.boolean("keepdim");
  return Argument::List{any_reduce<ops::amin>(self, axes, keep), any_reduce<ops::amax>(self, axes, keep)};
}

Argument trace(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  if (self.rank() != 2) fail({"tt::trace: it takes a matrix, not the extents ", self.sizes()});
  return any_reduce<ops::sum>(detail::diagonal_view(self, 0, 0, 1, detail::record_view), detail::all_axes(1), false);
}

}  // namespace

void add_reductions(Table& table) {
  table.add({
      {"sum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       reduction_of<ops::sum>},
      {"mean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       reduction_of<ops::mean>},
      {"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor\n"
       "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       product},
      {"all(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor", reduction_of<ops::all>},
      {"any(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor", reduction_of<ops::any>},
      {"count_nonzero(Tensor self, int[1]? dim=None) -> Tensor",
       [](const Bound& a) -> Argument {
         const AnyTensor& self = a.tensor("self");
         return any_reduce<ops::sum>(any_map<ops::ne>(self, 0), axes_of(a, "dim", self.rank()), false);
       }},
      {"amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", reduction_of<ops::amax>},
      {"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", reduction_of<ops::amin>},
      {"nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", nansum},
      {"nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", nanmean},
      {"aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", extrema},
      {"trace(Tensor self) -> Tensor", trace},
      {"argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", position_of<ops::argmax>},
      {"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", position_of<ops::argmin>},
      {"max(Tensor self) -> Tensor\n"
       "max.other(Tensor self, Tensor other) -> Tensor\n"
       "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
       extremum<ops::amax, ops::argmax, ops::maximum>},
      {"min(Tensor self) -> Tensor\n"
       "min.other(Tensor self, Tensor other) -> Tensor\n"
       "min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
       extremum<ops::amin, ops::argmin, ops::minimum>},
  });
}

}  // namespace tt::registry
