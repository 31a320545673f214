// Row losses: one value for each row of scores and its label, or their sum or mean.
#pragma once
#include <tt/expr/reduction.hpp>
#include <tt/expr/view.hpp>

namespace tt {

/// The cross-entropy of rows of scores. `log_total` receives two numbers of each row, whose sum is its log sum exp: the
/// maximum, and the logarithm of the sum of what is left. Backward reads them again. On a device, a label that is no class
/// makes its loss NaN.
struct RowLossKernel {
  dtype type;
  void (*forward)(const std::byte* scores, const std::int64_t* label, std::int64_t ignored, std::byte* log_total, std::byte* loss,
                  index_t rows, index_t classes);
  /// to[r] (+)= (softmax - one at the label) * gradient[r * step] * scale; ignored rows get 0.
  void (*backward)(const std::byte* scores, const std::int64_t* label, std::int64_t ignored, const std::byte* log_total,
                   const std::byte* gradient, index_t step, double scale, std::byte* to, bool add, index_t rows, index_t classes);
  device where = device::cpu;
  /// Of a device, whose labels the host does not see: the losses of rows that are not ignored joined into `out`. What their
  /// gradients are multiplied by becomes the number after log_total's; backward, whose `scale` is then 1, reads it there.
  void (*join)(const std::byte* loss, const std::int64_t* label, std::int64_t ignored, std::byte* log_total, std::byte* out,
               index_t rows, reduction how) = nullptr;
};

namespace detail {

/// What a row loss keeps for its node.
struct RowLoss {
  AnyTensor scores, labels;  ///< row-major
  Ref<Storage> log_total;
  index_t rows, classes;
  std::int64_t ignored;
  reduction how;
  double scale;              ///< of the gradient: 1 / counted rows for the mean, if the host knows
};
using RecordRowLoss = void (*)(const AnyTensor& out, const RowLossKernel&, const RowLoss&, const Ref<Node>& input);

/// (N, C, d1, ..) -> (N, d1, .., C): every row the scores of one label.
inline AnyTensor rows_of_scores(const AnyTensor& scores, RecordView record);
inline AnyTensor run_row_loss(const RowLossKernel& k, const AnyTensor& scores, const AnyTensor& labels, reduction how,
                              std::int64_t ignored, RecordRowLoss record);

}  // namespace detail
}  // namespace tt
