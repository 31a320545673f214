// The norm of all gradients, and gradients scaled down to it, without waiting for the device: the factor stays there.
#pragma once
#include <tt/cuda/multi_tensor.hpp>
#include <tt/cuda/team.hpp>

#include <cmath>

namespace tt::gpu {
#if TT_CUDA_KERNELS
namespace detail {

/// partial[block] = sum of the squares that the block sees, in double.
template <class Number>
__global__ void __launch_bounds__(256) squares_kernel(TensorBatch<Number, 1> batch, double* partial) {
  const Span span = span_of_block(batch);
  const Number* const x = batch.data[span.tensor][0];
  double sum = 0;
  for (index_t i = span.begin + index_t(threadIdx.x); i < span.end; i += blockDim.x) sum += double(x[i]) * double(x[i]);
  sum = BlockTeam::join(sum, 0., Plus());
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
/// *norm = sqrt(sum of partial). One block, so that the order of the sum is always the same.
__global__ static void __launch_bounds__(256) norm_kernel(const double* partial, index_t count, double* norm) {
  double sum = 0;
  for (index_t i = index_t(threadIdx.x); i < count; i += blockDim.x) sum += partial[i];
  sum = BlockTeam::join(sum, 0., Plus());
  if (threadIdx.x == 0) *norm = std::sqrt(sum);
}

template <class Number>
struct ScaleUpdate {
  static constexpr unsigned writes = 1;
  const double* norm;
  double most;

  TT_HD void operator()(Number* x) const {
    const double factor = most / (*norm + 1e-6);
    if (!(factor >= 1)) x[0] *= Number(factor);  // a norm that is no number makes the gradients so
  }
};
}  // namespace detail

/// Writes the Euclidean norm of all elements to *norm, and scales them by most / (norm + 1e-6) where that is below 1.
/// All of it is queued; norm and `workspace`, gradients.blocks() doubles, are in device memory.
/// https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
template <class Number>
void clip_gradients(const TensorList<Number, 1>& gradients, double most, double* workspace, double* norm,
                    const StreamRef& stream) {
  const DeviceGuard guard(stream.device());
  index_t done = 0;
  gradients.each_batch([&](const TensorBatch<Number, 1>& batch, std::uint32_t blocks) {
    launch(detail::squares_kernel<Number>, blocks, 256, 0, stream, batch, workspace + done);
    done += blocks;
  });
  launch(detail::norm_kernel, 1, 256, 0, stream, workspace, done, norm);
  gradients.apply(detail::ScaleUpdate<Number>{norm, most}, stream);
}
#endif
}  // namespace tt::gpu
