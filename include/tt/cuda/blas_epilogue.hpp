// Products whose bias and activation are applied before they are written, by cublasLt. Programs link tt::cublas.
#pragma once
#include <tt/cuda/blas.hpp>

#include <cublasLt.h>

#include <cstdint>

namespace tt::gpu {

/// What follows a product and its bias. gelu_tanh is torch.nn.functional.gelu(x, approximate="tanh").
enum class Epilogue : std::uint8_t { none, relu, gelu_tanh };

namespace detail {

/// What an algorithm of cublasLt may take besides; as much as cuBLAS gives its own products on sm_90.
inline constexpr std::uint64_t epilogue_workspace = 32 << 20;

/// The largest power of two, up to 256, that the address is a multiple of.
inline std::uint32_t alignment_of(const void* p) {
  const auto address = std::uint64_t(reinterpret_cast<std::uintptr_t>(p)) | 256;
  return std::uint32_t(address & -address);
}

/// A product as cublasLt takes it: row-major matrices are the transposes of its own.
class LtProduct {
 public:
  LtProduct(const BlasCall& c, const BlasTypes& types, const void* bias, Epilogue epilogue) : call_(c) {
    // By the column-major view: A is y, B is x, C and D are z.
    init(cublasLtMatmulDescInit(&product_, types.compute, types.scale));
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t(c.y.operation()));
    set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t(c.x.operation()));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t(kind_of(epilogue, bias)));
    if (bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    const auto layout = [&](cublasLtMatrixLayoutOpaque_t& to, index_t rows, index_t columns, index_t row) {
      init(cublasLtMatrixLayoutInit(&to, types.element, std::uint64_t(columns), std::uint64_t(rows), row));
    };
    layout(x_, c.x.rows, c.x.columns, c.x.leading());
    layout(y_, c.y.rows, c.y.columns, c.y.leading());
    layout(z_, c.m, c.n, c.z_leading());
    init(cublasLtMatmulPreferenceInit(&preference_));
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, epilogue_workspace);
    // Partial sums are kept as they are summed, and added up in one order.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(c.y.data));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(c.x.data));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(c.z));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(c.z));
  }

  /// Whether there was an algorithm for it.
  bool run(const StreamRef& stream) {
    // A handle of cuBLAS is also one of cublasLt: https://docs.nvidia.com/cuda/cublas (cublasLtHandle_t)
    const auto handle = reinterpret_cast<cublasLtHandle_t>(blas_handle(stream));
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle, &product_, &y_, &x_, &z_, &z_, &preference_, 1,
                                                           &found, &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
    check_blas(status, call_);
    if (count == 0 || found.state != CUBLAS_STATUS_SUCCESS) return false;
    StreamMemory workspace;
    void* const memory =
        found.workspaceSize ? workspace.allocate(found.workspaceSize, stream, call_.op, "workspace") : nullptr;
    status = cublasLtMatmul(handle, &product_, call_.alpha, call_.y.data, &y_, call_.x.data, &x_, call_.beta, call_.z,
                            &z_, call_.z, &z_, &found.algo, memory, found.workspaceSize, stream);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
    check_blas(status, call_);
    wait_in_debug(call_, stream);
    return true;
  }

 private:
  static cublasLtEpilogue_t kind_of(Epilogue epilogue, bool biased) {
    switch (epilogue) {
      case Epilogue::relu: return biased ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
      case Epilogue::gelu_tanh: return biased ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
      default: return biased ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    }
  }
  void init(cublasStatus_t status) const { check_blas(status, call_); }
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    init(cublasLtMatmulDescSetAttribute(&product_, attribute, &value, sizeof value));
  }
  template <class Value>
  void prefer(cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
    init(cublasLtMatmulPreferenceSetAttribute(&preference_, attribute, &value, sizeof value));
  }

  const BlasCall& call_;
  cublasLtMatmulDescOpaque_t product_{};
  cublasLtMatrixLayoutOpaque_t x_{}, y_{}, z_{};
  cublasLtMatmulPreferenceOpaque_t preference_{};
};

TT_NOINLINE inline bool run_epilogue(const BlasCall& c, const void* bias, Epilogue epilogue, const StreamRef& stream) {
  const BlasTypes types = blas_types(c.op, c.type);
  check_call(c);
  if (c.m == 0 || c.n == 0) return true;
  if (c.k == 0 || is_complex(c.type)) return false;
  const DeviceGuard guard(stream.device());
  return LtProduct(c, types, bias, epilogue).run(stream);
}

}  // namespace detail

/// z[m, n] = f(op(x)[m, k] op(y)[k, n] + bias[n]) in one kernel, where `bias` may be null. The product is not rounded
/// before the bias is added and f is taken; all else is as for gemm. What its relu makes of NaN, cublasLt does not say.
/// @return false where cublasLt has no such kernel, as for complex numbers and where k is 0: nothing was queued, and
///         the caller takes gemm and kernels of its own
/// https://docs.nvidia.com/cuda/cublas (cublasLtMatmul, cublasLtEpilogue_t)
/// @throws as gemm does
template <element Number>
bool gemm_epilogue(index_t m, index_t n, index_t k, const GemmOperand<Number>& x, const GemmOperand<Number>& y,
                   const Number* bias, Epilogue epilogue, Number* z, index_t z_row,
                   const StreamRef& stream = current_stream()) {
  const gemm_scale<Number> one(1), zero(0);
  return detail::run_epilogue(detail::make_blas_call("gemm_epilogue", 1, m, n, k, one, x, y, zero, z, z_row, 0), bias,
                              epilogue, stream);
}

}  // namespace tt::gpu
