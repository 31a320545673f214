// Stand-in for libcublas: handles and their modes, and what its routines share.
// https://docs.nvidia.com/cuda/cublas (cuBLAS helper functions)
#include "fake_cublas.hpp"

#include "cublas_control.hpp"

#include <tt/core/half.hpp>

#include <unordered_set>

namespace tt::sim {
namespace {

constexpr std::size_t workspace_bytes = 4096;  // the library takes megabytes

std::unordered_set<cublasHandle_t>& handles() {
  static std::unordered_set<cublasHandle_t> set;
  return set;
}

template <class Number>
Value number_at(const void* from, std::int64_t n) {
  const auto* numbers = static_cast<const Number*>(from);
  return {double(float(numbers[n])), 0};
}

}  // namespace

int cublas_handles() { return int(handles().size()); }

std::size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F: return 4;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    default: return 16;  // CUDA_C_64F
  }
}
bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

Value load(cudaDataType type, const void* from, std::int64_t n) {
  switch (type) {
    case CUDA_R_16F: return number_at<half>(from, n);
    case CUDA_R_16BF: return number_at<bfloat16>(from, n);
    case CUDA_R_32F: return number_at<float>(from, n);
    case CUDA_R_64F: return static_cast<const double*>(from)[n];
    case CUDA_C_32F: return static_cast<const std::complex<float>*>(from)[n];
    default: return static_cast<const Value*>(from)[n];
  }
}
void store(cudaDataType type, void* to, std::int64_t n, Value value) {
  switch (type) {
    case CUDA_R_16F: static_cast<half*>(to)[n] = half(float(value.real())); return;
    case CUDA_R_16BF: static_cast<bfloat16*>(to)[n] = bfloat16(float(value.real())); return;
    case CUDA_R_32F: static_cast<float*>(to)[n] = float(value.real()); return;
    case CUDA_R_64F: static_cast<double*>(to)[n] = value.real(); return;
    case CUDA_C_32F: static_cast<std::complex<float>*>(to)[n] = std::complex<float>(value); return;
    default: static_cast<Value*>(to)[n] = value;
  }
}
Value rounded(cudaDataType type, Value x) {
  Value memory;
  store(type, &memory, 0, x);
  return load(type, &memory, 0);
}

cublasStatus_t usable(cublasHandle_t handle) {
  if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (handle->device != current_device()) return CUBLAS_STATUS_EXECUTION_FAILED;
  return CUBLAS_STATUS_SUCCESS;
}

bool is_operation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }

bool is_on_device(const void* data, cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                  std::int64_t stride, std::int64_t count) {
  if (rows == 0 || columns == 0 || count == 0) return true;
  const std::int64_t elements = (count - 1) * stride + (columns - 1) * leading + rows;
  return !was_freed_in_order(data) && is_device_memory(data, std::size_t(elements) * size_of(type));
}

std::function<Value()> scalar(cublasHandle_t handle, cudaDataType type, const void* at) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) return [=] { return load(type, at, 0); };
  return [value = load(type, at, 0)] { return value; };
}

cublasStatus_t queue(cublasHandle_t handle, Work work) {
  const cudaError_t code = push(handle->stream, std::move(work));
  return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace tt::sim

using namespace tt::sim;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (!device_count()) return CUBLAS_STATUS_NOT_INITIALIZED;
  void* workspace = nullptr;
  if (cudaMalloc(&workspace, workspace_bytes) != cudaSuccess) {
    (void)cudaGetLastError();
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  *handle = new cublasContext{current_device()};
  (*handle)->workspace = workspace;
  handles().insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (cudaDeviceSynchronize() != cudaSuccess || cudaFree(handle->workspace) != cudaSuccess) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  handles().erase(handle);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const CUstream_st* found = find_stream(stream);
  if (!found || found->device != handle->device) return CUBLAS_STATUS_MAPPING_ERROR;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_INVALID_VALUE;
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED: return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_MAPPING_ERROR: return "an access to GPU memory space failed";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "the GPU program failed to execute";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "the functionality requested is not supported";
    default: return "unknown error";
  }
}

}  // extern "C"
