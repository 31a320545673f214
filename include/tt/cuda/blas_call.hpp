// One product as cuBLAS takes it, whatever its type: checked, turned to cuBLAS's column-major order and queued.
#pragma once
#include <tt/core/dtype.hpp>
#include <tt/cuda/blas_handle.hpp>
#include <tt/cuda/launch.hpp>
#include <tt/cuda/memory.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace tt::gpu::detail {

inline constinit std::atomic<bool> tf32_is_allowed{false};

/// The stored matrix has rows x columns.
struct BlasOperand {
  const void* data;
  index_t row, stride;
  bool transposed, conjugate;
  index_t rows, columns;

  cublasOperation_t operation() const { return !transposed ? CUBLAS_OP_N : conjugate ? CUBLAS_OP_C : CUBLAS_OP_T; }
  /// cuBLAS wants leading dimensions of at least a row, also where there is no second one.
  index_t leading() const { return rows > 1 ? row : (std::max)({row, columns, index_t(1)}); }
};

/// z = alpha op(x) op(y) + beta z, `count` times.
struct BlasCall {
  const char* op;
  dtype type;
  index_t count, m, n, k;
  const void* alpha;
  BlasOperand x, y;
  const void* beta;
  bool beta_is_zero, beta_is_one;
  void* z;
  index_t z_row, z_stride;

  index_t z_leading() const { return m > 1 ? z_row : (std::max)(z_row, n); }
};

struct BlasTypes {
  cudaDataType element, scale;
  cublasComputeType_t compute;
};

TT_NOINLINE inline BlasTypes blas_types(const char* op, dtype type) {
  const bool tf32 = tf32_is_allowed.load(std::memory_order_relaxed);
  const cublasComputeType_t single = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  switch (type) {
    case dtype::float16: return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case dtype::bfloat16: return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case dtype::float32: return {CUDA_R_32F, CUDA_R_32F, single};
    case dtype::float64: return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case dtype::complex64: return {CUDA_C_32F, CUDA_C_32F, single};
    case dtype::complex128: return {CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F};
    default:
      throw not_implemented(std::string(op) + ": cuBLAS has no products of " + std::string(name_of(type)) +
                            "; convert to a floating type");
  }
}

inline void check_matrix(const BlasCall& call, const char* name, const void* data, index_t rows, index_t columns,
                         index_t row) {
  if (rows == 0 || columns == 0) return;
  const dims size{rows, columns};
  if (!data) fail({call.op, ": ", name, " ", Numbers{size}, " has no memory"});
  if (rows > 1 && row < columns) {
    fail({call.op, ": rows of ", name, " ", Numbers{size}, " overlap: they begin ", row, " elements apart"});
  }
}

TT_NOINLINE inline void check_call(const BlasCall& c) {
  if (c.m < 0 || c.n < 0 || c.k < 0 || c.count < 0) {
    fail({c.op, ": an extent is negative: m ", c.m, ", n ", c.n, ", k ", c.k, ", ", c.count, " products"});
  }
  if (c.count == 0 || c.m == 0 || c.n == 0) return;
  check_matrix(c, "x", c.x.data, c.x.rows, c.x.columns, c.x.row);
  check_matrix(c, "y", c.y.data, c.y.rows, c.y.columns, c.y.row);
  check_matrix(c, "z", c.z, c.m, c.n, c.z_row);
  if (c.x.stride < 0 || c.y.stride < 0) {
    fail({c.op, ": matrices of a batch lie ", c.x.stride, " and ", c.y.stride,
          " elements apart, at least 0 is needed"});
  }
  if (c.count > 1 && c.z_stride <= 0) {
    fail({c.op, ": ", c.count, " results lie ", c.z_stride, " elements apart, at least 1 is needed"});
  }
}

[[noreturn]] TT_NOINLINE inline void fail_call(const BlasCall& c, cublasStatus_t status) {
  const dims x{c.x.rows, c.x.columns}, y{c.y.rows, c.y.columns};
  fail_cublas(status, c.op, {c.count, c.count == 1 ? " product of " : " products of ", name_of(c.type), " ", Numbers{x},
                             c.x.transposed ? " transposed by " : " by ", Numbers{y},
                             c.y.transposed ? " transposed" : ""});
}
inline void check_blas(cublasStatus_t status, const BlasCall& call) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    fail_call(call, status);
}

/// Memory for what a stream is given while this lives. In a capture it is part of the graph, so that nobody else has it
/// between replays.
class StreamMemory {
 public:
  StreamMemory() = default;
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;
  ~StreamMemory() {
    if (data_ && !from_) (void)cudaFreeAsync(data_, stream_);
    try {
      if (from_) from_->free(data_);
    } catch (const Error&) {  // NOLINT: a destructor; what failed shows at the next call of CUDA
    }
  }
  void* allocate(std::size_t bytes, const StreamRef& stream, const char* op, const char* what) {
    stream_ = stream;
    if (!stream.is_capturing()) {
      from_ = &allocator(stream.device());
      return data_ = from_->allocate(bytes, stream);
    }
    const cudaError_t code = cudaMallocAsync(&data_, bytes, stream);
    if (code != cudaSuccess) fail_cuda(code, op, {bytes, " bytes for ", what});
    return data_;
  }

 private:
  void* data_ = nullptr;
  CachingAllocator* from_ = nullptr;  // null: CUDA
  cudaStream_t stream_ = nullptr;
};

/// In debug mode work is waited for, so that what goes wrong in it is thrown where it was queued.
inline void wait_in_debug(const BlasCall& call, const StreamRef& stream) {
  if (!is_launch_blocking() || stream.is_capturing()) return;
  const cudaError_t code = cudaStreamSynchronize(stream);
  if (code != cudaSuccess) fail_cuda(code, call.op, {"waited for"});
}

inline void* element_at(void* data, dtype type, index_t n) {
  return static_cast<std::byte*>(data) + n * index_t(size_of(type));
}
inline const void* element_at(const void* data, dtype type, index_t n) {
  return static_cast<const std::byte*>(data) + n * index_t(size_of(type));
}

/// A conjugate that is not transposed is none of cuBLAS's operations. Its geam writes conjugate transposes, and their
/// transposes are read.
TT_NOINLINE inline void conjugate_operand(const BlasCall& c, BlasOperand& from, StreamMemory& memory,
                                          cublasHandle_t handle, const StreamRef& stream) {
  const index_t matrices = from.stride == 0 ? 1 : c.count, size = from.rows * from.columns;
  void* const to = memory.allocate(std::size_t(matrices * size) * size_of(c.type), stream, c.op,
                                   "the conjugate of an operand");
  const auto write = [&]<class Complex>(auto geam, Complex one) {
    const Complex zero{};
    for (index_t i = 0; i < matrices; ++i) {
      auto* out = static_cast<Complex*>(element_at(to, c.type, i * size));
      const auto* in = static_cast<const Complex*>(element_at(from.data, c.type, i * from.stride));
      check_blas(geam(handle, CUBLAS_OP_C, CUBLAS_OP_N, from.rows, from.columns, &one, in, from.leading(), &zero, out,
                      from.rows, out, from.rows), c);
    }
  };
  if (c.type == dtype::complex64) write(cublasCgeam_64, cuComplex{1, 0});
  else write(cublasZgeam_64, cuDoubleComplex{1, 0});
  from = {to, from.rows, from.stride == 0 ? 0 : size, true, false, from.columns, from.rows};
}

/// z = beta z, what is left where nothing is summed.
TT_NOINLINE inline void scale_results(const BlasCall& c, const BlasTypes& types, cublasHandle_t handle,
                                      cudaStream_t stream) {
  if (c.beta_is_one) return;
  const bool dense = c.m == 1 || c.z_row == c.n;
  const index_t rows = dense ? 1 : c.m, length = dense ? c.m * c.n : c.n;
  const std::size_t item = size_of(c.type);
  for (index_t i = 0; i < c.count; ++i) {
    void* const z = element_at(c.z, c.type, i * c.z_stride);
    if (c.beta_is_zero) {  // whatever is there, NaN too
      check(cudaMemset2DAsync(z, std::size_t(dense ? length : c.z_row) * item, 0, std::size_t(length) * item,
                                   std::size_t(rows), stream), c.op);
      continue;
    }
    for (index_t r = 0; r < rows; ++r) {
      check_blas(cublasScalEx_64(handle, length, c.beta, types.scale, element_at(z, c.type, r * c.z_row),
                                 types.element, 1, types.scale), c);
    }
  }
}

/// cuBLAS's matrices are column-major: it sees the transposes of ours, and of these z' = op(y)' op(x)'.
TT_NOINLINE inline void run_gemm(BlasCall c, const StreamRef& stream) {
  const BlasTypes types = blas_types(c.op, c.type);
  check_call(c);
  if (c.count == 0 || c.m == 0 || c.n == 0) return;
  const DeviceGuard guard(stream.device());
  cublasHandle_t const handle = blas_handle(stream);
  if (c.k == 0) return scale_results(c, types, handle, stream);
  StreamMemory memory[2];
  if (is_complex(c.type)) {
    if (c.x.conjugate && !c.x.transposed) conjugate_operand(c, c.x, memory[0], handle, stream);
    if (c.y.conjugate && !c.y.transposed) conjugate_operand(c, c.y, memory[1], handle, stream);
  }
  if (c.count == 1) {
    check_blas(cublasGemmEx_64(handle, c.y.operation(), c.x.operation(), c.n, c.m, c.k, c.alpha, c.y.data,
                               types.element, c.y.leading(), c.x.data, types.element, c.x.leading(), c.beta, c.z,
                               types.element, c.z_leading(), types.compute, CUBLAS_GEMM_DEFAULT), c);
  } else {
    check_blas(cublasGemmStridedBatchedEx_64(handle, c.y.operation(), c.x.operation(), c.n, c.m, c.k, c.alpha,
                                             c.y.data, types.element, c.y.leading(), c.y.stride, c.x.data,
                                             types.element, c.x.leading(), c.x.stride, c.beta, c.z, types.element,
                                             c.z_leading(), c.z_stride, c.count, types.compute, CUBLAS_GEMM_DEFAULT),
               c);
  }
  wait_in_debug(c, stream);
}

}  // namespace tt::gpu::detail
