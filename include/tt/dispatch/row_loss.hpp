// Running cross-entropy over rows of scores.
#pragma once
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/view.hpp>
#include <tt/expr/rows.hpp>

namespace tt::detail {

template <class Number>
void reduce_losses(const std::byte* losses, std::byte* out, index_t rows, double divisor) {
  const auto* loss = reinterpret_cast<const Number*>(losses);
  double total = 0;
  for (index_t r = 0; r < rows; ++r) total += double(loss[r]);
  *reinterpret_cast<Number*>(out) = Number(total / divisor);
}

/// Another device's kernel for scores of a dtype, of calls by name: null until a file that has it is part of the program.
using AnyRowLoss = const RowLossKernel* (*)(dtype);
inline constinit AnyRowLoss any_row_loss_elsewhere = nullptr;

inline AnyTensor rows_of_scores(const AnyTensor& scores, RecordView record) {
  if (scores.rank() <= 2) return scores;
  index_t axes[max_rank], n = 0;
  for (int i = 0; i < scores.rank(); ++i)
    if (i != 1) axes[n++] = i;
  axes[n++] = 1;
  return permute_view(scores, {axes, std::size_t(n)}, record);
}
inline AnyTensor run_row_loss(const RowLossKernel& k, const AnyTensor& scores, const AnyTensor& labels, reduction how,
                              std::int64_t ignored, RecordRowLoss record) {
  static constexpr std::string_view name = "cross_entropy";
  const AnyTensor* const inputs[] = {&scores, &labels};
  return dispatched({"row_loss", {&name, 1}, inputs}, [&] {
    dims rows = scores.sizes();
    if (rows.rank) --rows.rank;
    if (scores.rank() == 0 || !(rows == labels.sizes()))
      fail({"tt::cross_entropy: labels of the extents ", labels.sizes(), " for scores of ", scores.sizes(), ", classes last"});
    RowLoss l{scores.packed(), labels.packed(), {}, labels.numel(), scores.sizes()[-1], ignored, how, 1};
    const Memory* const memory = memory_of(name, k.where, {&scores, &labels});
    const auto* label = reinterpret_cast<const std::int64_t*>(l.labels.device_ptr());
    index_t counted = 0;
    for (index_t r = 0; !memory && r < l.rows; ++r) {
      if (label[r] == ignored) continue;
      ++counted;
      if (label[r] < 0 || label[r] >= l.classes)
        fail_index({"tt::cross_entropy: label ", label[r], " is not one of ", l.classes, " classes"});
    }
    const std::size_t item = size_of(k.type);
    l.log_total = make_storage((2 * std::size_t(l.rows) + 1) * item, memory);
    AnyTensor out = AnyTensor::empty(k.type, how == reduction::none ? labels.sizes() : dims{}, memory);
    const Ref<Storage> losses = how == reduction::none ? out.storage() : make_storage(std::size_t(l.rows) * item, memory);
    k.forward(l.scores.device_ptr(), label, ignored, l.log_total->data, losses->data, l.rows, l.classes);
    if (how == reduction::mean && !memory) l.scale = 1 / double(counted);
    if (memory) k.join(losses->data, label, ignored, l.log_total->data, out.device_ptr(), l.rows, how);
    else if (how != reduction::none)
      (k.type == dtype::float32 ? reduce_losses<float> : reduce_losses<double>)(losses->data, out.data_ptr(), l.rows,
                                                                               how == reduction::mean ? double(counted) : 1);
    if (record && recording && scores.requires_grad()) record(out, k, l, scores.node());
    return out;
  });
}

}  // namespace tt::detail
