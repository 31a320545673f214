// Kernels and host code with one mistake each: faults NAME ORDER runs one, ORDER being 0, 1 or 2; faults alone lists
// them. Exit code 0: nothing was noticed. 1: the values are wrong. 3: CUDA refused the launch, as it should. Else
// a check ended the process, see faults.py.
#include "cuda/device_array.hpp"
#include "cuda/kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#ifdef TT_CUDA_SIM
#include "cuda/sim/control.hpp"
#endif

using tt::gpu::launch;

namespace {

constexpr int fine = 0, wrong_values = 1, is_refused = 3;

/// 0, 1, 2 .. 63 on the device, in the default stream unless another is given.
DeviceArray<float> numbers(cudaStream_t stream = nullptr) {
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[std::size_t(i)] = float(i);
  return DeviceArray<float>(values, stream);
}

template <class F>
int expect(const std::vector<float>& got, F want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(got[i] == want(i))) return wrong_values;
  }
  return fine;
}

/// Whether CUDA refuses a launch with this code, as it should.
int refused(dim3 grid, dim3 block, std::size_t shared, cudaError_t code) {
  const auto x = numbers();
  try {
    launch(multiply_add<float>, grid, block, shared, nullptr, x.data(), x.data(), 0.f, x.data(), 64);
  } catch (const tt::gpu::CudaError& error) {
    return error.code() == code ? is_refused : wrong_values;
  }
  return fine;
}

}  // namespace

template <class T>
__global__ void global_index_past_the_end(T* p, int n) {
  if (int(threadIdx.x) <= n) p[threadIdx.x] = T(1);
}

template <class T>
__global__ void shared_index_past_the_end(T* p) {
  TT_SHARED(T, array, 32);
  T* a = array;  // its extent is forgotten, as it is in functions that take a pointer
  if (threadIdx.x == 0) a[0] = T(1);
  a[threadIdx.x + 1] = T(1);
  __syncthreads();
  p[threadIdx.x] = a[threadIdx.x];
}

template <class T>
__global__ void barrier_in_a_branch(T* p) {
  if (threadIdx.x < 40) __syncthreads();
  p[threadIdx.x] = T(1);
}

template <class T>
__global__ void mask_of_absent_lanes(T* p) {
  T value = p[threadIdx.x];
  if (threadIdx.x < 16) value = __shfl_down_sync(0xffffffffu, value, 8u);
  p[threadIdx.x] = value;
}

template <class T>
__global__ void add_without_atomic(T* p) {
  p[0] = p[0] + 1;
}

template <class T>
__global__ void blocks_write_one_word(T* p) {
  if (threadIdx.x == 0) p[0] = T(blockIdx.x);
}

template <class T>
__global__ void no_barrier_between_write_and_read(T* p) {
  TT_SHARED(T, a, 64);
  a[threadIdx.x] = p[threadIdx.x];
  p[threadIdx.x] = a[63 - threadIdx.x];
}

template <class T>
__global__ void no_warp_barrier(T* p) {
  TT_SHARED(T, a, 32);
  a[threadIdx.x] = p[threadIdx.x];
  const T neighbour = a[threadIdx.x ^ 1];
  a[threadIdx.x] = neighbour;
  __syncthreads();
  p[threadIdx.x] = a[threadIdx.x];
}

template <class T>
__global__ void shuffle_as_barrier(T* p) {
  TT_SHARED(T, a, 32);
  a[threadIdx.x] = p[threadIdx.x];
  (void)__shfl_sync(0xffffffffu, T(0), 0);
  p[threadIdx.x] = a[31 - threadIdx.x];
}

template <class T>
__global__ void unwritten_shared(T* p) {
  TT_SHARED(T, a, 64);
  if (threadIdx.x < 32) a[threadIdx.x] = T(1);
  __syncthreads();
  p[threadIdx.x] = a[threadIdx.x];
}

namespace {

/// All 64 numbers through a kernel of one block.
template <class F>
int run(void (*kernel)(float*), unsigned threads, F want) {
  const auto x = numbers();
  launch(kernel, 1, threads, 0, nullptr, x.data());
  return expect(x.host(), want);
}

int two_streams(bool with_event) {
  const tt::gpu::Stream writer, reader;
  const auto x = numbers(), y = numbers(), two = DeviceArray<float>(std::vector<float>(64, 2.f));
  tt::gpu::synchronize();
  launch(multiply_add<float>, 1, 32, 0, writer, x.data(), two.data(), 0.f, x.data(), 64);
  if (with_event) reader.wait_stream(writer);
  launch(multiply_add<float>, 1, 32, 0, reader, x.data(), two.data(), 1.f, y.data(), 64);
  return expect(y.host(reader), [](std::size_t i) { return 4.f * float(i) + 1; });
}

int last_block(void (*kernel)(const int*, volatile int*, unsigned*, int*, int)) {
  const DeviceArray<int> x(std::vector<int>(64, 1)), partial(std::vector<int>(2)), out(std::vector<int>(1));
  const DeviceArray<unsigned> finished(std::vector<unsigned>(1));
  launch(kernel, 2, 32, 0, nullptr, x.data(), partial.data(), finished.data(), out.data(), 64);
  return out.host()[0] == 64 ? fine : wrong_values;
}

float same(std::size_t i) { return float(i); }

struct Program {
  const char* name;
  int (*run)();
};
constexpr Program programs[] = {
    {"correct: two streams with an event", [] { return two_streams(true); }},
    {"correct: last block sums after a fence", [] { return last_block(sum_by_last_block<true, int>); }},
    {"global index one past the end",
     [] {
       const auto x = numbers();
       launch(global_index_past_the_end<float>, 1, 128, 0, nullptr, x.data(), 64);
       return expect(x.host(), [](std::size_t) { return 1.f; });
     }},
    {"shared array one past the end",
     [] { return run(shared_index_past_the_end<float>, 32, [](std::size_t i) { return i < 32 ? 1.f : same(i); }); }},
    {"host code reads a device pointer",
     [] {
       const auto x = numbers();
       tt::gpu::synchronize();
       return *static_cast<volatile float*>(x.data()) == 0 ? fine : wrong_values;
     }},
    {"misaligned 16-byte load",
     [] {
       const auto x = numbers(), out = numbers();
       launch(multiply_add<float>, 1, 32, 0, nullptr, x.data() + 1, x.data() + 1, 0.f, out.data(), 60);
       const auto got = out.host();
       return expect({got.begin(), got.begin() + 60}, [](std::size_t i) { return float((i + 1) * (i + 1)); });
     }},
    {"barrier not reached by all threads",
     [] { return run(barrier_in_a_branch<float>, 64, [](std::size_t) { return 1.f; }); }},
    {"shuffle mask names absent lanes",
     [] { return run(mask_of_absent_lanes<float>, 32, [](std::size_t i) { return i < 16 ? same(i + 8) : same(i); }); }},
    {"add without atomic",
     [] { return run(add_without_atomic<float>, 64, [](std::size_t i) { return i == 0 ? 64.f : same(i); }); }},
    {"blocks race on one word",
     [] {
       const auto x = numbers();
       launch(blocks_write_one_word<float>, 4, 32, 0, nullptr, x.data());
       return x.host()[0] == 3 ? fine : wrong_values;
     }},
    {"missing __syncthreads",
     [] { return run(no_barrier_between_write_and_read<float>, 64, [](std::size_t i) { return float(63 - i); }); }},
    {"missing __syncwarp",
     [] { return run(no_warp_barrier<float>, 32, [](std::size_t i) { return i < 32 ? float(i ^ 1) : same(i); }); }},
    {"shuffle in place of __syncwarp",
     [] { return run(shuffle_as_barrier<float>, 32, [](std::size_t i) { return i < 32 ? float(31 - i) : same(i); }); }},
    {"missing __threadfence", [] { return last_block(sum_by_last_block<false, int>); }},
    {"read of unwritten shared memory",
     [] { return run(unwritten_shared<float>, 64, [](std::size_t) { return 1.f; }); }},
    {"bad launch: 2048 threads", [] { return refused(1, 2048, 0, cudaErrorInvalidConfiguration); }},
    {"bad launch: empty grid", [] { return refused(0, 32, 0, cudaErrorInvalidConfiguration); }},
    {"bad launch: shared memory without opt-in", [] { return refused(1, 32, 60000, cudaErrorInvalidValue); }},
    {"second stream reads before the first wrote", [] { return two_streams(false); }},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const Program& program : programs) std::puts(program.name);
    return 0;
  }
#ifdef TT_CUDA_SIM
  const int order = std::atoi(argv[2]);
  tt::sim::set_order(tt::sim::Order(order), 7);
  tt::sim::set_stream_order(tt::sim::StreamOrder(order), 77);
#else
  if (!tt::gpu::is_available()) return std::puts("skipped: no CUDA device"), 77;
#endif
  for (const Program& program : programs) {
    if (std::string_view(program.name) == argv[1]) return program.run();
  }
  return std::fprintf(stderr, "no fault is named %s\n", argv[1]), 2;
}
