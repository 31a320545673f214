// Correct kernels give correct values in every order, and no build reports anything.
#include "cuda/kernels.hpp"

#include "cuda/device_test.hpp"

#include <algorithm>
#include <numeric>

using tt::gpu::launch;

namespace {

std::vector<int> sizes() {
  if (small_sizes_only) return {1, 33, 257};
  return {1, 3, 33, 257, 1031};
}

template <class T>
std::vector<T> wave(int n, T step) {
  std::vector<T> values(std::size_t(n), T(0));
  for (int i = 0; i < n; ++i) values[std::size_t(i)] = std::sin(T(i) * step);
  return values;
}

unsigned blocks(int n, int threads) { return unsigned((n + threads - 1) / threads); }

}  // namespace

TEMPLATE_TEST_CASE("elementwise by packets, with a tail", "[cuda]", float, double) {
  in_every_order([] {
    for (const int n : sizes()) {
      const tt::gpu::Stream stream;
      const auto a = wave<TestType>(n, TestType(0.7)), b = wave<TestType>(n, TestType(0.3));
      const DeviceArray<TestType> x(a, stream), y(b, stream), out(a, stream);
      launch(multiply_add<TestType>, blocks(n, 256), 64, 0, stream, x.data(), y.data(), 2, out.data(), n);
      const auto got = out.host(stream);
      for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(got[i] == Approx(a[i] * b[i] + 2));
    }
  });
}

TEST_CASE("elementwise in place", "[cuda]") {
  in_every_order([] {
    const auto a = wave(37, 0.7f);
    const DeviceArray<float> x(a);
    launch(multiply_add<float>, 1, 32, 0, nullptr, x.data(), x.data(), 0.f, x.data(), 37);
    const auto got = x.host();
    for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(got[i] == Approx(a[i] * a[i]));
  });
}

TEST_CASE("elementwise over strides and broadcast rows", "[cuda]") {
  in_every_order([] {
    const int rows = 7, columns = 13;
    const auto a = wave(rows * columns, 0.7f), b = wave(columns, 0.3f);
    const DeviceArray<float> x(a), y(b), out(a);
    // a is read as the transpose of a (13, 7) matrix, b as one row for all
    launch(multiply_strided<float>, 2, 32, 0, nullptr, x.data(), Strides{1, rows}, y.data(), Strides{0, 1}, out.data(),
           rows, columns);
    const auto got = out.host();
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        REQUIRE(got[std::size_t(r * columns + c)] == a[std::size_t(c * rows + r)] * b[std::size_t(c)]);
      }
    }
  });
}

TEMPLATE_TEST_CASE("softmax of rows: shuffles, shared memory, barriers", "[cuda]", float, double) {
  in_every_order([] {
    for (const int columns : sizes()) {
      const int rows = 3;
      const auto a = wave<TestType>(rows * columns, TestType(0.7));
      const DeviceArray<TestType> x(a), y(a);
      launch(softmax_rows<TestType>, rows, 96, 0, nullptr, x.data(), y.data(), columns);
      const auto got = y.host();
      for (int r = 0; r < rows; ++r) {
        const auto* row = a.data() + r * columns;
        const TestType largest = *std::max_element(row, row + columns);
        TestType sum = 0;
        for (int c = 0; c < columns; ++c) sum += std::exp(row[c] - largest);
        for (int c = 0; c < columns; ++c) {
          REQUIRE(got[std::size_t(r * columns + c)] == Approx(std::exp(row[c] - largest) / sum).margin(1e-6));
        }
      }
    }
  });
}

TEST_CASE("transpose by tiles in dynamic shared memory", "[cuda]") {
  in_every_order([] {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {33, 5}, {31, 65}}) {
      const auto a = wave(rows * columns, 0.7f);
      const DeviceArray<float> x(a), y(a);
      launch(transpose<float>, dim3(blocks(columns, tile), blocks(rows, tile)), dim3(tile, tile_step),
             tile * tile_pitch * sizeof(float), nullptr, x.data(), y.data(), rows, columns);
      const auto got = y.host();
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) REQUIRE(got[std::size_t(c * rows + r)] == a[std::size_t(r * columns + c)]);
      }
    }
  });
}

TEST_CASE("histogram by atomics and votes", "[cuda]") {
  in_every_order([] {
    for (const int n : sizes()) {
      std::vector<int> values(std::size_t(n), 0);
      std::vector<unsigned> want(8);
      float odd = 0;
      for (int i = 0; i < n; ++i) {
        values[std::size_t(i)] = i * 7 % 8;
        ++want[std::size_t(i * 7 % 8)];
        odd += float(i * 7 % 8 % 2);
      }
      const DeviceArray<int> x(values);
      const DeviceArray<unsigned> bins(std::vector<unsigned>(8));
      const DeviceArray<float> count(std::vector<float>(1));
      launch(histogram<int>, blocks(n, 64), 64, 0, nullptr, x.data(), bins.data(), count.data(), n);
      CHECK(bins.host() == want);
      CHECK(count.host()[0] == odd);
    }
  });
}

TEST_CASE("the block that finishes last sees what the others wrote before their fence", "[cuda]") {
  in_every_order([] {
    std::vector<int> values(200);
    std::iota(values.begin(), values.end(), 1);
    const DeviceArray<int> x(values), partial(std::vector<int>(7)), out(std::vector<int>(1));
    const DeviceArray<unsigned> finished(std::vector<unsigned>(1));
    launch(sum_by_last_block<true, int>, 7, 32, 0, nullptr, x.data(), partial.data(), finished.data(), out.data(), 200);
    CHECK(out.host()[0] == 200 * 201 / 2);
  });
}

TEST_CASE("a captured graph runs its kernels at each launch", "[cuda]") {
  in_every_order([] {
    const tt::gpu::Stream stream;
    const DeviceArray<float> x({1, 2, 3, 4, 5, 6}, stream), two(std::vector<float>(6, 2.f), stream);
    stream.synchronize();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    launch(multiply_add<float>, 1, 32, 0, stream, x.data(), two.data(), 0.f, x.data(), 6);
    launch(multiply_add<float>, 1, 32, 0, stream, x.data(), two.data(), 1.f, x.data(), 6);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    CHECK(x.host(stream) == std::vector<float>{1, 2, 3, 4, 5, 6});  // captured, not run
    REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
    CHECK(x.host(stream) == std::vector<float>{5, 9, 13, 17, 21, 25});
    REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
    CHECK(x.host(stream) == std::vector<float>{21, 37, 53, 69, 85, 101});
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  });
}
