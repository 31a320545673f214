// Losses: cross_entropy.
#pragma once
#include <tt/expr/rows.hpp>
#include <tt/ops/views.hpp>

namespace tt {

namespace detail {
inline void record_row_loss(const AnyTensor&, const RowLossKernel&, const RowLoss&, const Ref<Node>&);  // autograd/row_loss.hpp
template <class ScoresShape, class LabelsShape>
inline constexpr bool labels_fit = [] {
  dims rows = ScoresShape::value;
  const int axis = rows.rank == 1 ? 0 : 1;
  for (int i = axis; i + 1 < rows.rank; ++i) rows.extent[i] = rows.extent[i + 1];
  --rows.rank;
  return stores(LabelsShape::value, rows);
}();
}  // namespace detail

namespace error {
template <class Operands>
inline constexpr bool labels_do_not_fit = false;
}

/// -log softmax(scores)[label], summed or averaged. Scores [C], [N, C] or [N, C, d1, ..]; labels int64 without the class
/// axis, in [0, C) or `ignore_index`. The mean is over the labels that are not ignored, NaN where there are none.
/// https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
template <reduction How = reduction::mean, expression X, expression Y>
auto cross_entropy(const X& scores, const Y& labels, std::int64_t ignore_index = -100, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert((floating_element<value_t<X>> && std::is_same_v<value_t<Y>, std::int64_t>) ||
                    error::wrong_dtype<error::operands<value_t<X>, value_t<Y>>>,
                "tt::cross_entropy: scores must be float or double, labels int64");
  static_assert((rank_of<X> >= 1 && detail::labels_fit<shape_t<X>, shape_t<Y>>) ||
                    error::labels_do_not_fit<error::operands<error::words_t<error::got, shape_t<X>>, error::words_t<error::got, shape_t<Y>>>>,
                "tt::cross_entropy: the labels must have the extents of the scores without their class axis");
  using shape = std::conditional_t<How == reduction::none, shape_t<Y>, Shape<>>;
  constexpr bool tracked = order_of<X> > 0;
  const auto& kernel = backend<device_t<X>>::template cross_entropy<value_t<X>, tracked>();
  AnyTensor rows = evaluate(scores);
  if constexpr (rank_of<X> > 2) rows = detail::rows_of_scores(rows, detail::view_record<order_of<X>>);
  return Tensor<value_t<X>, shape, device_t<X>, order_of<X>>(detail::run_row_loss(
      kernel, rows, evaluate(labels), How, ignore_index, tracked ? detail::record_row_loss : nullptr));
}

}  // namespace tt
