// Inside of the stand-in for libcublas: a product as work of a stream.
#pragma once
#include "fake_cublas.hpp"

#include <functional>

namespace tt::sim {

/// The tables of supported combinations, for operands and result of one type.
bool is_supported(cublasComputeType_t compute, cudaDataType type);
/// What a product of the type is scaled by.
cudaDataType scale_of(cudaDataType type);

struct Product {
  ColumnMajor a, b;
  std::int64_t m, n, k, count, stride_a, stride_b, stride_c;
  std::function<Value()> alpha, beta;
  cudaDataType type;
  void* c;
  std::int64_t leading_c;
  bool tf32, rounds_partial_sums;
  std::function<Value(Value, std::int64_t row)> epilogue{};  ///< of a result that is not rounded yet

  void operator()() const;

 private:
  Value sum(std::int64_t matrix, std::int64_t row, std::int64_t column, std::int64_t begin, std::int64_t end) const;
};

}  // namespace tt::sim
