// <tt/cuda/graph.hpp>: capture, replay, and captures that fail.
#include <tt/cuda/graph.hpp>

#include "cuda/device_test.hpp"
#include "cuda/kernels.hpp"

#include <stdexcept>

using tt::gpu::Graph;
using tt::gpu::launch;
using tt::gpu::Stream;

namespace {

/// x *= 2 and y *= 2 on two streams, then y *= 2 on the first.
struct Steps {
  Stream main, side;
  DeviceArray<float> x{std::vector<float>(8, 1.f)}, y{std::vector<float>(8, 3.f)}, two{std::vector<float>(8, 2.f)};

  Steps() { tt::gpu::synchronize(); }
  void times_two(const DeviceArray<float>& a, cudaStream_t stream) const {
    launch(multiply_add<float>, 1, 8, 0, stream, a.data(), two.data(), 0.f, a.data(), 8);
  }
  void run() const {
    side.wait_stream(main);
    times_two(x, tt::gpu::current_stream());
    times_two(y, side);
    main.wait_stream(side);
    times_two(y, main);
  }
};

std::vector<float> eight(float value) { return std::vector<float>(8, value); }

}  // namespace

TEST_CASE("a graph over two streams does at each replay what the streams did", "[cuda]") {
  in_every_order([] {
    const Steps steps;
    Graph graph;
    CHECK(graph.empty());
    graph.capture(steps.main, [&] { steps.run(); });
    CHECK(steps.x.host(steps.main) == eight(1));  // not run yet
    for (float factor = 2; factor <= 8; factor *= 2) {
      graph.replay(steps.main);
      CHECK(steps.x.host(steps.main) == eight(factor));
      CHECK(steps.y.host(steps.main) == eight(3 * factor * factor));
    }
    Graph moved = std::move(graph);
    moved.replay(steps.side);
    CHECK(steps.x.host(steps.side) == eight(16));
    moved.reset();
    CHECK(moved.empty());
  });
}

TEST_CASE("a capture that fails leaves the graph as it was, and nothing captured", "[cuda]") {
  const Steps steps;
  Graph graph;
  CHECK_THROWS_WITH(graph.replay(steps.main), Contains("Graph::replay: nothing was captured; call capture first"));
  graph.capture(steps.main, [&] { steps.times_two(steps.x, steps.main); });

  CHECK_THROWS_AS(graph.capture(steps.main, [] { throw std::runtime_error("user's"); }), std::runtime_error);
  CHECK_THROWS_WITH(graph.capture(steps.main, [&] { steps.main.synchronize(); }),
                    Contains("Stream::synchronize: cudaErrorStreamCaptureUnsupported"));
  CHECK_THROWS_WITH(graph.capture(steps.main,
                                  [&] {
                                    steps.side.wait_stream(steps.main);
                                    steps.times_two(steps.y, steps.side);
                                  }),
                    Contains("Graph::capture: cudaErrorStreamCaptureUnjoined"));
  CHECK_THROWS_AS(graph.capture(tt::gpu::StreamRef(0, nullptr), [] {}), tt::gpu::CudaError);

  CHECK(!steps.main.is_capturing());
  CHECK(!steps.side.is_capturing());
  CHECK(tt::gpu::current_stream() == tt::gpu::StreamRef(0, nullptr));
  graph.replay(steps.main);
  CHECK(steps.x.host(steps.main) == eight(2));
  CHECK(steps.y.host(steps.main) == eight(3));
}
