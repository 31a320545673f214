// Variances and norms: the formulas of ops/moments.hpp and ops/norms.hpp, on tensors of any type.
#include "table.hpp"

namespace tt::registry {

namespace {

/// A floating or complex operand, in the dtype that is asked for, and in the one that kernels compute in.
AnyTensor measured(const Bound& a, const AnyTensor& self) {
  const AnyTensor x = any_cast(self, a.dtype_or("dtype", self.dtype()));
  if (!is_differentiable(x.dtype()))
    fail({"tt::", a.schema().name, ": it is not defined for the dtype ", name_of(x.dtype()), ": cast it"});
  return any_cast(x, compute_dtype(x.dtype()));
}
/// In the dtype that distances of the operand have, without the reduced axes unless they are to stay.
AnyTensor finished(const Bound& a, const AnyTensor& y, const AnyTensor& self, detail::AxisSet axes) {
  const dims size = detail::reduced(self.sizes(), axes, a.boolean("keepdim"));
  const dtype result = real_dtype(a.dtype_or("dtype", self.dtype()));
  return any_cast(y.sizes() == size ? y : detail::reshape_view(y, size, detail::record_view), result);
}

/// detail::TypedSteps, where types are not known.
struct Steps {
  detail::AxisSet set;

  template <class Op, class... X>
  AnyTensor map(const X&... x) const { return any_map<Op>(x...); }
  template <class Op>
  AnyTensor reduce(const AnyTensor& x) const { return any_reduce<Op>(x, set, true); }
  const AnyTensor& stored(const AnyTensor& x) const { return x; }
  AnyTensor squared(const AnyTensor& x) const {
    return any_map<ops::square>(is_complex(x.dtype()) ? any_map<ops::abs>(x) : x);
  }
  const AnyTensor& left_of(const AnyTensor&, const AnyTensor& t) const { return t; }
  AnyTensor still(const AnyTensor& x) const { return x.detach(); }
  AnyTensor count(const AnyTensor& x) const {
    const AnyTensor y = any_cast(reduce<ops::sum>(any_map<ops::ne>(x, 0)), x.dtype());
    detail::record_still(y, x);
    return y;
  }
};

double taken_off(const Bound& a) {
  if (a.given("unbiased")) return a.boolean("unbiased") ? 1 : 0;
  return a.given("correction") ? operand(a["correction"]).entry().constant.floating : 1;
}

template <bool Root>
AnyTensor spread(const Bound& a, detail::AxisSet axes) {
  const AnyTensor& self = a.tensor("self");
  const AnyTensor x = measured(a, self);
  const Steps on{axes};
  return finished(a, Root ? detail::std_kept(on, x, taken_off(a)) : detail::var_kept(on, x, taken_off(a)), self, axes);
}
template <bool Root>
Argument spread_of(const Bound& a) {
  return spread<Root>(a, axes_of(a, "dim", a.tensor("self").rank()));
}
template <bool Root>
Argument spread_and_mean(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const detail::AxisSet axes = axes_of(a, "dim", self.rank());
  const AnyTensor y = spread<Root>(a, axes);
  return Argument::List{y, any_reduce<ops::mean>(self, axes, a.boolean("keepdim"))};
}

AnyTensor magnitudes(const Bound& a, const AnyTensor& self) {
  const AnyTensor x = measured(a, self);
  return is_complex(x.dtype()) ? any_map<ops::abs>(x) : x;
}
Argument norm_of(const Bound& a, double p, detail::AxisSet axes) {
  const AnyTensor& self = a.tensor("self");
  return finished(a, detail::norm_kept(Steps{axes}, magnitudes(a, self), p), self, axes);
}
double order_of(const Bound& a, std::string_view name) {
  return a.given(name) ? operand(a[name]).entry().constant.floating : 2;
}

/// The largest or least sum of absolute values along `summed`, which is one of the two axes.
AnyTensor sums_norm(const AnyTensor& x, detail::AxisSet summed, detail::AxisSet axes, bool largest) {
  const AnyTensor sums = any_reduce<ops::sum>(any_map<ops::abs>(x), summed, true);
  const detail::AxisSet rest = axes & ~summed;
  return largest ? any_reduce<ops::amax>(sums, rest, true) : any_reduce<ops::amin>(sums, rest, true);
}

/// Vectors where one axis is named, or an order and no axes of a vector; matrices where two are.
/// https://pytorch.org/docs/stable/generated/torch.linalg.norm.html
Argument linalg_norm(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const detail::AxisSet axes = axes_of(a, "dim", self.rank());
  const bool named = a["ord"].is<std::string>();
  const std::string name = named ? a.string("ord") : "";
  const int count = std::popcount(axes);
  if (named && count != 2) fail({"tt::linalg.norm: the order '", name, "' is one of matrices: name two axes"});
  if (!a.given("ord") || count <= 1) return norm_of(a, order_of(a, "ord"), axes);
  if (count != 2) fail({"tt::linalg.norm: an order for the extents ", self.sizes(), ": name one axis or two"});
  if (name == "fro") return norm_of(a, 2, axes);
  const double p = named ? 2 : order_of(a, "ord");
  if (named && name != "nuc") fail({"tt::linalg.norm: the order is a number, 'fro' or 'nuc', not '", name, "'"});
  if (std::abs(p) != 1 && !std::isinf(p)) not_yet("linalg.norm", "an order that is made of singular values");
  // The first named axis counts rows.
  const std::vector<index_t> given = a.integers("dim");
  const index_t rows = given.size() == 2 ? given[0] : 0;
  const detail::AxisSet row_axis = detail::AxisSet(1) << normal_axis(rows, self.rank());
  const detail::AxisSet summed = std::isinf(p) ? axes & ~row_axis : row_axis;
  return finished(a, sums_norm(magnitudes(a, self), summed, axes, p > 0), self, axes);
}

/// linalg.norm of two axes, the last ones unless others are named.
Argument matrix_norm(const Bound& a) {
  if (a.tensor("self").rank() < 2 || a.integers("dim").size() != 2)
    fail({"tt::linalg.matrix_norm: it takes two axes, of a tensor with the extents ", a.tensor("self").sizes()});
  return linalg_norm(a);
}

Argument distance(const Bound& a) {
  return call("norm", {any_map<ops::sub>(a.tensor("self"), a.tensor("other")), a["p"]});
}

Argument norm(const Bound& a) {
  const detail::AxisSet axes = axes_of(a, "dim", a.tensor("self").rank());
  if (!a["p"].is<std::string>()) return norm_of(a, order_of(a, "p"), axes);
  if (a.string("p") == "nuc") not_yet("norm", "an order that is made of singular values");
  if (a.string("p") != "fro") fail({"tt::norm: p is a number, 'fro' or 'nuc', not '", a.string("p"), "'"});
  return norm_of(a, 2, axes);
}

// The overloads that var, std and those with means have in common.
#define TT_SPREAD(name, result)                                                                            \
  name "(Tensor self, bool unbiased=True, *, bool keepdim=False) -> " result "\n" name                      \
       ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> " result "\n" name        \
       ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> " result

}  // namespace

void add_moments(Table& table) {
  table.add({
      {TT_SPREAD("var", "Tensor"), spread_of<false>},
      {TT_SPREAD("std", "Tensor"), spread_of<true>},
      {TT_SPREAD("var_mean", "(Tensor, Tensor)"), spread_and_mean<false>},
      {TT_SPREAD("std_mean", "(Tensor, Tensor)"), spread_and_mean<true>},
      {"norm(Tensor self, Scalar? p=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor\n"
       "norm.name(Tensor self, str p, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       norm},
      {"linalg.vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) "
       "-> Tensor",
       [](const Bound& a) {
         return norm_of(a, order_of(a, "ord"), axes_of(a, "dim", a.tensor("self").rank()));
       }},
      {"linalg.norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> "
       "Tensor\n"
       "linalg.norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> "
       "Tensor",
       linalg_norm},
      {"linalg.matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) "
       "-> Tensor\n"
       "linalg.matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? "
       "dtype=None) -> Tensor",
       matrix_norm},
      {"dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", distance},
  });
}

}  // namespace tt::registry
