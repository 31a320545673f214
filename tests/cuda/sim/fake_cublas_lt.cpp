// Stand-in for cublasLt: a product and its epilogue. It has one algorithm, which takes workspace where the sum is long,
// so that callers give it; keeps partial sums in the type of the result unless that is masked out; and needs operands
// to be aligned as the preference says.
// https://docs.nvidia.com/cuda/cublas (cublasLtMatmul, cublasLtMatmulAlgoGetHeuristic)
#include "fake_cublas_product.hpp"

#include <cublasLt.h>

#include <cmath>
#include <cstring>

namespace {

using namespace tt::sim;

struct Description {
  cublasComputeType_t compute;
  cudaDataType scale;
  std::int32_t op_a, op_b;
  std::uint32_t epilogue;
  const void* bias;
};
struct Layout {
  cudaDataType type;
  std::int64_t rows, columns, leading;
};
struct Preference {
  std::uint64_t workspace;
  std::uint32_t reductions, align_a, align_b, align_c, align_d;
};
struct Algorithm {
  std::uint64_t mark, workspace;
  std::uint32_t align_a, align_b, align_c, align_d;
  bool rounds_partial_sums;
};
constexpr std::uint64_t mark = 0x616c676f;
constexpr std::int64_t long_sum = 32;
constexpr std::uint64_t workspace_bytes = 1000;

/// What opaque memory holds.
template <class T, class Opaque>
T in(const Opaque* memory) {
  static_assert(sizeof(T) <= sizeof(Opaque) && std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, memory->data, sizeof(T));
  return value;
}
template <class T, class Opaque>
cublasStatus_t put(Opaque* memory, const T& value) {
  static_assert(sizeof(T) <= sizeof(Opaque) && std::is_trivially_copyable_v<T>);
  std::memcpy(memory->data, &value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t assign(T& to, const void* from, std::size_t size) {
  if (!from || size != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, from, size);
  return CUBLAS_STATUS_SUCCESS;
}

std::int64_t rows_of(const Layout& l, std::int32_t op) { return op == CUBLAS_OP_N ? l.rows : l.columns; }
std::int64_t columns_of(const Layout& l, std::int32_t op) { return op == CUBLAS_OP_N ? l.columns : l.rows; }

/// What neither the heuristic nor a product takes.
cublasStatus_t refused(const Description& p, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  for (const Layout* l : {&a, &b, &c, &d}) {
    if (l->rows <= 0 || l->columns <= 0 || l->leading < l->rows) return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (rows_of(a, p.op_a) != d.rows || columns_of(b, p.op_b) != d.columns || c.rows != d.rows ||
      c.columns != d.columns || columns_of(a, p.op_a) != rows_of(b, p.op_b)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool one_type = a.type == b.type && a.type == c.type && a.type == d.type && p.scale == scale_of(d.type);
  if (!one_type || !is_supported(p.compute, d.type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool is_plain = p.epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  if (!is_plain && (is_complex(d.type) || d.type == CUDA_R_64F)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if ((p.epilogue & CUBLASLT_EPILOGUE_BIAS) && !p.bias) return CUBLAS_STATUS_INVALID_VALUE;
  constexpr std::uint32_t known =
      CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_BIAS;
  return p.epilogue & ~known ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

bool is_aligned(const void* p, std::uint32_t to) { return reinterpret_cast<std::uintptr_t>(p) % to == 0; }

double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

Value finish(const Description& p, cudaDataType type, Value sum, std::int64_t row) {
  double x = sum.real();
  if (p.epilogue & CUBLASLT_EPILOGUE_BIAS) x += load(type, p.bias, row).real();
  if (p.epilogue & CUBLASLT_EPILOGUE_RELU) x = x < 0 ? 0 : x;
  if (p.epilogue & CUBLASLT_EPILOGUE_GELU) x = gelu(x);
  return x;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, std::size_t size, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  if (size < sizeof(Description)) return CUBLAS_STATUS_INVALID_VALUE;
  return put(desc, Description{compute, scale, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr});
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t size) {
  auto p = in<Description>(desc);
  const cublasStatus_t status = attribute == CUBLASLT_MATMUL_DESC_TRANSA         ? assign(p.op_a, value, size)
                                : attribute == CUBLASLT_MATMUL_DESC_TRANSB       ? assign(p.op_b, value, size)
                                : attribute == CUBLASLT_MATMUL_DESC_EPILOGUE     ? assign(p.epilogue, value, size)
                                : attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER ? assign(p.bias, value, size)
                                                                                 : CUBLAS_STATUS_INVALID_VALUE;
  put(desc, p);
  return status;
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, std::size_t size, cudaDataType type,
                                                 std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  if (size < sizeof(Layout)) return CUBLAS_STATUS_INVALID_VALUE;
  return put(layout, Layout{type, std::int64_t(rows), std::int64_t(columns), leading});
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, std::size_t size) {
  if (size < sizeof(Preference)) return CUBLAS_STATUS_INVALID_VALUE;
  return put(preference, Preference{0, CUBLASLT_REDUCTION_SCHEME_MASK, 256, 256, 256, 256});
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    std::size_t size) {
  auto p = in<Preference>(preference);
  cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: status = assign(p.workspace, value, size); break;
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: status = assign(p.reductions, value, size); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: status = assign(p.align_a, value, size); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: status = assign(p.align_b, value, size); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: status = assign(p.align_c, value, size); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: status = assign(p.align_d, value, size); break;
    default: break;
  }
  put(preference, p);
  return status;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  *count = 0;
  if (const cublasStatus_t status = usable(reinterpret_cast<cublasHandle_t>(handle))) return status;
  if (requested <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const auto p = in<Description>(desc);
  if (const auto status = refused(p, in<Layout>(a), in<Layout>(b), in<Layout>(c), in<Layout>(d))) return status;
  const auto wanted = in<Preference>(preference);
  const bool is_long = columns_of(in<Layout>(a), p.op_a) >= long_sum;
  const std::uint64_t workspace = is_long && wanted.workspace >= workspace_bytes ? workspace_bytes : 0;
  const bool rounds = size_of(in<Layout>(d).type) == 2 &&
                      (wanted.reductions & (CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE));
  put(&results[0].algo, Algorithm{mark, workspace, wanted.align_a, wanted.align_b, wanted.align_c, wanted.align_d,
                                  rounds});
  results[0].workspaceSize = workspace;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_size, cudaStream_t stream) {
  auto* const owner = reinterpret_cast<cublasHandle_t>(handle);
  if (const cublasStatus_t status = usable(owner)) return status;
  const Description p = in<Description>(desc);
  const auto x = in<Layout>(a_layout), y = in<Layout>(b_layout), z = in<Layout>(d_layout);
  if (const cublasStatus_t status = refused(p, x, y, in<Layout>(c_layout), z)) return status;
  const auto how = in<Algorithm>(algorithm);
  if (!alpha || !beta || c != d || how.mark != mark || workspace_size < how.workspace) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!is_aligned(a, how.align_a) || !is_aligned(b, how.align_b) || !is_aligned(c, how.align_c) ||
      !is_aligned(d, how.align_d)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool is_biased = p.epilogue & CUBLASLT_EPILOGUE_BIAS;
  if (!is_on_device(a, x.type, x.rows, x.columns, x.leading) ||
      !is_on_device(b, y.type, y.rows, y.columns, y.leading) ||
      !is_on_device(d, z.type, z.rows, z.columns, z.leading) ||
      (is_biased && !is_on_device(p.bias, z.type, z.rows, 1, z.rows)) ||
      (how.workspace && !is_on_device(workspace, CUDA_R_16F, std::int64_t(how.workspace / 2), 1, 1))) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const CUstream_st* found = find_stream(stream);
  if (!found || found->device != owner->device) return CUBLAS_STATUS_EXECUTION_FAILED;
  const Product product{{x.type, a, x.leading, cublasOperation_t(p.op_a)},
                        {y.type, b, y.leading, cublasOperation_t(p.op_b)},
                        z.rows, z.columns, columns_of(x, p.op_a), 1, 0, 0, 0,
                        scalar(owner, p.scale, alpha), scalar(owner, p.scale, beta), z.type, d, z.leading,
                        p.compute == CUBLAS_COMPUTE_32F_FAST_TF32, how.rounds_partial_sums,
                        [p, type = z.type](Value sum, std::int64_t row) { return finish(p, type, sum, row); }};
  const cudaError_t code = push(stream, [=, bytes = how.workspace] {
    if (bytes) std::memset(workspace, 0x7f, bytes);
    product();
  });
  return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
