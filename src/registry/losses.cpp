// Losses.
#include "softmax.hpp"

namespace tt::registry {

namespace {

reduction reduction_named(const Bound& a) {
  const std::string& name = a.string("reduction");
  if (name == "none") return reduction::none;
  if (name == "sum") return reduction::sum;
  if (name == "mean") return reduction::mean;
  fail({"tt::", a.schema().name, ": reduction must be 'none', 'sum' or 'mean', not '", name, "'"});
}

/// -sum_c target[c] * log softmax(scores)[c]; the mean is over what is left of the classes.
AnyTensor cross_entropy_of_probabilities(const AnyTensor& scores, const AnyTensor& target, reduction how) {
  if (!(scores.sizes() == target.sizes())) fail("tt::cross_entropy: probabilities must have the extents of the scores");
  const detail::AxisSet classes = detail::AxisSet(1) << (scores.rank() == 1 ? 0 : 1);
  const AnyTensor weighted = any_map<ops::mul>(any_log_softmax(scores, classes), target);
  const AnyTensor rows = any_map<ops::neg>(any_reduce<ops::sum>(weighted, classes, false));
  if (how == reduction::none) return rows;
  const detail::AxisSet all = detail::all_axes(rows.rank());
  return how == reduction::sum ? any_reduce<ops::sum>(rows, all, false) : any_reduce<ops::mean>(rows, all, false);
}

Argument cross_entropy(const Bound& a) {
  for (const char* name : {"weight", "size_average", "reduce"})
    if (a.given(name)) not_yet("cross_entropy", name);
  if (operand(a["label_smoothing"]).entry().constant.floating != 0) not_yet("cross_entropy", "label_smoothing");
  const reduction how = reduction_named(a);
  const AnyTensor &scores = a.tensor("input"), &target = a.tensor("target");
  if (!is_floating(scores.dtype()))
    fail({"tt::cross_entropy: the scores must be floating, not ", name_of(scores.dtype())});
  if (scores.rank() == 0) fail("tt::cross_entropy: the scores need an axis of classes");
  if (is_floating(target.dtype()) && a.integer("ignore_index") >= 0)
    fail("tt::cross_entropy: ignore_index has no meaning where the targets are probabilities");
  if (is_floating(target.dtype())) return cross_entropy_of_probabilities(scores, target, how);
  if (target.dtype() != dtype::int64) fail({"tt::cross_entropy: labels must be int64, not ", name_of(target.dtype())});
  const int classes = scores.rank() == 1 ? 0 : 1;
  if (!(detail::reduced(scores.sizes(), detail::AxisSet(1) << classes, false) == target.sizes()))
    fail({"tt::cross_entropy: the labels ", target.sizes(), " must have the extents of the scores ", scores.sizes(),
          " without axis ", classes});
  const dtype type = compute_dtype(scores.dtype());  // 16-bit numbers are rounded once
  const AnyTensor rows = detail::rows_of_scores(any_cast(scores, type), detail::record_view);
  const RowLossKernel* kernel = type == dtype::float32 ? &backend<cpu>::cross_entropy<float, true>()
                                                       : &backend<cpu>::cross_entropy<double, true>();
  if (detail::any_row_loss_elsewhere && scores.memory()) kernel = detail::any_row_loss_elsewhere(type);
  return any_cast(detail::run_row_loss(*kernel, rows, target, how, a.integer("ignore_index"), detail::record_row_loss),
                  scores.dtype());
}

}  // namespace

void add_losses(Table& table) {
  table.add({
      {"nn.functional.cross_entropy(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, "
       "int ignore_index=-100, bool? reduce=None, str reduction='mean', float label_smoothing=0.0) -> Tensor",
       cross_entropy},
  });
}

}  // namespace tt::registry
