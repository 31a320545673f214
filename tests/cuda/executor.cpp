// What kernels may call means what CUDA's programming guide says, on the executor and on a device.
#include "cuda/device_test.hpp"
#include "cuda/kernels.hpp"

using tt::gpu::launch;

namespace {

std::vector<int> zeros(int n) { return std::vector<int>(std::size_t(n), 0); }

}  // namespace

template <class T>
__global__ void shuffles(T* out) {
  const T lane = T(threadIdx.x % 32);
  T* row = out + threadIdx.x;
  row[0] = __shfl_sync(0xffffffffu, lane, 5);
  row[64] = __shfl_sync(0xffffffffu, lane, 5, 8);
  row[128] = __shfl_up_sync(0xffffffffu, lane, 3u, 16);
  row[192] = __shfl_down_sync(0xffffffffu, lane, 3u, 16);
  row[256] = __shfl_xor_sync(0xffffffffu, lane, 1);
  row[320] = __shfl_xor_sync(0xffffffffu, lane, 16, 16);
}

TEMPLATE_TEST_CASE("shuffles: sources within groups, and the caller's own value beyond", "[cuda]", int, double) {
  in_every_order([] {
    const DeviceArray<TestType> out(std::vector<TestType>(6 * 64));
    launch(shuffles<TestType>, 1, 64, 0, nullptr, out.data());
    const auto got = out.host();
    for (int thread = 0; thread < 64; ++thread) {
      const int lane = thread % 32;
      const auto row = [&](int i) { return int(got[std::size_t(64 * i + thread)]); };
      CHECK(row(0) == 5);
      CHECK(row(1) == lane / 8 * 8 + 5);
      CHECK(row(2) == (lane % 16 >= 3 ? lane - 3 : lane));
      CHECK(row(3) == (lane % 16 < 13 ? lane + 3 : lane));
      CHECK(row(4) == (lane ^ 1));
      CHECK(row(5) == (lane < 16 ? lane : lane - 16));  // earlier groups may be read, later ones not
    }
  });
}

template <class T>
__global__ void votes(T* out) {
  const bool even = threadIdx.x % 2 == 0, first = threadIdx.x == 0;
  T* row = out + threadIdx.x;
  row[0] = T(__ballot_sync(0xffffffffu, even));
  row[64] = T(__any_sync(0xffffffffu, first));
  row[128] = T(__all_sync(0xffffffffu, even || threadIdx.x >= 32));
  if (threadIdx.x % 32 < 8) row[192] = T(__ballot_sync(0xffu, even));  // part of a warp
}

TEST_CASE("votes of warps, and of the lanes in a mask", "[cuda]") {
  in_every_order([] {
    const DeviceArray<unsigned> out(std::vector<unsigned>(256));
    launch(votes<unsigned>, 1, 64, 0, nullptr, out.data());
    const auto got = out.host();
    for (std::size_t thread = 0; thread < 64; ++thread) {
      CHECK(got[thread] == 0x55555555u);
      CHECK(got[64 + thread] == (thread < 32 ? 1u : 0u));
      CHECK(got[128 + thread] == (thread < 32 ? 0u : 1u));
      CHECK(got[192 + thread] == (thread % 32 < 8 ? 0x55u : 0u));
    }
  });
}

template <class T>
__global__ void barrier_votes(T* out) {
  const int i = int(threadIdx.x);
  out[i] = __syncthreads_count(i % 3 == 0);
  out[48 + i] = __syncthreads_and(i < 48);
  out[96 + i] = __syncthreads_and(i < 47);
  out[144 + i] = __syncthreads_or(i == 47);
  out[192 + i] = __syncthreads_or(i == 48);
}

TEST_CASE("barriers that count, and, or", "[cuda]") {
  in_every_order([] {
    const DeviceArray<int> out(zeros(240));
    launch(barrier_votes<int>, 1, dim3(48), 0, nullptr, out.data());  // the last warp is half a one
    const auto got = out.host();
    for (std::size_t i = 0; i < 48; ++i) {
      CHECK(got[i] == 16);
      CHECK(got[48 + i] != 0);
      CHECK(got[96 + i] == 0);
      CHECK(got[144 + i] != 0);
      CHECK(got[192 + i] == 0);
    }
  });
}

template <class T>
__global__ void atomics(T* out) {
  const int i = int(threadIdx.x + blockIdx.x * blockDim.x);
  atomicAdd(&out[0], T(i));
  atomicMax(&out[1], T(i));
  atomicMin(&out[2], T(-i));
  atomicExch(&out[3], T(7));
  int seen = atomicCAS(&out[4], 0, 1);  // add one by compare-and-swap
  for (int expected = seen; seen != 0;) {
    expected = seen;
    seen = atomicCAS(&out[4], expected, expected + 1);
    if (seen == expected) break;
  }
}

TEST_CASE("atomics lose nothing", "[cuda]") {
  in_every_order([] {
    const DeviceArray<int> out(zeros(5));
    launch(atomics<int>, 3, 32, 0, nullptr, out.data());
    CHECK(out.host() == std::vector<int>{95 * 96 / 2, 95, -95, 7, 96});
  });
}

template <class T>
__global__ void neighbours_through_shared(T* p) {
  TT_SHARED(T, a, 32);
  a[threadIdx.x] = p[threadIdx.x];
  __syncwarp();
  const T neighbour = a[threadIdx.x ^ 1];
  __syncwarp();
  a[threadIdx.x] = neighbour;
  __syncthreads();
  p[threadIdx.x] = a[31 - threadIdx.x];
}

TEST_CASE("warp barriers order shared memory", "[cuda]") {
  in_every_order([] {
    std::vector<float> values(32);
    for (int i = 0; i < 32; ++i) values[std::size_t(i)] = float(i);
    const DeviceArray<float> x(values);
    launch(neighbours_through_shared<float>, 1, 32, 0, nullptr, x.data());
    const auto got = x.host();
    for (int i = 0; i < 32; ++i) CHECK(got[std::size_t(i)] == float((31 - i) ^ 1));
  });
}

template <class T>
__global__ void positions(T* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = T(1000 * block + thread);
}

TEST_CASE("blocks and threads in three dimensions, each once", "[cuda]") {
  in_every_order([] {
    const DeviceArray<int> out(zeros(12 * 24));
    launch(positions<int>, dim3(2, 3, 2), dim3(4, 3, 2), 0, nullptr, out.data());
    const auto got = out.host();
    for (int i = 0; i < 12 * 24; ++i) CHECK(got[std::size_t(i)] == 1000 * (i / 24) + i % 24);
  });
}

#ifdef TT_CUDA_SIM
template <class T>
__global__ void read_fresh_shared(T* out) {
  TT_SHARED(T, a, 4);
  TT_DYN_SHARED(T, b);
  out[2 * blockIdx.x] = a[2];
  out[2 * blockIdx.x + 1] = b[3];
  a[2] = b[3] = T(1);
}

TEST_CASE("shared memory is NaN at the begin of each block", "[cuda]") {
  for (int launches = 0; launches < 2; ++launches) {
    const DeviceArray<double> out({0, 0, 0, 0});
    launch(read_fresh_shared<double>, 2, 1, 4 * sizeof(double), nullptr, out.data());
    for (const double value : out.host()) CHECK(std::isnan(value));
  }
}
#endif
