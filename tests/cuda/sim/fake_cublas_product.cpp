// Stand-in for libcublas: what a product computes. Sums are kept in double.
#include "fake_cublas_product.hpp"

namespace tt::sim {
namespace {

/// Ten bits of mantissa, to nearest.
double to_tf32(double x) {
  auto bits = __builtin_bit_cast(std::uint32_t, float(x));
  bits = (bits + 0x1000) & 0xffffe000;
  return double(__builtin_bit_cast(float, bits));
}

}  // namespace

bool is_supported(cublasComputeType_t compute, cudaDataType type) {
  const bool is_single = type == CUDA_R_32F || type == CUDA_C_32F;
  switch (compute) {
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC: return is_single || type == CUDA_R_16F || type == CUDA_R_16BF;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32: return is_single;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return type == CUDA_R_64F || type == CUDA_C_64F;
    default: return false;
  }
}

cudaDataType scale_of(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

/// From `begin` to `end` of what is summed over.
Value Product::sum(std::int64_t matrix, std::int64_t row, std::int64_t column, std::int64_t begin,
                   std::int64_t end) const {
  Value total = 0;
  for (std::int64_t l = begin; l < end; ++l) {
    Value x = a.at(row, l, matrix * stride_a), y = b.at(l, column, matrix * stride_b);
    if (tf32) x = {to_tf32(x.real()), to_tf32(x.imag())}, y = {to_tf32(y.real()), to_tf32(y.imag())};
    total += x * y;
  }
  return total;
}

void Product::operator()() const {
  const Value by = alpha(), old = beta();
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t column = 0; column < n; ++column) {
      for (std::int64_t row = 0; row < m; ++row) {
        Value total;
        if (rounds_partial_sums) {  // as kernels that split the sum do
          total = rounded(type, sum(i, row, column, 0, k / 2)) + rounded(type, sum(i, row, column, k / 2, k));
        } else {
          total = sum(i, row, column, 0, k);
        }
        const std::int64_t at = i * stride_c + row + column * leading_c;
        Value result = by * total;
        if (old != Value(0)) result += old * load(type, c, at);
        store(type, c, at, epilogue ? epilogue(result, row) : result);
      }
    }
  }
}

}  // namespace tt::sim
