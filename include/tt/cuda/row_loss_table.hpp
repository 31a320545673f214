// The RowLossKernel of cross-entropy on CUDA, for the current stream.
#pragma once
#include <tt/cuda/cross_entropy.hpp>
#include <tt/expr/rows.hpp>

namespace tt::gpu {

#if TT_CUDA_KERNELS

namespace detail {

template <class Number>
const Number* numbers(const std::byte* p) { return reinterpret_cast<const Number*>(p); }
template <class Number>
Number* numbers(std::byte* p) { return reinterpret_cast<Number*>(p); }

template <class Number>
void cross_entropy_forward(const std::byte* scores, const std::int64_t* label, std::int64_t ignored, std::byte* log_total,
                           std::byte* loss, index_t rows, index_t classes) {
  cross_entropy_rows(numbers<Number>(scores), label, ignored, numbers<Number>(log_total), numbers<Number>(loss), rows,
                     classes, current_stream());
}
template <class Number>
void cross_entropy_join(const std::byte* loss, const std::int64_t* label, std::int64_t ignored, std::byte* log_total,
                        std::byte* out, index_t rows, reduction how) {
  join_losses(numbers<Number>(loss), label, ignored, numbers<Number>(log_total) + 2 * rows, numbers<Number>(out), rows,
              how, current_stream());
}
template <class Number>
void cross_entropy_backward(const std::byte* scores, const std::int64_t* label, std::int64_t ignored,
                            const std::byte* log_total, const std::byte* gradient, index_t step, double, std::byte* to,
                            bool add, index_t rows, index_t classes) {
  const Number* const total = numbers<Number>(log_total);
  cross_entropy_rows_backward(numbers<Number>(scores), label, ignored, total, numbers<Number>(gradient), step,
                              total + 2 * rows, numbers<Number>(to), add, rows, classes, current_stream());
}

}  // namespace detail

template <class Number, bool Track>
inline constexpr RowLossKernel cross_entropy_kernel{
    dtype_of<Number>, detail::cross_entropy_forward<Number>, Track ? detail::cross_entropy_backward<Number> : nullptr,
    device::cuda, detail::cross_entropy_join<Number>};

#endif

}  // namespace tt::gpu
