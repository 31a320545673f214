// What tt does with a device, in lines of JSON: device_bench [BYTES] [STEP ..], of device, elementwise, rows, reduce,
// matmul, train, soak. BYTES are the largest of an operand. Without a device it prints "no device".
// tools/device_check.sh runs the steps, each with its time.
#include <tt/cuda.hpp>

#include <tt/cuda/blas.hpp>
#include <tt/cuda/softmax.hpp>
#include <tt/nn.hpp>
#include <tt/optim/cuda.hpp>

#include "timing.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace {

using tt::dyn, tt::index_t, tt::Shape;
template <class T>
using Vector = tt::Tensor<T, Shape<dyn>, tt::cuda>;
template <class T>
using Matrix = tt::Tensor<T, Shape<dyn, dyn>, tt::cuda>;

/// Bytes of one operand: 1 GiB, or a sixteenth of the device's memory where that is less, as a power of 2.
std::size_t most_bytes = std::size_t(1) << 30;
std::size_t operand_bytes() {
  static const std::size_t bytes = [] {
    std::size_t free = 0, total = 0, n = most_bytes;
    tt::gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    while (n > free / 16) n /= 2;
    return n;
  }();
  return bytes;
}
bool fits(index_t elements) { return std::size_t(elements) * 4 <= operand_bytes(); }

/// Random numbers in [-1, 1): one block of the host's, again and again.
template <class T>
Vector<T> numbers(index_t n) {
  const index_t block = (std::min)(n, index_t(1) << 20);
  const tt::Tensor<float, Shape<dyn>> host = tt::rand<float, Shape<dyn>>({block});
  const Vector<T> part = tt::to<tt::cuda>(tt::to<T>(tt::eval(host * 2.f - 1.f)));
  Vector<T> all(tt::dims{n});
  for (index_t at = 0; at < n; at += block)
    tt::gpu::check(cudaMemcpyAsync(all.data() + at, part.data(), std::size_t((std::min)(block, n - at)) * sizeof(T),
                                   cudaMemcpyDeviceToDevice, tt::gpu::current_stream()), "cudaMemcpyAsync");
  return all;
}
template <class T>
Matrix<T> numbers(index_t rows, index_t columns) {
  return tt::reshape(numbers<T>(rows * columns), {rows, columns});
}

/// 10^9 bytes read and written a second by cudaMemcpyAsync: the ceiling of all that is limited by memory.
double copy_rate() {
  static const double rate = [] {
    const std::size_t bytes = operand_bytes();
    const Vector<float> from(tt::dims{index_t(bytes / 4)}), to(tt::dims{index_t(bytes / 4)});
    return 2 * double(bytes) / 1e6 / milliseconds([&] {
      tt::gpu::check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice,
                                     tt::gpu::current_stream()), "cudaMemcpyAsync");
    });
  }();
  return rate;
}
void report_rate(const std::string& name, double bytes, double ms, double goal) {
  report(name, bytes / 1e6 / ms, "GB/s", "copy", bytes / 1e6 / ms / copy_rate(), goal);
}

void device() {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0;
  tt::gpu::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  tt::gpu::check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  tt::gpu::check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  std::printf("{\"name\": \"device\", \"device\": \"%s\", \"capability\": \"%d.%d\", \"memory\": %zu, \"driver\": %d, "
              "\"runtime\": %d, \"cublas\": %zu}\n",
              properties.name, properties.major, properties.minor, properties.totalGlobalMem, driver, runtime,
              cublasGetCudartVersion());
  report("copy", copy_rate(), "GB/s");
  index_t n = 8192;
  while (!fits(n * n)) n /= 2;
  const Matrix<tt::bfloat16> x = numbers<tt::bfloat16>(n, n), y = numbers<tt::bfloat16>(n, n);
  const double ms = milliseconds([&] { tt::eval(tt::matmul(x, y)); });
  report("bf16 product of " + std::to_string(n) + "^3", 2e-9 * std::pow(double(n), 3) / ms, "TFLOP/s");
}

template <class T>
void elementwise(const std::string& type) {
  const std::size_t bytes = operand_bytes();
  const index_t n = index_t(bytes / sizeof(T));
  const double one = double(bytes);
  const Vector<T> a = numbers<T>(n), b = numbers<T>(n), c = numbers<T>(n);
  report_rate("exp(a), " + type, 2 * one, milliseconds([&] { tt::eval(tt::exp(a)); }), 0.9);
  report_rate("a * b, " + type, 3 * one, milliseconds([&] { tt::eval(a * b); }), 0.9);
  report_rate("tanh(a * b + c), " + type, 4 * one, milliseconds([&] { tt::eval(tt::tanh(a * b + c)); }), 0.9);
}
void elementwise() {
  elementwise<float>("float32");
  elementwise<tt::bfloat16>("bfloat16");
  const index_t n = index_t(std::sqrt(double(operand_bytes() / 4)));
  const Matrix<float> x = numbers<float>(n, n), turned = tt::transpose(numbers<float>(n, n));
  const double one = 4 * double(n) * double(n);
  report_rate("contiguous(transpose(x)), float32", 2 * one, milliseconds([&] { tt::contiguous(turned); }), 0.8);
  report_rate("x + x[0], float32", 2 * one, milliseconds([&] { tt::eval(x + tt::select<0>(x, 0)); }), 0.8);
}

template <class T>
void rows(const std::string& type) {
  for (const index_t columns : {index_t(512), index_t(4096)}) {
    const index_t count = index_t(operand_bytes() / sizeof(T)) / columns;
    const Matrix<T> x = numbers<T>(count, columns), y(tt::dims{count, columns});
    const double bytes = 2 * double(count) * double(columns) * sizeof(T);
    report_rate("softmax of rows of " + std::to_string(columns) + ", " + type, bytes, milliseconds([&] {
      tt::gpu::softmax_rows<tt::gpu::softmax_kind::softmax>(x.data(), const_cast<T*>(y.data()), count, columns,
                                                            tt::gpu::current_stream());
    }), 0.9);
  }
}
void rows() {
  rows<float>("float32");
  rows<tt::bfloat16>("bfloat16");
}

template <class T>
void reduce(const std::string& type) {
  const index_t n = index_t(std::sqrt(double(operand_bytes() / sizeof(T))));
  const double bytes = double(n) * double(n) * sizeof(T);
  const Matrix<T> x = numbers<T>(n, n);
  report_rate("sum(x), " + type, bytes, milliseconds([&] { tt::eval(tt::sum(x)); }), 0.9);
  report_rate("sum<1>(x), " + type, bytes, milliseconds([&] { tt::eval(tt::sum<1>(x)); }), 0.9);
  report_rate("sum<0>(x), " + type, bytes, milliseconds([&] { tt::eval(tt::sum<0>(x)); }), 0.9);
  report_rate("mean(square(x)), " + type, bytes, milliseconds([&] { tt::eval(tt::mean(tt::square(x))); }), 0.9);
}
void reduce() {
  reduce<float>("float32");
  reduce<tt::bfloat16>("bfloat16");
}

/// The same product by one direct call. cuBLAS sees the transposes, since its matrices are column-major.
template <class T>
void direct(const Matrix<T>& x, const Matrix<T>& y, T* z, bool tf32) {
  const float one = 1, zero = 0;
  constexpr cudaDataType type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16BF;
  const int m = int(x.size(0)), k = int(x.size(1)), n = int(y.size(1));
  tt::gpu::check(cublasGemmEx(tt::gpu::blas_handle(tt::gpu::current_stream()), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                              y.data(), type, n, x.data(), type, k, &zero, z, type, n,
                              tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
}
template <class T>
void matmul(const std::string& type, bool tf32) {
  constexpr index_t shapes[][3] = {
      {4096, 4096, 4096}, {8192, 512, 2048}, {512, 8192, 2048}, {1000, 1000, 1000}, {64, 784, 256}, {8, 16, 24}};
  tt::gpu::set_allow_tf32(tf32);
  for (const auto& [m, k, n] : shapes) {
    if (!fits(m * k) || !fits(k * n) || !fits(m * n)) continue;
    const Matrix<T> x = numbers<T>(m, k), y = numbers<T>(k, n);
    Matrix<T> z(tt::dims{m, n});
    const double ours = milliseconds([&] { tt::eval(tt::matmul(x, y)); });
    const double theirs = milliseconds([&] { direct(x, y, z.data(), tf32); });
    report("product of " + std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n) + ", " + type,
           2e-9 * double(m) * double(k) * double(n) / ours, "TFLOP/s", "cublasGemmEx", theirs / ours, 0.98);
  }
  tt::gpu::set_allow_tf32(false);
}
void matmul() {
  matmul<float>("float32", false);
  matmul<float>("tf32", true);
  matmul<tt::bfloat16>("bfloat16", false);
}

constexpr index_t images = tt::dim("images");

struct Net : tt::nn::Module<Net> {
  tt::nn::Linear<784, 256> fc1;
  tt::nn::Linear<256, 128> fc2;
  tt::nn::Linear<128, 10> fc3;
  TT_MODULE(fc1, fc2, fc3)
  auto forward(const auto& x) { return fc3(relu(fc2(relu(fc1(x))))); }
};

/// A training step of the network, eagerly and from a graph.
void train() {
  for (const index_t count : {index_t(4), index_t(64), index_t(4096)}) {
    if (!fits(count * 784)) continue;
    const std::string name = "784-256-128-10, batch " + std::to_string(count) + ", SGD: ";
    const tt::gpu::Stream stream;
    const tt::gpu::StreamGuard guard(stream);
    Net net;
    net.to<tt::cuda>();
    tt::optim::SGD sgd(net, {.lr = 1e-3, .momentum = 0.9});
    using Images = tt::Tensor<float, Shape<images, 784>, tt::cuda>;
    using Labels = tt::Tensor<std::int64_t, Shape<images>, tt::cuda>;
    const Images x = tt::to<tt::cuda>(tt::rand<float, Shape<images, 784>>({count, 784}));
    const Labels y = tt::to<tt::cuda>(tt::zeros<std::int64_t, Shape<images>>({count}));
    const auto step = [&] {
      const tt::Tensor loss = tt::cross_entropy(net(x), y);
      sgd.zero_grad();
      tt::backward(loss);
      sgd.step();
    };
    const double eager = milliseconds(step);
    report(name + "eager", eager, "ms");
    tt::gpu::CachingAllocator& allocator = tt::gpu::allocator();
    report(name + "peak memory", double(allocator.memory_stats().allocated.peak) / 1e6, "MB");
    const int pool = allocator.begin_private_pool();
    tt::gpu::Graph graph;
    graph.capture(stream, step);
    allocator.end_private_pool();
    const double replayed = milliseconds([&] { graph.replay(stream); });
    report(name + "graph", replayed, "ms", "eager", eager / replayed, 1);
    sgd.zero_grad();  // gradients lie in the graph's memory
    tt::gpu::StreamRef(stream).synchronize();
    graph.reset();
    allocator.release_private_pool(pool);
  }
}

/// Allocations, uses on other streams and frees at random: what is reserved must not grow, and all must come back.
void soak() {
  constexpr int operations = 200000;
  tt::gpu::CachingAllocator allocator(tt::gpu::current_device());
  const tt::gpu::Stream streams[3];
  std::mt19937 random(1);
  std::vector<void*> held;
  std::int64_t half_way = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < operations; ++i) {
    const tt::gpu::Stream& stream = streams[random() % 3];
    if (held.size() < 64 || (held.size() < 256 && random() % 2)) {
      const std::size_t bytes = (std::min)(std::size_t(1) << (9 + random() % 15), operand_bytes());
      void* const p = allocator.allocate(bytes, stream);
      tt::gpu::check(cudaMemsetAsync(p, 1, bytes, stream), "cudaMemsetAsync");
      if (random() % 4 == 0) allocator.record_stream(p, streams[random() % 3]);
      held.push_back(p);
    } else {
      std::swap(held[random() % held.size()], held.back());
      allocator.free(held.back());
      held.pop_back();
    }
    if (i == operations / 2) half_way = allocator.memory_stats().reserved.peak;
  }
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  const std::int64_t most = allocator.memory_stats().reserved.peak;
  for (void* p : held) allocator.free(p);
  tt::gpu::synchronize();
  allocator.empty_cache();
  const std::int64_t left = allocator.memory_stats().reserved.current;
  report("soak: an allocation or a free, with a memset", taken.count() / operations, "us");
  report("soak: reserved at most", double(most) / 1e6, "MB", "half way", double(half_way) / double(most), 0.9);
  report("soak: left at the end", double(left), "bytes", "none", left == 0 ? 1 : 0, 1);
}

}  // namespace

int main(int count, char** arguments) {
  if (!tt::gpu::is_available()) return std::puts("no device"), 0;
  const struct {
    const char* name;
    void (*run)();
  } steps[] = {{"device", device}, {"elementwise", elementwise}, {"rows", rows}, {"reduce", reduce},
               {"matmul", matmul}, {"train", train}, {"soak", soak}};
  int first = 1, failed = 0;
  if (count > 1 && std::atoll(arguments[1]) > 0) most_bytes = std::size_t(std::atoll(arguments[first++]));
  for (const auto& step : steps) {
    bool wanted = first == count;
    for (int i = first; i < count; ++i) wanted |= std::strcmp(arguments[i], step.name) == 0;
    if (!wanted) continue;
    try {
      step.run();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "device_bench: %s: %s\n", step.name, error.what());
      failed = 1;
    }
  }
  return failed;
}
