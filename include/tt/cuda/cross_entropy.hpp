// Cross-entropy of rows of scores on the device, both ways, by the contract of RowLossKernel (expr/rows.hpp): of the
// softmax only two numbers a row are stored.
#pragma once
#include <tt/cuda/softmax.hpp>
#include <tt/expr/reduction.hpp>

namespace tt::gpu {

#if TT_CUDA_KERNELS
namespace detail {

/// A label that is no class gives NaN, since a kernel cannot throw.
template <class Team, class Number>
__global__ void __launch_bounds__(256) cross_entropy_kernel(const Number* scores, const std::int64_t* label,
                                                            std::int64_t ignored, Number* log_total, Number* loss,
                                                            index_t rows, index_t classes) {
  for (index_t r = Team::index(); r < rows; r += Team::count()) {
    const Number* const z = scores + r * classes;
    Number largest, sum;
    sum_exponentials<Team>(z, classes, largest, sum);
    if (Team::rank() != 0) continue;
    const std::int64_t at = label[r];
    const Number log_sum = std::log(sum);
    log_total[2 * r] = largest;
    log_total[2 * r + 1] = log_sum;
    loss[r] = at == ignored ? Number(0) : at >= 0 && at < classes ? log_sum + (largest - z[at]) : Number(NAN);
  }
}

// Four blocks a multiprocessor: for eight, ptxas would spill.
template <class Team, class Number>
__global__ void __launch_bounds__(256, 4)
    cross_entropy_backward_kernel(const Number* scores, const std::int64_t* label, std::int64_t ignored,
                                  const Number* log_total, const Number* gradient, index_t step, const Number* scale,
                                  Number* to, bool add, index_t rows, index_t classes) {
  for (index_t r = Team::index(); r < rows; r += Team::count()) {
    const index_t first = r * classes;
    const std::int64_t at = label[r];
    const Number factor = at >= 0 && at < classes ? gradient[r * step] * *scale : Number(NAN);
    const Number largest = log_total[2 * r], log_sum = log_total[2 * r + 1];
    for (index_t i = Team::rank(); i < classes; i += Team::size) {
      Number slope = 0;  // also of an ignored row whose scores are not finite
      if (at != ignored) {
        slope = std::exp(scores[first + i] - largest - log_sum) * factor;
        if (i == at) slope -= factor;
      }
      to[first + i] = add ? to[first + i] + slope : slope;
    }
  }
}

/// RowLossKernel::join: sums in double, by one block.
template <class Number>
__global__ void __launch_bounds__(256) join_losses_kernel(const Number* loss, const std::int64_t* label,
                                                          std::int64_t ignored, Number* scale, Number* out,
                                                          index_t rows, reduction how) {
  double sum = 0, counted = 0;
  for (index_t r = BlockTeam::rank(); r < rows; r += BlockTeam::size) {
    sum += double(loss[r]);
    counted += label[r] != ignored ? 1 : 0;
  }
  sum = BlockTeam::join(sum, 0., Plus());
  counted = BlockTeam::join(counted, 0., Plus());
  if (threadIdx.x != 0) return;
  *scale = how == reduction::mean ? Number(1 / counted) : Number(1);
  if (how != reduction::none) *out = Number(how == reduction::mean ? sum / counted : sum);
}

}  // namespace detail

/// RowLossKernel::forward over device memory.
template <class Number>
void cross_entropy_rows(const Number* scores, const std::int64_t* label, std::int64_t ignored, Number* log_total,
                        Number* loss, index_t rows, index_t classes, const StreamRef& stream) {
  if (rows == 0) return;
  const DeviceGuard guard(stream.device());
  detail::with_team(rows, classes, [&]<class Team>(Team, unsigned blocks, unsigned threads) {
    launch(detail::cross_entropy_kernel<Team, Number>, blocks, threads, 0, stream, scores, label, ignored, log_total,
           loss, rows, classes);
  });
}
/// RowLossKernel::join over device memory.
template <class Number>
void join_losses(const Number* loss, const std::int64_t* label, std::int64_t ignored, Number* scale, Number* out,
                 index_t rows, reduction how, const StreamRef& stream) {
  const DeviceGuard guard(stream.device());
  launch(detail::join_losses_kernel<Number>, 1, detail::BlockTeam::size, 0, stream, loss, label, ignored, scale, out,
         rows, how);
}
/// RowLossKernel::backward over device memory, where also what gradients are multiplied by is.
template <class Number>
void cross_entropy_rows_backward(const Number* scores, const std::int64_t* label, std::int64_t ignored,
                                 const Number* log_total, const Number* gradient, index_t step, const Number* scale,
                                 Number* to, bool add, index_t rows, index_t classes, const StreamRef& stream) {
  if (rows == 0) return;
  const DeviceGuard guard(stream.device());
  detail::with_team(rows, classes, [&]<class Team>(Team, unsigned blocks, unsigned threads) {
    launch(detail::cross_entropy_backward_kernel<Team, Number>, blocks, threads, 0, stream, scores, label, ignored,
           log_total, gradient, step, scale, to, add, rows, classes);
  });
}
#endif

}  // namespace tt::gpu
