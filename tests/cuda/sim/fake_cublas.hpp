// Inside of the stand-in for libcublas: handles, and matrices of any type as cuBLAS addresses them.
#pragma once
#include "cudart.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <complex>

struct cublasContext {
  int device;
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  void* workspace = nullptr;
};

namespace tt::sim {

using Value = std::complex<double>;

std::size_t size_of(cudaDataType type);
bool is_complex(cudaDataType type);
Value load(cudaDataType type, const void* from, std::int64_t n);
/// Rounded as the type says.
void store(cudaDataType type, void* to, std::int64_t n, Value value);
/// `x` as a store and a load give it back.
Value rounded(cudaDataType type, Value x);

/// Column-major.
struct ColumnMajor {
  cudaDataType type;
  const void* data;
  std::int64_t leading;
  cublasOperation_t op = CUBLAS_OP_N;

  /// Element of op(matrix).
  Value at(std::int64_t row, std::int64_t column, std::int64_t matrix_begin = 0) const {
    if (op != CUBLAS_OP_N) std::swap(row, column);
    const Value value = load(type, data, matrix_begin + row + column * leading);
    return op == CUBLAS_OP_C ? std::conj(value) : value;
  }
};

/// CUBLAS_STATUS_SUCCESS where calls on the handle are possible.
cublasStatus_t usable(cublasHandle_t handle);
bool is_operation(cublasOperation_t op);
/// Whether a column-major matrix, or `count` of them, lies in device memory.
bool is_on_device(const void* data, cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                  std::int64_t stride = 0, std::int64_t count = 1);
/// Whether cudaFreeAsync was called for it.
bool was_freed_in_order(const void* block);
/// A scalar by the handle's pointer mode: the host's is read now, the device's when the stream gets there.
std::function<Value()> scalar(cublasHandle_t handle, cudaDataType type, const void* at);
/// What the run time says to work given to the handle's stream, as cuBLAS reports it.
cublasStatus_t queue(cublasHandle_t handle, Work work);

}  // namespace tt::sim
