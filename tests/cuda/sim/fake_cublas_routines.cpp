// Stand-in for libcublas: products, conjugate transposes, scaling. What is documented to be checked is checked;
// besides, matrices must lie in device memory, and no algorithm is taken but the default one.
// https://docs.nvidia.com/cuda/cublas (cublasGemmEx, cublasGemmStridedBatchedEx, cublas<t>geam, cublasScalEx)
#include "fake_cublas_product.hpp"

using namespace tt::sim;

extern "C" {

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                             int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
                                             cudaDataType type_a, int64_t lda, long long stride_a, const void* b,
                                             cudaDataType type_b, int64_t ldb, long long stride_b, const void* beta,
                                             void* c, cudaDataType type_c, int64_t ldc, long long stride_c,
                                             int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t algo) {
  if (const cublasStatus_t status = usable(handle)) return status;
  if (!is_operation(op_a) || !is_operation(op_b) || m < 0 || n < 0 || k < 0 || count < 0 || !alpha || !beta) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const std::int64_t rows_a = op_a == CUBLAS_OP_N ? m : k, rows_b = op_b == CUBLAS_OP_N ? k : n;
  const std::int64_t one = 1;
  if (lda < std::max(one, rows_a) || ldb < std::max(one, rows_b) || ldc < std::max(one, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (type_a != type_b || type_a != type_c || !is_supported(compute, type_a) || algo != CUBLAS_GEMM_DEFAULT) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!is_on_device(a, type_a, rows_a, op_a == CUBLAS_OP_N ? k : m, lda, stride_a, count) ||
      !is_on_device(b, type_b, rows_b, op_b == CUBLAS_OP_N ? n : k, ldb, stride_b, count) ||
      !is_on_device(c, type_c, m, n, ldc, stride_c, count)) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const cudaDataType scale = scale_of(type_c);
  const bool exact_sums = (handle->math & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) || size_of(type_c) > 2;
  const bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  return queue(handle, Product{{type_a, a, lda, op_a}, {type_b, b, ldb, op_b}, m, n, k, count, stride_a, stride_b,
                               stride_c, scalar(handle, scale, alpha), scalar(handle, scale, beta), type_c, c, ldc,
                               tf32, !exact_sums});
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                               int64_t n, int64_t k, const void* alpha, const void* a, cudaDataType type_a, int64_t lda,
                               const void* b, cudaDataType type_b, int64_t ldb, const void* beta, void* c,
                               cudaDataType type_c, int64_t ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta,
                                       c, type_c, ldc, 0, 1, compute, algo);
}

}  // extern "C"

namespace {

/// C = alpha op(A) + beta op(B). With beta 0 and the host's pointers B need not be valid.
cublasStatus_t add_matrices(cudaDataType type, cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            std::int64_t m, std::int64_t n, const void* alpha, const void* a, std::int64_t lda,
                            const void* beta, const void* b, std::int64_t ldb, void* c, std::int64_t ldc) {
  if (const cublasStatus_t status = usable(handle)) return status;
  if (!is_operation(op_a) || !is_operation(op_b) || m < 0 || n < 0 || !alpha || !beta) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const std::int64_t rows_a = op_a == CUBLAS_OP_N ? m : n, rows_b = op_b == CUBLAS_OP_N ? m : n, one = 1;
  if (lda < std::max(one, rows_a) || ldb < std::max(one, rows_b) || ldc < std::max(one, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if ((a == c && (op_a != CUBLAS_OP_N || lda != ldc)) || (b == c && (op_b != CUBLAS_OP_N || ldb != ldc))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool b_is_read = handle->pointers == CUBLAS_POINTER_MODE_DEVICE || load(type, beta, 0) != Value(0);
  if (!is_on_device(a, type, rows_a, op_a == CUBLAS_OP_N ? n : m, lda) || !is_on_device(c, type, m, n, ldc) ||
      (b_is_read && !is_on_device(b, type, rows_b, op_b == CUBLAS_OP_N ? n : m, ldb))) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  return queue(handle, [=, x = ColumnMajor{type, a, lda, op_a}, y = ColumnMajor{type, b, ldb, op_b},
                        by = scalar(handle, type, alpha), plus = scalar(handle, type, beta)] {
    for (std::int64_t column = 0; column < n; ++column) {
      for (std::int64_t row = 0; row < m; ++row) {
        Value value = by() * x.at(row, column);
        if (b_is_read) value += plus() * y.at(row, column);
        store(type, c, row + column * ldc, value);
      }
    }
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasCgeam_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                              int64_t n, const cuComplex* alpha, const cuComplex* a, int64_t lda, const cuComplex* beta,
                              const cuComplex* b, int64_t ldb, cuComplex* c, int64_t ldc) {
  return add_matrices(CUDA_C_32F, handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}
cublasStatus_t cublasZgeam_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                              int64_t n, const cuDoubleComplex* alpha, const cuDoubleComplex* a, int64_t lda,
                              const cuDoubleComplex* beta, const cuDoubleComplex* b, int64_t ldb, cuDoubleComplex* c,
                              int64_t ldc) {
  return add_matrices(CUDA_C_64F, handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}

cublasStatus_t cublasScalEx_64(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alpha_type, void* x,
                               cudaDataType type, int64_t step, cudaDataType execution) {
  if (const cublasStatus_t status = usable(handle)) return status;
  if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
  if (alpha_type != scale_of(type) || execution != scale_of(type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n <= 0 || step <= 0) return CUBLAS_STATUS_SUCCESS;  // as the BLAS does
  if (!is_on_device(x, type, 1, n, step)) return CUBLAS_STATUS_EXECUTION_FAILED;
  return queue(handle, [=, by = scalar(handle, alpha_type, alpha)] {
    for (std::int64_t i = 0; i < n; ++i) store(type, x, i * step, by() * load(type, x, i * step));
  });
}

}  // extern "C"
