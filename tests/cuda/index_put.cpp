// scatter, scatter_add and index_put on the device.
#include "cuda/index_check.hpp"

#include <tt/autograd.hpp>
#include <tt/cuda/graph.hpp>
#include <tt/cuda/index_put.hpp>

#include "cuda/workspace.hpp"

using namespace tests;
using tt::AnyTensor, tt::dims, tt::dtype, tt::dyn, tt::index_t;
using tt::gpu::DeviceView;

namespace {

/// What a scatter makes of a copy of x, on the device.
AnyTensor scattered_into(const AnyTensor& x, index_t axis, const AnyTensor& index, const AnyTensor& source, bool add) {
  const AnyTensor out = x.copied();
  Mirror device;
  Workspace workspace;
  const DeviceView views[] = {device.of(out), device.of(index), device.of(source)};
  if (add) tt::gpu::scatter_add(views[0], axis, views[1], views[2], workspace, default_stream());
  else tt::gpu::scatter(views[0], axis, views[1], views[2], workspace, default_stream());
  device.copy_to(out, 0);
  return out;
}
/// The same by index_put of the CPU, with an index for each axis. The source is as large as the index.
AnyTensor put_on_host(const AnyTensor& x, int axis, const AnyTensor& index, const AnyTensor& source,
                      tt::detail::AddAt add) {
  std::vector<AnyTensor> all;
  for (int i = 0; i < x.rank(); ++i) {
    all.push_back(i == axis ? index.packed() : tt::AnyTensor::empty(dtype::int64, index.sizes()));
    if (i == axis) continue;
    index_t inner = 1;
    for (int j = i + 1; j < x.rank(); ++j) inner *= index.sizes()[j];
    for (index_t e = 0; e < index.numel(); ++e)
      reinterpret_cast<std::int64_t*>(all.back().data_ptr())[e] = e / inner % index.sizes()[i];
  }
  return tt::detail::run_index_put(x, all, source, add, nullptr);
}

AnyTensor put(const AnyTensor& x, const std::vector<AnyTensor>& index, const AnyTensor& value, bool accumulate) {
  const AnyTensor out = x.copied();
  Mirror device;
  Workspace workspace;
  const DeviceView to = device.of(out), from = device.of(value);
  std::vector<DeviceView> views;
  for (const AnyTensor& one : index) views.push_back(device.of(one));
  tt::gpu::index_put(to, views, from, accumulate, workspace, default_stream());
  device.copy_to(out, 0);
  return out;
}

constexpr dtype one_of_each_size[] = {dtype::boolean, dtype::bfloat16, dtype::float32, dtype::int64, dtype::complex128};

}  // namespace

TEST_CASE("scatter: along every axis, and the last of several stays", "[cuda]") {
  in_every_order([] {
    for (const dtype type : one_of_each_size) {
      if (small_sizes_only && type != dtype::float32) continue;
      const AnyTensor x = filled(type, {3, 5, 4});
      for (int axis = small_sizes_only ? 2 : 0; axis < 3; ++axis) {
        const AnyTensor index = indices({3, 5, 4}, x.sizes()[axis]), source = filled(type, {3, 5, 4}, -100, 100);
        REQUIRE(same_bits(scattered_into(x, axis, index, source, false),
                          put_on_host(x, axis, index, source, nullptr)));
        REQUIRE(same_bits(scattered_into(x, axis, scattered(index), scattered(source), false),
                          put_on_host(x, axis, index, source, nullptr)));
      }
    }
  });
}

TEST_CASE("scatter and scatter_add of a part of the source", "[cuda]") {
  in_every_order([] {
    const AnyTensor x = filled(dtype::float32, {3, 5}), index = indices({2, 6}, 5);
    const AnyTensor source = filled(dtype::float32, {4, 7});
    const AnyTensor used = source.with_layout({2, 6}, source.strides(), 0);
    REQUIRE(same_bits(scattered_into(x, 1, index, source, false), put_on_host(x, 1, index, used, nullptr)));
    REQUIRE(same_bits(scattered_into(x, -1, index, source, true),
                      put_on_host(x, 1, index, used, tt::detail::add_at<float>)));
  });
}

TEST_CASE("scatter: thousands onto one element", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const index_t n = 5000;
    const AnyTensor x = filled(dtype::float16, {3}, 0, 0), source = filled(dtype::float16, {n}, 1, 1);
    const AnyTensor index = index_of({n}, std::vector<std::int64_t>(std::size_t(n), 1));
    reinterpret_cast<tt::half*>(source.data_ptr())[n - 1] = tt::half(9.f);
    REQUIRE(values(scattered_into(x, 0, index, source, false)) == std::vector<double>{0, 9, 0});
    REQUIRE(values(scattered_into(x, 0, index, source, true)) ==
            std::vector<double>{0, double(tt::half(float(n + 8))), 0});
  });
}

TEST_CASE("scatter of nothing, without axes, and outside", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const AnyTensor x = filled(dtype::float64, {4}), scalar = filled(dtype::float64, {}, 7, 7);
    REQUIRE(same_bits(scattered_into(x, 0, index_of({0}, {}), x, false), x));
    REQUIRE(values(scattered_into(filled(dtype::float64, {}), 0, index_of({}, {0}), scalar, false)).front() == 7);
    const AnyTensor none = filled(dtype::float64, {0, 3});
    REQUIRE(same_bits(scattered_into(none, 0, index_of({0, 3}, {}), none, true), none));
    for (const bool add : {false, true}) {
      const AnyTensor got = scattered_into(x, 0, index_of({3}, {1, 4, 0}), filled(dtype::float64, {3}, 2, 2), add);
      const auto fault = tt::gpu::take_index_fault(default_stream());
      REQUIRE(fault);
      CHECK(fault->position == 1);
      CHECK(fault->index == 4);
      CHECK(std::string(fault->op) == (add ? "scatter_add" : "scatter"));
      const auto v = values(x);
      REQUIRE(values(got) == (add ? std::vector<double>{v[0] + 2, v[1] + 2, v[2], v[3]}
                                  : std::vector<double>{2, 2, v[2], v[3]}));
    }
  });
}

TEST_CASE("index_put: one index and several, negative ones, broadcast values", "[cuda]") {
  in_every_order([] {
    const AnyTensor x = filled(dtype::float32, {4, 3, 2});
    const AnyTensor rows = index_of({5}, {0, -1, 2, 0, -4}), columns = index_of({2, 1}, {-3, 2});
    const AnyTensor bytes = tt::detail::copied_as(index_of({5}, {0, 1, 2, 0, 3}), dtype::uint8);
    const struct {
      std::vector<AnyTensor> index;
      AnyTensor value;
    } cases[] = {{{rows}, filled(dtype::float32, {5, 3, 2})},
                 {{rows}, filled(dtype::float32, {})},
                 {{rows}, scattered(filled(dtype::float32, {3, 2}))},
                 {{bytes}, filled(dtype::float32, {5, 1, 2})},
                 {{rows, columns}, filled(dtype::float32, {2, 5, 2})},
                 {{rows, columns, index_of({}, {1})}, filled(dtype::float32, {2, 1})},
                 {{scattered(rows), scattered(columns)}, filled(dtype::float32, {5, 2})},
                 {{index_of({0}, {})}, filled(dtype::float32, {0, 3, 2})}};
    int number = 0;
    for (const auto& one : cases) {
      CAPTURE(number++);
      if (small_sizes_only && number != 5) continue;
      REQUIRE(same_bits(put(x, one.index, one.value, false),
                        tt::detail::run_index_put(x, one.index, one.value, nullptr, nullptr)));
      REQUIRE(same_bits(put(x, one.index, one.value, true),
                        tt::detail::run_index_put(x, one.index, one.value, tt::detail::add_at<float>, nullptr)));
    }
  });
}

TEST_CASE("the gradients of index_put", "[cuda]") {
  if (small_sizes_only) return;
  using Matrix = tt::Shape<dyn, dyn>;
  in_every_order([] {
    for (const bool accumulate : {false, true}) {
      const auto x = leaf<float, Matrix>({4, 3}), value = leaf<float, Matrix>({1, 3}, -3, 3, 2);
      const tt::Tensor<std::int64_t, tt::Shape<dyn>> at{1, -1, 1, 0, -3};
      const auto seed = numbers<float, Matrix>({4, 3}, -3, 3, 5);
      tt::backward(tt::index_put(x, at, value, accumulate), seed);

      Mirror device;
      Workspace workspace;
      const auto stream = default_stream();
      const AnyTensor of_x = seed.copied(), of_value = filled(dtype::float32, {1, 3}, 0, 0);
      const DeviceView rest = device.of(of_x), sums = device.of(of_value);
      const DeviceView index = device.of(at), gradient = device.of(seed);
      const DeviceArray<index_t> to(std::vector<index_t>(15)), from(std::vector<index_t>(15));
      tt::gpu::put_positions({4, 3}, {&index, 1}, sums, to.data(), from.data(), stream);
      tt::gpu::add_by_positions({sums.data, sums.type, 3}, from.data(), gradient.data, to.data(), 15, dtype::float32,
                                workspace, stream);
      if (!accumulate) tt::gpu::put_by_positions(rest.data, 12, to.data(), nullptr, nullptr, 15, 4, workspace, stream);
      device.copy_to(of_x, 0);
      device.copy_to(of_value, 1);
      REQUIRE(same_bits(of_x, x.grad()));
      REQUIRE(same_bits(of_value, value.grad()));
    }
  });
}

TEST_CASE("index_put: of several indices the first one outside is told", "[cuda]") {
  in_every_order([] {
    const AnyTensor x = filled(dtype::float32, {4, 3}), value = filled(dtype::float32, {3}, 9, 9);
    const AnyTensor rows = index_of({3}, {0, -5, 2}), columns = index_of({3}, {3, 2, -3});
    const AnyTensor got = put(x, {rows, columns}, value, false);
    const auto fault = tt::gpu::take_index_fault(default_stream());
    REQUIRE(fault);
    CHECK(fault->index == -5);
    CHECK(fault->position == 1);
    CHECK(fault->extent == 4);
    auto want = values(x);
    want[6] = 9;  // the only place that both name
    REQUIRE(values(got) == want);
  });
}

TEST_CASE("a graph sorts and adds again at each replay", "[cuda]") {
  in_every_order([] {
    const index_t n = small_sizes_only ? 70 : 500;
    const AnyTensor x = filled(dtype::float32, {3}, 0, 0), source = filled(dtype::float32, {n}, 1, 1);
    Mirror device;
    const DeviceView to = device.of(x), index = device.of(indices({n}, 3)), from = device.of(source);
    const tt::gpu::Stream stream;
    tt::gpu::synchronize();
    Workspace workspace(stream);
    std::deque<void*> kept;  // memory is not allocated while a stream is captured
    const auto keep = [&](std::size_t bytes) { return kept.emplace_back(workspace(bytes)); };
    tt::gpu::scatter_add(to, 0, index, from, keep, stream);
    tt::gpu::synchronize();
    tt::gpu::Graph graph;
    const auto reuse = [&](std::size_t) {
      void* const memory = kept.front();
      kept.pop_front();
      return memory;
    };
    graph.capture(stream, [&] { tt::gpu::scatter_add(to, 0, index, from, reuse, stream); });
    graph.replay(stream);
    graph.replay(stream);
    stream.synchronize();
    device.copy_to(x, 0);
    const auto got = values(x);
    REQUIRE(got[0] + got[1] + got[2] == 3 * double(n));
    REQUIRE(got[0] == 3 * double(std::ranges::count(values(indices({n}, 3)), 0.)));
  });
}

TEST_CASE("scatters that do not fit are refused", "[cuda]") {
  const auto view = [](dtype type, const dims& size) { return DeviceView::packed(nullptr, type, size); };
  const DeviceView x = view(dtype::float32, {3, 4}), index = view(dtype::int64, {2, 4});
  const auto stream = default_stream();
  Workspace workspace;
  using Catch::Contains;
  const auto scatter = [&](const DeviceView& to, const DeviceView& at, const DeviceView& from) {
    tt::gpu::scatter(to, 0, at, from, workspace, stream);
  };
  CHECK_THROWS_WITH(scatter(x, index, view(dtype::float64, {2, 4})),
                    Contains("tt::scatter: the source is float64, the tensor float32"));
  CHECK_THROWS_WITH(scatter(x, index, view(dtype::float32, {2, 3})),
                    Contains("tt::scatter: the index [2, 4] is larger than the source [2, 3]"));
  CHECK_THROWS_WITH(scatter(x, index, view(dtype::float32, {4})),
                    Contains("tt::scatter: the index [2, 4] is larger than the source [4]"));
  CHECK_THROWS_WITH(scatter(x, view(dtype::float32, {2, 4}), x),
                    Contains("tt::scatter: the index must be an integer tensor, not float32"));
  CHECK_THROWS_WITH(scatter({nullptr, dtype::float32, {3, 4}, {1, 3}}, index, x),
                    Contains("tt::scatter: the tensor must be contiguous"));
  CHECK_THROWS_WITH(scatter(x, view(dtype::int64, {2, 5}), view(dtype::float32, {2, 5})),
                    Contains("tt::scatter: the index [2, 5] is larger than the tensor [3, 4] along axis 1"));
  const auto put = [&](std::initializer_list<DeviceView> at, const DeviceView& from) {
    tt::gpu::index_put(x, std::span(at.begin(), at.size()), from, true, workspace, stream);
  };
  CHECK_THROWS_WITH(put({}, x), Contains("tt::index_put: 0 indices for a tensor with 2 axes"));
  CHECK_THROWS_WITH(put({view(dtype::int64, {2})}, view(dtype::float32, {3, 4})), Contains("do not broadcast"));
  CHECK_THROWS_WITH(put({view(dtype::int64, {2})}, view(dtype::float32, {5, 2, 4})),
                    Contains("tt::index_put: values [5, 2, 4] do not broadcast to the places [2, 4]"));
  CHECK_THROWS_WITH(put({view(dtype::boolean, {3})}, view(dtype::float32, {})),
                    Contains("tt::index_put: the index must be an integer tensor, not bool"));
}
