// <tt/cuda/blas_epilogue.hpp> against a triple loop, its bias and its activation.
#include <tt/cuda/blas_epilogue.hpp>
#include <tt/cuda/graph.hpp>

#include "cuda/blas_check.hpp"
#include "cuda/device_test.hpp"

#ifdef TT_CUDA_SIM
#include "cuda/sim/cublas_control.hpp"
#endif

using tt::index_t;
using tt::gpu::Epilogue;
using tt::gpu::gemm_epilogue;
using tt::gpu::Stream;

namespace {

/// A product with a bias, and what it is after the bias and the activation.
template <class T>
struct Layer {
  Product<T> p;
  DeviceArray<T> bias;
  std::vector<T> biases;

  Layer(index_t m, index_t n, index_t k, Flags flags, cudaStream_t stream)
      : p(m, n, k, flags, 1, stream), bias(drawn(n), stream), biases(drawn(n)) {}

  static std::vector<T> drawn(index_t n) {
    std::mt19937 random(9);
    std::vector<T> values;
    for (index_t i = 0; i < n; ++i) values.push_back(eighths<T>(random));
    return values;
  }
  /// False where the library has no kernel for it: never in the stand-in.
  bool run(bool with_bias, Epilogue epilogue, const tt::gpu::StreamRef& stream) const {
    const bool done = gemm_epilogue(p.m, p.n, p.k, p.x.operand(), p.y.operand(), with_bias ? bias.data() : nullptr,
                                    epilogue, p.z.data(), p.z.row, stream);
    CHECK((done || !simulated));
    return done;
  }
  /// The largest difference, in units of the last place of the largest of 1 and the result; elements between rows must
  /// be as they were.
  double error(bool with_bias, Epilogue epilogue, cudaStream_t stream) const {
    const std::vector<T> got = p.z.host(stream);
    std::vector<T> untouched = got;
    double worst = 0;
    for (index_t i = 0; i < p.m; ++i)
      for (index_t j = 0; j < p.n; ++j) {
        double x = with_bias ? double(biases[std::size_t(j)]) : 0;
        for (index_t l = 0; l < p.k; ++l) x += (p.x.at(0, i, l) * p.y.at(0, l, j)).real();
        if (epilogue == Epilogue::relu) x = (std::max)(x, 0.0);
        if (epilogue == Epilogue::gelu_tanh) {
          x = 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
        }
        const std::size_t at = std::size_t(i * p.z.row + j);
        const double unit = sizeof(T) == 4 ? 0x1p-23 : std::is_same_v<T, tt::half> ? 0x1p-10 : 0x1p-7;
        worst = (std::max)(worst, std::abs(double(got[at]) - x) / (unit * (std::max)(1.0, std::abs(x))));
        untouched[at] = p.z.values[at];
      }
    CHECK(untouched == p.z.values);
    return worst;
  }
};

const std::array<index_t, 3> sizes[] = {{5, 7, 9}, {1, 1, 1}, {1, 8, 3}, {17, 1, 2}, {8, 16, 40}};

}  // namespace

TEMPLATE_TEST_CASE("bias and activation follow a product before it is rounded", "[cuda]", float, tt::half,
                   tt::bfloat16) {
  in_every_order([] {
    const Stream stream;
    for (const auto& [m, n, k] : sizes) {
      for (const bool lt : {false, true}) {
        for (const bool rt : {false, true}) {
          const Layer<TestType> layer(m, n, k, {lt, rt, true, false}, stream);
          for (const bool with_bias : {false, true}) {
            for (const Epilogue epilogue : {Epilogue::none, Epilogue::relu, Epilogue::gelu_tanh}) {
              CAPTURE(m, n, k, lt, rt, with_bias, int(epilogue));
              if (!layer.run(with_bias, epilogue, stream)) continue;
              CHECK(layer.error(with_bias, epilogue, stream) <= (epilogue == Epilogue::gelu_tanh ? 2 : 0.5));
            }
          }
        }
      }
    }
  });
  CHECK(tt::gpu::allocator(0).memory_stats().allocated.current == 0);
}

TEST_CASE("nothing is queued where cublasLt has no kernel, or there is nothing to sum", "[cuda]") {
  const DeviceArray<double> x({1, 2, 3, 4}), z({7, 7, 7, 7});
  if (simulated) {
    CHECK(!gemm_epilogue<double>(2, 2, 2, {x.data(), 2}, {x.data(), 2}, x.data(), Epilogue::relu, z.data(), 2));
  }
  CHECK(!gemm_epilogue<double>(2, 2, 0, {x.data(), 2}, {x.data(), 2}, nullptr, Epilogue::none, z.data(), 2));
  CHECK(z.host() == std::vector<double>(4, 7));
  CHECK(gemm_epilogue<double>(0, 2, 2, {nullptr, 2}, {x.data(), 2}, nullptr, Epilogue::none, nullptr, 2));
  const DeviceArray<std::complex<float>> c({{1, 1}, {0, 1}});
  CHECK(!gemm_epilogue<std::complex<float>>(1, 1, 1, {c.data(), 1}, {c.data(), 1}, nullptr, Epilogue::none,
                                            c.data() + 1, 1));
  CHECK_THROWS_WITH(gemm_epilogue<double>(2, 2, 2, {x.data(), 1}, {x.data(), 2}, nullptr, Epilogue::none, z.data(), 2),
                    Contains("gemm_epilogue: rows of x [2, 2] overlap: they begin 1 elements apart"));
  CHECK_THROWS_AS(gemm_epilogue<std::int64_t>(0, 0, 0, {nullptr, 1}, {nullptr, 1}, nullptr, Epilogue::none, nullptr, 1),
                  tt::not_implemented);
}

TEST_CASE("operands need no alignment but that of their elements", "[cuda]") {
  const DeviceArray<float> x({0, 1, 2, 3, 4}), bias({0, 1, -30}), z({7, 7, 7, 7, 7, 7});
  const bool done = gemm_epilogue<float>(2, 2, 2, {x.data() + 1, 2}, {x.data() + 1, 2}, bias.data() + 1,
                                         Epilogue::relu, z.data() + 1, 2);
  CHECK((done || !simulated));
  if (done) CHECK(z.host() == std::vector<float>{7, 8, 0, 16, 0, 7});
}

TEST_CASE("a product with its epilogue becomes part of a graph, its workspace too", "[cuda]") {
  in_every_order([] {
    tt::gpu::release_blas_handles();
    const Stream stream;
    Layer<float> layer(8, 16, 40, {}, stream);
    tt::gpu::synchronize();
    tt::gpu::Graph graph;
    bool done = false;
    graph.capture(stream, [&] { done = layer.run(true, Epilogue::relu, stream); });
    if (!done) return;
    for (const unsigned seed : {5u, 6u}) {
      layer.p.draw(seed, stream);
      graph.replay(stream);
      CHECK(layer.error(true, Epilogue::relu, stream) <= 0.5);
    }
  });
#ifdef TT_CUDA_SIM
  CHECK(tt::sim::blocks_in_order() == 0);
#endif
}
