// gather, index_select and embedding on the device give what the CPU gives, and find indices that are outside.
#include <tt/cuda/graph.hpp>
#include <tt/cuda/index.hpp>

#include "cuda/index_check.hpp"

using namespace tests;
using tt::AnyTensor, tt::dims, tt::dtype, tt::index_t;
using tt::gpu::DeviceView, tt::gpu::IndexFault;

namespace {

enum class Take { gather, index_select };

AnyTensor on_host(Take how, const AnyTensor& x, index_t axis, const AnyTensor& index) {
  return how == Take::gather ? tt::detail::run_gather(x, axis, index, nullptr)
                             : tt::detail::run_index_select(x, axis, index, nullptr);
}
AnyTensor on_device(Take how, const AnyTensor& x, index_t axis, const AnyTensor& index, const AnyTensor& out) {
  Mirror device;
  const DeviceView views[] = {device.of(x), device.of(index), device.of(out)};
  const auto f = how == Take::gather ? tt::gpu::gather : tt::gpu::index_select;
  f(views[0], axis, views[1], views[2], default_stream());
  tt::gpu::check_index_errors(default_stream());
  device.copy_to(out, 2);
  return out;
}
/// Results that are packed, that are scattered in memory, and that begin at odd addresses.
void check_take(Take how, const AnyTensor& x, index_t axis, const AnyTensor& index) {
  CAPTURE(tt::to_string(x.sizes()), tt::to_string(index.sizes()), axis, tt::name_of(x.dtype()));
  const AnyTensor want = on_host(how, x, axis, index);
  REQUIRE(same_bits(on_device(how, x, axis, index, unset(want.dtype(), want.sizes(), 0)), want));
  if (small_sizes_only) return;
  REQUIRE(same_bits(on_device(how, x, axis, index, unset(want.dtype(), want.sizes(), 1)), want));
  REQUIRE(same_bits(on_device(how, x, axis, index, scattered(want.copied())), want));
}

constexpr dtype one_of_each_size[] = {dtype::boolean, dtype::bfloat16, dtype::float32, dtype::int64, dtype::complex128};

/// The fault that a gather of five numbers at these indices leaves.
std::optional<IndexFault> fault_of(const std::vector<std::int64_t>& values) {
  const index_t n = index_t(values.size());
  Mirror device;
  const AnyTensor out = unset(dtype::float32, {n}, 0), x = filled(dtype::float32, {5});
  const DeviceView views[] = {device.of(x), device.of(index_of({n}, values)), device.of(out)};
  tt::gpu::gather(views[0], 0, views[1], views[2], default_stream());
  const auto fault = tt::gpu::take_index_fault(default_stream());
  device.copy_to(out, 2);
  const auto* got = reinterpret_cast<const float*>(out.data_ptr());
  const auto* from = reinterpret_cast<const float*>(x.data_ptr());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool inside = values[i] >= 0 && values[i] < 5;
    REQUIRE(got[i] == (inside ? from[values[i]] : 0.f));
  }
  return fault;
}

}  // namespace

TEST_CASE("elements of every size, along every axis", "[cuda]") {
  in_every_order([] {
    for (const dtype type : one_of_each_size) {
      if (small_sizes_only && type != dtype::float32 && type != dtype::complex128) continue;
      const AnyTensor x = filled(type, {3, 5, 4});
      for (const index_t axis : {0, 1, -1}) {
        check_take(Take::gather, x, axis, indices({3, 2, 4}, x.sizes()[int(axis)]));
        check_take(Take::index_select, x, axis, indices({7}, x.sizes()[int(axis)]));
      }
    }
  });
}

TEST_CASE("rows that move by packets, and rows of odd lengths and addresses", "[cuda]") {
  in_every_order([] {
    if (small_sizes_only) return check_take(Take::index_select, filled(dtype::float32, {4, 8}), 0, indices({5}, 4));
    for (const dtype type : one_of_each_size)
      for (const index_t columns : {1, 2, 3, 4, 6, 8, 16, 20, 32, 33}) {
        const AnyTensor x = filled(type, {6, columns}), index = indices({9}, 6);
        check_take(Take::index_select, x, 0, index);
        const AnyTensor later = unset(type, {6, columns}, 1);
        later.copy_(x);
        check_take(Take::index_select, later, 0, index);
      }
  });
}

TEST_CASE("widening of elements stops where a layout or an address is odd", "[cuda]") {
  using namespace tt::gpu::detail;
  alignas(16) static std::byte memory[32];
  const auto width = [](index_t columns, index_t pitch, std::size_t offset) {
    TakePlan plan{{}, pitch, 2};
    plan.space.push_back(3, 1, 0, columns, 1);
    plan.space.push_back(columns, 0, 1, 1, 0);
    plan.widen(memory, memory + offset);
    return plan.item;
  };
  CHECK(width(8, 8, 0) == 16);
  CHECK(width(16, 24, 0) == 16);
  CHECK(width(8, 12, 0) == 8);
  CHECK(width(4, 8, 0) == 8);
  CHECK(width(6, 8, 0) == 4);
  CHECK(width(7, 8, 0) == 2);
  CHECK(width(8, 8, 8) == 8);
  CHECK(width(8, 8, 2) == 2);
}

TEST_CASE("scattered and repeated inputs and indices", "[cuda]") {
  in_every_order([] {
    const AnyTensor x = scattered(filled(dtype::float32, {3, 5, 4}));
    check_take(Take::gather, x, 1, scattered(indices({3, 7, 4}, 5)));
    if (small_sizes_only) return;
    check_take(Take::index_select, x, 1, scattered(indices({9}, 5)));
    check_take(Take::index_select, x, 2, indices({9}, 4, dtype::uint8));
    check_take(Take::gather, x, 2, scattered(indices({2, 5, 4}, 4, dtype::uint8)));
    const AnyTensor column = filled(dtype::float16, {4, 1}), few = indices({1, 6}, 4);
    const index_t none_in_row[] = {1, 0}, none_in_column[] = {0, 1};
    check_take(Take::gather, column.with_layout({4, 6}, none_in_row, 0), 0, few.with_layout({3, 6}, none_in_column, 0));
  });
}

TEST_CASE("sizes around those of a block, and few", "[cuda]") {
  in_every_order([] {
    for (const index_t n : {0, 1, 255, 256, 257, 1000}) {
      if (small_sizes_only && n != 257) continue;
      check_take(Take::gather, filled(dtype::float32, {n + 1}), 0, indices({n}, n + 1));
      check_take(Take::index_select, filled(dtype::float32, {n + 1}), 0, indices({n}, n + 1));
    }
    const AnyTensor one = filled(dtype::float64, {});
    check_take(Take::gather, one, 0, indices({}, 1));
    check_take(Take::gather, one, -1, indices({3}, 1));
    check_take(Take::index_select, one, 0, indices({}, 1));
    check_take(Take::index_select, one, 0, indices({1}, 1));
    check_take(Take::gather, filled(dtype::float64, {4}), 0, indices({}, 4));
    check_take(Take::index_select, filled(dtype::float64, {4, 2}), 0, indices({}, 4));
    check_take(Take::index_select, filled(dtype::float64, {4, 0}), 0, indices({3}, 4));
    check_take(Take::index_select, filled(dtype::float64, {4, 2}), 1, indices({0}, 1));
    check_take(Take::gather, filled(dtype::float64, {0, 4}), 0, indices({0, 4}, 1));
  });
}

TEST_CASE("embedding: an index of any shape", "[cuda]") {
  in_every_order([] {
    const AnyTensor weight = filled(dtype::float16, {7, 12}), index = scattered(indices({2, 3}, 7));
    const AnyTensor out = unset(dtype::float16, {2, 3, 12}, 0);
    Mirror device;
    const DeviceView views[] = {device.of(weight), device.of(index), device.of(out)};
    tt::gpu::embedding(views[0], views[1], views[2], default_stream());
    device.copy_to(out, 2);
    const AnyTensor rows = on_host(Take::index_select, weight, 0, index_of({6}, values<std::int64_t>(index)));
    REQUIRE(values(out) == values(rows));
  });
}

TEST_CASE("indices of 64 bits, and fewer threads than elements", "[cuda]") {
  using namespace tt::gpu::detail;
  const AnyTensor x = filled(dtype::int32, {6}), index = indices({50}, 6), out = unset(dtype::int32, {50}, 0);
  Mirror device;
  const DeviceView views[] = {device.of(x), device.of(index), device.of(out)};
  TakePlan plan{{}, 1, 4};
  plan.space.push_back(50, 1, 0, 1, 1);
  const auto run = [&]<class Index>(Index count) {
    const tt::gpu::detail::Take<Index> take{
        {views[1].data, dtype::int64}, count, 1, plan.space.axes<Index>(), index_check(0, "gather", 6)};
    tt::gpu::launch(take_kernel<std::uint32_t, Index>, 1, 16, 0, nullptr,
                    static_cast<const std::uint32_t*>(views[0].data), static_cast<std::uint32_t*>(views[2].data), take);
    device.copy_to(out, 2);
    REQUIRE(same_bits(out, on_host(::Take::gather, x, 0, index)));
  };
  run(std::uint32_t(50));
  run(std::uint64_t(50));
  CHECK(plan.space.fits_32_bits(take_input, index_t(1) << 20, 1 << 10));
  CHECK(!plan.space.fits_32_bits(take_input, index_t(1) << 20, 1 << 11));
  CHECK(!plan.space.fits_32_bits(take_input, -(index_t(1) << 31), 1));
}

TEST_CASE("the first index outside of its axis is found, and gives zero", "[cuda]") {
  in_every_order([] {
    REQUIRE(!fault_of({0, 4, 2, 1}));
    const auto negative = fault_of({0, 4, -1, 5});
    REQUIRE(negative);
    CHECK(std::string(negative->op) == "gather");
    CHECK(negative->index == -1);
    CHECK(negative->position == 2);
    CHECK(negative->extent == 5);
    CHECK(!fault_of({1}));  // it is told once
    std::vector<std::int64_t> many(small_sizes_only ? 300 : 2000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = i < 37 ? 3 : std::int64_t(1000 + i);
    const auto first = fault_of(many);
    REQUIRE(first);
    CHECK(first->position == 37);
    CHECK(first->index == 1037);
    CHECK(fault_of({std::numeric_limits<std::int64_t>::min()})->index == std::numeric_limits<std::int64_t>::min());
    CHECK(fault_of({std::numeric_limits<std::int64_t>::max()})->index == std::numeric_limits<std::int64_t>::max());
  });
}

TEST_CASE("positions count along the index's own axes", "[cuda]") {
  in_every_order([] {
    const AnyTensor index = index_of({2, 3}, {0, 1, 2, 0, 9, 9}), x = filled(dtype::float32, {3, 4});
    const AnyTensor turned = scattered(index), out = unset(dtype::float32, {2, 3, 4}, 0);
    Mirror device;
    const DeviceView views[] = {device.of(x), device.of(turned), device.of(out)};
    tt::gpu::embedding(views[0], views[1], views[2], default_stream());
    try {
      tt::gpu::check_index_errors(default_stream());
      FAIL("no error");
    } catch (const tt::IndexError& e) {
      CHECK(std::string(e.what()) ==
            "tt::embedding: index 9 at position 4 of the indices is outside an axis of 3");
    }
    tt::gpu::check_index_errors(default_stream());
  });
}

TEST_CASE("of several launches, in streams and in graphs, the first is told", "[cuda]") {
  in_every_order([] {
    const AnyTensor x = filled(dtype::float32, {4}), bad = index_of({2}, {1, 7}), worse = index_of({1}, {8});
    const AnyTensor out = unset(dtype::float32, {2}, 0);
    Mirror device;
    const DeviceView from = device.of(x), first = device.of(bad), second = device.of(worse), to = device.of(out);
    const DeviceView one{to.data, to.type, {1}, {1}};
    tt::gpu::synchronize();
    const tt::gpu::Stream stream;
    tt::gpu::gather(from, 0, first, to, stream);
    tt::gpu::index_select(from, 0, second, one, stream);
    const auto fault = tt::gpu::take_index_fault(stream);
    REQUIRE(fault);
    CHECK(fault->index == 7);
    CHECK(!tt::gpu::take_index_fault(stream));

    tt::gpu::Graph graph;
    graph.capture(stream, [&] {
      tt::gpu::index_select(from, 0, second, one, stream);
      CHECK_THROWS_WITH(tt::gpu::check_index_errors(stream),
                        Catch::Contains("the stream is captured, and cannot be waited for"));
    });
    CHECK(!tt::gpu::take_index_fault(stream));
    for (int replays = 0; replays < 2; ++replays) {
      graph.replay(stream);
      graph.replay(stream);
      const auto again = tt::gpu::take_index_fault(stream);
      REQUIRE(again);
      CHECK(again->index == 8);
      CHECK(again->position == 0);
      CHECK(std::string(again->op) == "index_select");
    }
  });
}

TEST_CASE("what does not fit is refused", "[cuda]") {
  const auto view = [](dtype type, const dims& size) { return DeviceView::packed(nullptr, type, size); };
  const DeviceView x = view(dtype::float32, {3, 4}), out = view(dtype::float32, {2, 4});
  const auto stream = default_stream();
  using Catch::Contains;
  CHECK_THROWS_WITH(tt::gpu::gather(x, 2, view(dtype::int64, {2, 4}), out, stream),
                    Contains("tt::gather: axis 2 of a tensor with 2 axes"));
  CHECK_THROWS_WITH(tt::gpu::gather(x, 0, view(dtype::float32, {2, 4}), out, stream),
                    Contains("tt::gather: the index must be an integer tensor, not float32"));
  CHECK_THROWS_WITH(tt::gpu::gather(x, 0, view(dtype::int64, {2, 3}), out, stream),
                    Contains("tt::gather: the result has extents [2, 4] instead of [2, 3]"));
  CHECK_THROWS_WITH(tt::gpu::gather(x, 0, view(dtype::int64, {2, 4}), view(dtype::float64, {2, 4}), stream),
                    Contains("tt::gather: the result is float64, the input float32"));
  CHECK_THROWS_WITH(tt::gpu::gather(x, 0, view(dtype::int64, {2, 5}), view(dtype::float32, {2, 5}), stream),
                    Contains("tt::gather: the index [2, 5] is larger than the input [3, 4] along axis 1"));
  CHECK_THROWS_WITH(tt::gpu::gather(x, 0, view(dtype::int64, {2}), view(dtype::float32, {2}), stream),
                    Contains("tt::gather: the index [2] must have as many axes as the input [3, 4]"));
  CHECK_THROWS_WITH(tt::gpu::index_select(x, 0, view(dtype::int64, {2, 4}), out, stream),
                    Contains("tt::index_select: the index must be a vector, not [2, 4]"));
  CHECK_THROWS_WITH(tt::gpu::index_select(x, 1, view(dtype::int64, {2}), out, stream),
                    Contains("tt::index_select: the result has extents [2, 4] instead of [3, 2]"));
  CHECK_THROWS_WITH(tt::gpu::index_select(view(dtype::float32, {}), 0, view(dtype::int64, {2}), out, stream),
                    Contains("tt::index_select: a tensor without axes takes one index"));
  CHECK_THROWS_WITH(tt::gpu::embedding(view(dtype::float32, {3}), view(dtype::int64, {2}), out, stream),
                    Contains("tt::embedding: the weight must be a matrix, not [3]"));
}
