// Products of matrices on a device, by cuBLAS. Host code for any compiler that finds CUDA's headers. Programs link
// tt::cublas.
#pragma once
#include <tt/cuda/blas_call.hpp>

#include <type_traits>

namespace tt::gpu {

/// Whether products of float and complex64 may round their operands to TF32, 10 bits of mantissa, where the device then
/// multiplies faster. For all threads; not at first.
/// https://pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices
inline void set_allow_tf32(bool on) { detail::tf32_is_allowed.store(on, std::memory_order_relaxed); }
inline bool is_tf32_allowed() { return detail::tf32_is_allowed.load(std::memory_order_relaxed); }

/// An operand as it lies in memory: row-major, of unit stride along its rows. What is multiplied is its transpose, its
/// conjugate or both, where it says so.
template <element Number>
struct GemmOperand {
  const Number* data;
  index_t row;  ///< elements from one row to the next, at least a row's length
  bool transposed = false;
  bool conjugate = false;  ///< changes nothing of real numbers
  index_t stride = 0;      ///< in a batch, elements from one matrix to the next; 0: all are the same one
};

/// What products are scaled by, and the type they are summed in: float for half and bfloat16.
template <element Number>
using gemm_scale = compute_t<Number>;

namespace detail {
template <element Number>
BlasCall make_blas_call(const char* op, index_t count, index_t m, index_t n, index_t k,
                        const gemm_scale<Number>& alpha, const GemmOperand<Number>& x, const GemmOperand<Number>& y,
                        const gemm_scale<Number>& beta, Number* z, index_t z_row, index_t z_stride) {
  const auto operand = [](const GemmOperand<Number>& o, index_t rows, index_t columns) {
    return BlasOperand{o.data, o.row, o.stride, o.transposed, o.conjugate, o.transposed ? columns : rows,
                       o.transposed ? rows : columns};
  };
  using scale = gemm_scale<Number>;
  return {op, dtype_of<Number>, count, m, n, k, &alpha, operand(x, m, k), operand(y, k, n), &beta, beta == scale(0),
          beta == scale(1), z, z_row, z_stride};
}
}  // namespace detail

/// z[m, n] = alpha op(x)[m, k] op(y)[k, n] + beta z, where z is row-major with `z_row` elements from one row to the
/// next and shares no memory with x and y. Queued on `stream`; works in a capture. Of float, double, half, bfloat16,
/// complex64 and complex128; 16-bit numbers are summed in float. Where beta is 0, z is written whatever was there;
/// where k is 0, z = beta z.
/// A conjugate that is not transposed is written to memory of the stream first. Backward of a complex product needs
/// one only where the product took an operand transposed.
/// https://docs.nvidia.com/cuda/cublas (cublasGemmEx)
/// @throws not_implemented for other types; Error for negative extents and rows that overlap; CublasError
template <element Number>
void gemm(index_t m, index_t n, index_t k, gemm_scale<Number> alpha, const GemmOperand<Number>& x,
          const GemmOperand<Number>& y, gemm_scale<Number> beta, Number* z, index_t z_row,
          const StreamRef& stream = current_stream()) {
  detail::run_gemm(detail::make_blas_call("gemm", 1, m, n, k, alpha, x, y, beta, z, z_row, 0), stream);
}

/// The same for `count` matrices; of z each begins `z_stride` elements after the one before, and none overlap.
/// https://docs.nvidia.com/cuda/cublas (cublasGemmStridedBatchedEx)
template <element Number>
void gemm_batched(index_t count, index_t m, index_t n, index_t k, gemm_scale<Number> alpha,
                  const GemmOperand<Number>& x, const GemmOperand<Number>& y, gemm_scale<Number> beta, Number* z,
                  index_t z_row, index_t z_stride, const StreamRef& stream = current_stream()) {
  detail::run_gemm(detail::make_blas_call("gemm_batched", count, m, n, k, alpha, x, y, beta, z, z_row, z_stride),
                   stream);
}

/// A GemmFunction of dispatch/contract.hpp on the current stream, z += op(x) op(y), with memory of the device. Without
/// Add z is not read: z = op(x) op(y).
template <element Number, bool LeftTransposed, bool RightTransposed, bool LeftConjugate = false,
          bool RightConjugate = false, bool Add = true>
void gemm_into(std::byte* z, index_t z_row, index_t m, index_t n, index_t k, const std::byte* x, index_t x_row,
               const std::byte* y, index_t y_row) {
  using scale = gemm_scale<Number>;
  gemm<Number>(m, n, k, scale(1), {reinterpret_cast<const Number*>(x), x_row, LeftTransposed, LeftConjugate},
               {reinterpret_cast<const Number*>(y), y_row, RightTransposed, RightConjugate}, scale(Add ? 1 : 0),
               reinterpret_cast<Number*>(z), z_row);
}

}  // namespace tt::gpu
