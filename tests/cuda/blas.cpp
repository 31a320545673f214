// <tt/cuda/blas.hpp> against a triple loop. Operands are small multiples of 1/8, so that every sum is exact in the type
// it is kept in, and results must be equal after one rounding.
#include <tt/cuda/blas.hpp>
#include <tt/cuda/graph.hpp>

#include "cuda/blas_check.hpp"
#include "cuda/device_test.hpp"

#include <deque>
#include <limits>
#include <thread>

#ifdef TT_CUDA_SIM
#include "cuda/sim/cublas_control.hpp"

#include <tt/dispatch/contract.hpp>
static_assert(std::is_same_v<tt::GemmFunction, decltype(&tt::gpu::gemm_into<float, false, false>)>);
#endif

using tt::index_t;
using tt::gpu::gemm;
using tt::gpu::gemm_batched;
using tt::gpu::GemmOperand;
using tt::gpu::Graph;
using tt::gpu::Stream;
using tt::gpu::StreamGuard;
using tt::gpu::StreamRef;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

namespace {

/// f(left transposed, right transposed, left conjugate, right conjugate)
template <class F>
void for_all_flags(F f) {
  for (int flags = 0; flags < 16; ++flags) f(bool(flags & 1), bool(flags & 2), bool(flags & 4), bool(flags & 8));
}

const std::array<index_t, 3> sizes[] = {{5, 7, 9}, {1, 1, 1}, {1, 8, 3}, {17, 1, 2}, {3, 4, 1},
                                        {0, 3, 2}, {3, 0, 2}, {2, 3, 0}, {33, 31, 35}};

}  // namespace

TEMPLATE_TEST_CASE("products with all flags equal a triple loop's", "[cuda]", float, double, tt::half, tt::bfloat16,
                   complex64, complex128) {
  in_every_order([] {
    const Stream stream;
    for (const auto& [m, n, k] : sizes) {
      if (small_sizes_only && m > 9) continue;
      for_all_flags([&, m = m, n = n, k = k](bool lt, bool rt, bool lc, bool rc) {
        CAPTURE(m, n, k, lt, rt, lc, rc);
        const Product<TestType> p(m, n, k, {lt, rt, lc, rc}, 1, stream);
        gemm(m, n, k, p.scale(0.5), p.x.operand(), p.y.operand(), p.scale(2), p.z.data(), p.z.row, stream);
        CHECK(p.z.host(stream) == p.expected(0.5, 2));
      });
    }
  });
  CHECK(tt::gpu::allocator(0).memory_stats().allocated.current == 0);
}

TEMPLATE_TEST_CASE("a batch is as many products, operands of stride 0 are shared", "[cuda]", float, double, tt::half,
                   tt::bfloat16, complex64, complex128) {
  in_every_order([] {
    const Stream stream;
    const auto check = [&](index_t count, index_t k, Flags flags, int shared) {
      CAPTURE(count, k, shared);
      const Product<TestType> p(3, 5, k, flags, count, stream, shared);
      gemm_batched(count, 3, 5, k, p.scale(1), p.x.operand(), p.y.operand(), p.scale(-1), p.z.data(), p.z.row,
                   p.z.stride, stream);
      CHECK(p.z.host(stream) == p.expected(1, -1));
    };
    for_all_flags([&](bool lt, bool rt, bool lc, bool rc) {
      CAPTURE(lt, rt, lc, rc);
      for (const int shared : {0, 1, 2}) check(3, 4, {lt, rt, lc, rc}, shared);
    });
    check(0, 4, {}, 0);
    check(1, 4, {true, false, true, false}, 0);
    check(3, 0, {}, 0);
  });
}

TEMPLATE_TEST_CASE("where beta is 0 a result is written whatever was there, where it is 1 added to", "[cuda]", float,
                   double, tt::half, tt::bfloat16, complex64, complex128) {
  const Stream stream;
  for (const index_t k : {6, 0}) {
    CAPTURE(k);
    Product<TestType> p(4, 3, k, {}, 2, stream);
    gemm_batched(2, 4, 3, k, p.scale(1), p.x.operand(), p.y.operand(), p.scale(1), p.z.data(), p.z.row, p.z.stride,
                 stream);
    CHECK(p.z.host(stream) == p.expected(1, 1));
    p.z.fill(TestType(std::numeric_limits<float>::quiet_NaN()), stream);
    gemm_batched(2, 4, 3, k, p.scale(1), p.x.operand(), p.y.operand(), p.scale(0), p.z.data(), p.z.row, p.z.stride,
                 stream);
    CHECK(p.z.host(stream) == p.expected(1, 0));
  }
}

TEMPLATE_TEST_CASE("infinities and NaN go where the sums say", "[cuda]", float, double, tt::half, tt::bfloat16) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<TestType> x;
  for (const float number : {inf, 1.f, 2.f, nan, 1.f, 1.f}) x.push_back(TestType(number));
  const DeviceArray<TestType> left(x), right({TestType(1.f), TestType(-1.f)}), to({x[4], x[4], x[4]});
  gemm<TestType>(3, 1, 2, 1, {left.data(), 2}, {right.data(), 1}, 0, to.data(), 1);
  const std::vector<TestType> got = to.host();
  CHECK(float(got[0]) == inf);
  CHECK(float(got[1]) != float(got[1]));
  CHECK(float(got[2]) == 0);
}

TEST_CASE("the row stride of a matrix of one row has no meaning", "[cuda]") {
  const DeviceArray<float> x({1.f, 2.f, 3.f}), y({4.f, 5.f, 6.f}), z({0.f, 0.f, 0.f});
  gemm<float>(1, 1, 3, 1, {x.data(), 0}, {y.data(), 1}, 0, z.data(), 0);
  CHECK(z.host() == std::vector<float>{32, 0, 0});
  gemm<float>(1, 3, 1, 1, {x.data(), 0, true}, {y.data(), 1}, 0, z.data(), 1);
  CHECK(z.host() == std::vector<float>{4, 5, 6});
  gemm<float>(1, 3, 0, 1, {nullptr, 0}, {nullptr, 0}, 2, z.data(), 1);
  CHECK(z.host() == std::vector<float>{8, 10, 12});
}

TEMPLATE_TEST_CASE("gemm_into adds a product on the current stream, and a contraction's gradients", "[cuda]", float,
                   complex64) {
  const decltype(&tt::gpu::gemm_into<TestType, false, false>) functions[] = {
      tt::gpu::gemm_into<TestType, false, false>, tt::gpu::gemm_into<TestType, false, true, false, true>,
      tt::gpu::gemm_into<TestType, true, false, true, false>, tt::gpu::gemm_into<TestType, false, false, false, true>};
  const Flags flags[] = {{}, {false, true, false, true}, {true, false, true, false}, {false, false, false, true}};
  in_every_order([&] {
    const Stream stream;
    const StreamGuard guard(stream);
    for (int i = 0; i < 4; ++i) {
      CAPTURE(i);
      const Product<TestType> p(5, 6, 7, flags[i], 1, stream);
      functions[i](reinterpret_cast<std::byte*>(p.z.data()), p.z.row, 5, 6, 7,
                   reinterpret_cast<const std::byte*>(p.x.data()), p.x.row,
                   reinterpret_cast<const std::byte*>(p.y.data()), p.y.row);
      CHECK(p.z.host(stream) == p.expected(1, 1));
    }
  });
}

TEST_CASE("each stream has its own products, ordered by events alone", "[cuda]") {
  in_every_order([] {
    const Stream first, second;
    const Product<float> p(8, 8, 8, {}, 1, first);
    const DeviceArray<float> square(std::vector<float>(64, 0.f), second);
    gemm<float>(8, 8, 8, 1, p.x.operand(), p.y.operand(), 0, p.z.data(), p.z.row, first);
    second.wait_stream(first);
    gemm<float>(8, 8, 8, 1, {p.z.data(), p.z.row}, {p.z.data(), p.z.row}, 0, square.data(), 8, second);
    const std::vector<float> z = p.expected(1, 0), got = square.host(second);
    bool equal = true;
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        float sum = 0;
        for (std::size_t l = 0; l < 8; ++l) sum += z[i * std::size_t(p.z.row) + l] * z[l * std::size_t(p.z.row) + j];
        equal = equal && std::abs(got[i * 8 + j] - sum) <= 1e-5f * std::abs(sum);
      }
    CHECK(equal);
  });
}

TEMPLATE_TEST_CASE("products in a graph are computed at each replay, on the numbers that are there then", "[cuda]",
                   float, tt::half, complex128) {
  in_every_order([] {
    tt::gpu::release_blas_handles();  // one is made while the stream is captured
    const Stream stream, other;
    for (const Flags flags : {Flags{}, Flags{false, false, true, true}, Flags{true, true, false, false}}) {
      Product<TestType> p(4, 3, 5, flags, 2, stream);
      tt::gpu::synchronize();
      Graph graph;
      graph.capture(stream, [&] {
        gemm_batched(2, 4, 3, 5, p.scale(1), p.x.operand(), p.y.operand(), p.scale(2), p.z.data(), p.z.row, p.z.stride);
        gemm<TestType>(4, 3, 0, p.scale(1), p.x.operand(), p.y.operand(), p.scale(2), p.z.data(), p.z.row);
      });
      for (const unsigned seed : {3u, 4u}) {
        p.draw(seed, other);
        graph.replay(other);
        CHECK(p.z.host(other) == p.expected(1, 2, 2));
      }
    }
  });
#ifdef TT_CUDA_SIM
  CHECK(tt::sim::blocks_in_order() == 0);
#endif
}

TEST_CASE("devices have handles of their own", "[cuda]") {
  if (tt::gpu::device_count() < 2) return;
  const Stream far(1, 0);
  const Product<double> here(3, 3, 3, {}, 1, default_stream());
  std::optional<Product<double>> there;
  {
    const tt::gpu::DeviceGuard guard(1);
    there.emplace(3, 3, 3, Flags{true, false, false, false}, 1, far);
  }
  gemm(3, 3, 3, 1.0, there->x.operand(), there->y.operand(), 0.0, there->z.data(), there->z.row, far);
  gemm(3, 3, 3, 1.0, here.x.operand(), here.y.operand(), 0.0, here.z.data(), here.z.row);
  CHECK(tt::gpu::current_device() == 0);
  CHECK(here.z.host(nullptr) == here.expected(1, 0));
  const tt::gpu::DeviceGuard guard(1);
  CHECK(there->z.host(far) == there->expected(1, 0));
}

TEST_CASE("threads and streams share handles, and the number of these is bounded", "[cuda]") {
  std::vector<float> results;
  const auto work = [&](const StreamRef& stream) {
    const DeviceArray<float> x({2.f}, stream), y({3.f}, stream), z({0.f}, stream);
    gemm<float>(1, 1, 1, 1, {x.data(), 1}, {y.data(), 1}, 0, z.data(), 1, stream);
    results.push_back(z.host(stream)[0]);
  };
  tt::gpu::release_blas_handles();
  for (int i = 0; i < 5; ++i) std::thread([&] { work(default_stream()); }).join();
#ifdef TT_CUDA_SIM
  CHECK(tt::sim::cublas_handles() == 1);
#endif
  {
    std::deque<Stream> streams;
    for (int i = 0; i < 40; ++i) work(streams.emplace_back());
    for (const Stream& stream : streams) work(stream);
  }
#ifdef TT_CUDA_SIM
  CHECK(tt::sim::cublas_handles() == 16);
#endif
  CHECK(results == std::vector<float>(85, 6.f));
  tt::gpu::release_blas_handles();
#ifdef TT_CUDA_SIM
  CHECK(tt::sim::cublas_handles() == 0);
  tt::sim::fail_malloc(0, 1);
  CHECK_THROWS_WITH(tt::gpu::blas_handle(default_stream()),
                    Contains("blas_handle: a handle takes up to 32 MiB of the device's memory besides what allocators "
                             "hold: CUBLAS_STATUS_ALLOC_FAILED (the resource allocation failed)"));
#endif
  work(default_stream());
}

TEST_CASE("TF32 is used where it was allowed, for single precision", "[cuda]") {
  CHECK(!tt::gpu::is_tf32_allowed());
  const float x = 1 + 0x1p-12f;  // as TF32: 1
  const DeviceArray<float> one({1.f}), near_one({x}), z({0.f});
  const auto product = [&] {
    gemm<float>(1, 1, 1, 1, {one.data(), 1}, {near_one.data(), 1}, 0, z.data(), 1);
    return z.host()[0];
  };
  CHECK(product() == x);
  tt::gpu::set_allow_tf32(true);
  CHECK(tt::gpu::is_tf32_allowed());
#ifdef TT_CUDA_SIM
  CHECK(product() == 1);
#else
  CHECK(std::abs(product() - 1) < 0x1p-10f);
#endif
  const DeviceArray<double> two({2 + 0x1p-40}), w({0.0});
  gemm<double>(1, 1, 1, 1, {two.data(), 1}, {two.data(), 1}, 0, w.data(), 1);
  CHECK(w.host()[0] == (2 + 0x1p-40) * (2 + 0x1p-40));
  tt::gpu::set_allow_tf32(false);
  CHECK(product() == x);
}

TEST_CASE("in debug mode products are waited for, but not in a capture", "[cuda]") {
  const Stream stream;
  const Product<double> p(3, 3, 3, {}, 1, stream);
  const auto run = [&] {
    gemm(3, 3, 3, 1.0, p.x.operand(), p.y.operand(), 0.0, p.z.data(), p.z.row, stream);
    return true;
  };
  tt::gpu::set_launch_blocking(true);
  CHECK((run() && stream.query()));
  Graph graph;
  CHECK_NOTHROW(graph.capture(stream, run));
  tt::gpu::set_launch_blocking(false);
#ifdef TT_CUDA_SIM
  CHECK((run() && !stream.query()));
#endif
}

TEST_CASE("products that cannot be are refused with their reason", "[cuda]") {
  const DeviceArray<float> memory(std::vector<float>(64, 1.f));
  float* const p = memory.data();
  CHECK_THROWS_WITH(gemm<float>(3, -1, 2, 1, {p, 2}, {p, 2}, 0, p, 2),
                    Contains("gemm: an extent is negative: m 3, n -1, k 2, 1 products"));
  CHECK_THROWS_WITH(gemm<float>(3, 4, 2, 1, {p, 1}, {p, 4}, 0, p + 32, 4),
                    Contains("gemm: rows of x [3, 2] overlap: they begin 1 elements apart"));
  CHECK_THROWS_WITH(gemm<float>(3, 4, 2, 1, {p, 2}, {p, 1, true}, 0, p + 32, 4),
                    Contains("gemm: rows of y [4, 2] overlap"));
  CHECK_THROWS_WITH(gemm<float>(3, 4, 2, 1, {p, 2}, {p, 4}, 0, p + 32, 3), Contains("gemm: rows of z [3, 4] overlap"));
  CHECK_THROWS_WITH(gemm<float>(3, 4, 2, 1, {nullptr, 2}, {p, 4}, 0, p + 32, 4),
                    Contains("gemm: x [3, 2] has no memory"));
  CHECK_THROWS_WITH(gemm_batched<float>(2, 1, 2, 2, 1, {p, 2}, {p, 2}, 0, p + 32, 2, 0),
                    Contains("gemm_batched: 2 results lie 0 elements apart, at least 1 is needed"));
  CHECK_THROWS_WITH(
      gemm_batched<float>(2, 1, 2, 2, 1, {p, 2, false, false, -4}, {p, 2}, 0, p + 32, 2, 2),
      Contains("gemm_batched: matrices of a batch lie -4 and 0 elements apart, at least 0 is needed"));
  const auto integers = tt::gpu::gemm_into<std::int64_t, false, false>;
  CHECK_THROWS_AS(integers(nullptr, 1, 1, 1, 1, nullptr, 1, nullptr, 1), tt::not_implemented);
  CHECK_THROWS_WITH(integers(nullptr, 1, 1, 1, 1, nullptr, 1, nullptr, 1),
                    Contains("gemm: cuBLAS has no products of int64; convert to a floating type"));
#ifdef TT_CUDA_SIM
  const std::vector<float> host(64, 1.f);  // a device would fault
  CHECK_THROWS_WITH(
      gemm<float>(3, 4, 2, 1, {host.data(), 3, true}, {p, 4}, 0, p + 32, 4),
      Contains("gemm: 1 product of float32 [2, 3] transposed by [2, 4]: CUBLAS_STATUS_EXECUTION_FAILED (the GPU"));
#endif
}
