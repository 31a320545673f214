// What <tt/cuda/blas.hpp> takes for granted of cuBLAS, as https://docs.nvidia.com/cuda/cublas says it: of the stand-in,
// and of the library where there is a device.
#include <tt/cuda/blas_handle.hpp>

#include "cuda/device_test.hpp"

#include <limits>

namespace {

struct Call {
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  std::int64_t m = 2, n = 3, k = 4, lda = 2, ldb = 4, ldc = 2;
  cudaDataType type_a = CUDA_R_32F, type_c = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

/// Of matrices of ones, alpha 2 and beta 3.
struct Library {
  cublasHandle_t handle = tt::gpu::blas_handle(default_stream());
  DeviceArray<float> ones{std::vector<float>(32, 1.f)}, c{std::vector<float>(16, 1.f)};
  float alpha = 2, beta = 3;

  cublasStatus_t operator()(const Call& call, cublasHandle_t with, const float* by, const float* old) const {
    return cublasGemmEx_64(with, call.op_a, call.op_b, call.m, call.n, call.k, by, ones.data(), call.type_a, call.lda,
                           ones.data(), call.type_a, call.ldb, old, c.data(), call.type_c, call.ldc, call.compute,
                           CUBLAS_GEMM_DEFAULT);
  }
  cublasStatus_t operator()(const Call& call) const { return (*this)(call, handle, &alpha, &beta); }
};

Call with(void (*change)(Call&)) {
  Call call;
  change(call);
  return call;
}

}  // namespace

TEST_CASE("a product is scaled, added and written to its own elements", "[cuda]") {
  const Library library;
  REQUIRE(library({}) == CUBLAS_STATUS_SUCCESS);
  std::vector<float> expected(16, 1.f);
  std::fill_n(expected.begin(), 6, 11.f);
  CHECK(library.c.host() == expected);
  REQUIRE(library(with([](Call& c) { c.m = 0; })) == CUBLAS_STATUS_SUCCESS);
  CHECK(library.c.host() == expected);
}

TEST_CASE("what cuBLAS does not take has the documented status", "[cuda]") {
  const Library library;
  CHECK(library({}, nullptr, &library.alpha, &library.beta) == CUBLAS_STATUS_NOT_INITIALIZED);
  for (const auto change : {+[](Call& c) { c.m = -1; }, +[](Call& c) { c.n = -1; }, +[](Call& c) { c.k = -1; },
                            +[](Call& c) { c.lda = 1; }, +[](Call& c) { c.ldb = 3; }, +[](Call& c) { c.ldc = 1; },
                            +[](Call& c) { c.op_a = CUBLAS_OP_T; }}) {
    CHECK(library(with(change)) == CUBLAS_STATUS_INVALID_VALUE);
  }
  for (const auto change :
       {+[](Call& c) { c.compute = CUBLAS_COMPUTE_64F; }, +[](Call& c) { c.type_a = CUDA_R_64F; },
        +[](Call& c) { c.type_a = c.type_c = CUDA_R_64F; }}) {
    CHECK(library(with(change)) == CUBLAS_STATUS_NOT_SUPPORTED);
  }
  CHECK(library.c.host() == std::vector<float>(16, 1.f));
  CHECK(std::string(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED)) == "CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST_CASE("scalars are read now from the host, when the stream gets there from the device", "[cuda]") {
  in_every_order([] {
    Library library;
    DeviceArray<float> scalars({5.f, 0.f});
    REQUIRE(library({}) == CUBLAS_STATUS_SUCCESS);
    library.alpha = library.beta = 100;
    CHECK(library.c.host()[5] == 11);
    REQUIRE(cublasSetPointerMode(library.handle, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
    CHECK(library({}, library.handle, scalars.data(), scalars.data() + 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetPointerMode(library.handle, CUBLAS_POINTER_MODE_HOST) == CUBLAS_STATUS_SUCCESS);
    CHECK(library.c.host()[5] == 20);
  });
}

TEST_CASE("geam writes a conjugate transpose, and does not read B where beta is 0", "[cuda]") {
  const cublasHandle_t handle = tt::gpu::blas_handle(default_stream());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const DeviceArray<float> a({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});  // columns (1 + 2i, 3 + 4i), (5 + 6i, ..
  const DeviceArray<float> c(std::vector<float>(12, nan));
  const cuComplex one{1, 0}, zero{0, 0};
  const auto complex = [](const DeviceArray<float>& x) { return reinterpret_cast<cuComplex*>(x.data()); };
  const auto geam = [&](std::int64_t lda, const DeviceArray<float>& to) {
    return cublasCgeam_64(handle, CUBLAS_OP_C, CUBLAS_OP_N, 3, 2, &one, complex(a), lda, &zero, complex(to), 3,
                          complex(to), 3);
  };
  REQUIRE(geam(2, c) == CUBLAS_STATUS_SUCCESS);
  CHECK(c.host() == std::vector<float>{1, -2, 5, -6, 9, -10, 3, -4, 7, -8, 11, -12});
  CHECK(geam(1, c) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(geam(2, a) == CUBLAS_STATUS_INVALID_VALUE);  // A transposed in place
}

TEST_CASE("memory in the order of a stream is there from its allocation to its free", "[cuda]") {
  in_every_order([] {
    const tt::gpu::Stream stream;
    const DeviceArray<int> from({1, 2, 3}, stream), to({0, 0, 0, 0, 0, 0, 0}, stream);
    void* memory = nullptr;
    tt::gpu::check(cudaMallocAsync(&memory, 12, stream), "test");
    tt::gpu::check(cudaMemcpyAsync(memory, from.data(), 12, cudaMemcpyDeviceToDevice, stream), "test");
    tt::gpu::check(cudaMemcpyAsync(to.data(), memory, 12, cudaMemcpyDeviceToDevice, stream), "test");
    tt::gpu::check(cudaFreeAsync(memory, stream), "test");
    tt::gpu::check(cudaMemset2DAsync(to.data() + 1, 8, 0xff, 4, 3, stream), "test");
    CHECK(to.host(stream) == std::vector<int>{1, -1, 3, -1, 0, -1, 0});
    CHECK(cudaMemset2DAsync(to.data(), 2, 0, 4, 3, stream) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
  });
}
