// softmax and log_softmax, composed as in ops/softmax.hpp.
#include "softmax.hpp"

namespace tt::registry {

AnyTensor shifted_scores(const AnyTensor& x, detail::AxisSet axis) {
  if (!is_floating(x.dtype()))
    fail({"tt::softmax: the operand must be floating, not ", name_of(x.dtype()), ": cast it"});
  return any_map<ops::sub>(x, any_reduce<ops::shift_max>(x.detach(), axis, true));
}

AnyTensor any_softmax(const AnyTensor& x, detail::AxisSet axis) {
  const AnyTensor weights = any_map<ops::exp>(shifted_scores(x, axis));
  return any_map<ops::div>(weights, any_reduce<ops::sum>(weights, axis, true));
}

AnyTensor any_log_softmax(const AnyTensor& x, detail::AxisSet axis) {
  const AnyTensor shifted = shifted_scores(x, axis);
  return any_map<ops::sub>(shifted, any_map<ops::log>(any_reduce<ops::sum>(any_map<ops::exp>(shifted), axis, true)));
}

AnyTensor any_logsumexp(const AnyTensor& given, detail::AxisSet axes, bool keep) {
  if (is_complex(given.dtype())) not_yet("logsumexp", "the dtype " + std::string(name_of(given.dtype())));
  const dtype result = is_floating(given.dtype()) ? given.dtype() : default_dtype;
  const AnyTensor x = any_cast(given, compute_dtype(result));  // 16-bit numbers are rounded once
  const AnyTensor largest = any_reduce<ops::shift_max>(x.detach(), axes, true);
  const AnyTensor finite = any_map<ops::lt>(any_map<ops::abs>(largest), std::numeric_limits<double>::infinity());
  const AnyTensor shift = any_map<ops::where>(finite, largest, 0);
  const AnyTensor total = any_reduce<ops::sum>(any_map<ops::exp>(any_map<ops::sub>(x, shift)), axes, true);
  const AnyTensor y = any_map<ops::add>(any_map<ops::log>(total), shift);
  const dims size = keep ? y.sizes() : detail::reduced(y.sizes(), axes, false);
  return any_cast(detail::reshape_view(y, size, detail::record_view), result);
}

namespace {

/// The operand in the dtype asked for.
AnyTensor scores(const Bound& a, const AnyTensor& x) {
  if (a.schema().parameters.at(1).optional && !a.given("dim")) not_yet(a.schema().name, "an implicit dim");
  return any_cast(x, a.dtype_or("dtype", x.dtype()));
}
AnyTensor scores(const Bound& a, std::string_view name) { return scores(a, a.tensor(name)); }
detail::AxisSet axis(const Bound& a, std::string_view name) { return axes_of(a, "dim", a.tensor(name).rank()); }

}  // namespace

void add_softmax(Table& table) {
  table.add({
      {"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
       [](const Bound& a) -> Argument {
         return any_logsumexp(a.tensor("self"), axis(a, "self"), a.boolean("keepdim"));
       }},
      {"softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
       [](const Bound& a) -> Argument { return any_softmax(scores(a, "self"), axis(a, "self")); }},
      {"log_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
       [](const Bound& a) -> Argument { return any_log_softmax(scores(a, "self"), axis(a, "self")); }},
      {"nn.functional.softmax(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None) -> Tensor",
       [](const Bound& a) -> Argument { return any_softmax(scores(a, "input"), axis(a, "input")); }},
      {"nn.functional.log_softmax(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None) -> Tensor",
       [](const Bound& a) -> Argument { return any_log_softmax(scores(a, "input"), axis(a, "input")); }},
      {"nn.functional.softmin(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None) -> Tensor",
       [](const Bound& a) -> Argument {
         return any_softmax(scores(a, any_map<ops::neg>(a.tensor("input"))), axis(a, "input"));
       }},
  });
}

}  // namespace tt::registry
