// Sums by indices on the device: the gradients that the CPU's tape finds, and the same bits in every run.
#include "cuda/index_check.hpp"

#include <tt/autograd.hpp>
#include <tt/cuda/index_add.hpp>

#include "cuda/workspace.hpp"

using namespace tests;
using tt::AnyTensor, tt::dims, tt::dtype, tt::dyn, tt::index_t;
using tt::gpu::DeviceView;
using Cube = tt::Shape<dyn, dyn, dyn>;

namespace {

template <class Number>
tt::Tensor<Number, Cube> cube(const dims& size, std::uint64_t seed) {
  constexpr dtype type = tt::dtype_of<Number>;
  if constexpr (tt::is_complex(type)) return tt::Tensor<Number, Cube>(filled(type, size));
  else return numbers<Number, Cube>(size, -3, 3, seed);
}
template <class Number>
tt::Variable<Number, Cube> leaf_of(const dims& size) {
  tt::Variable<Number, Cube> x = cube<Number>(size, 2);
  x.requires_grad_();
  return x;
}

/// What index_add makes of a copy of x on the device.
AnyTensor index_added(const AnyTensor& x, index_t axis, const AnyTensor& index, const AnyTensor& from) {
  const AnyTensor out = x.copied();
  Mirror device;
  Workspace workspace;
  const DeviceView views[] = {device.of(out), device.of(index), device.of(from)};
  tt::gpu::index_add(views[0], axis, views[1], views[2], workspace, default_stream());
  device.copy_to(out, 0);
  return out;
}
/// What add_by_positions makes of a copy of x on the device; positions are the device's.
AnyTensor added(const AnyTensor& x, const index_t* to, const AnyTensor& from, const index_t* which, index_t count) {
  const AnyTensor out = x.copied();
  Mirror device;
  Workspace workspace;
  const DeviceView views[] = {device.of(out), device.of(from)};
  tt::gpu::add_by_positions({views[0].data, x.dtype(), x.numel()}, to, views[1].data, which, count, x.dtype(),
                            workspace, default_stream());
  device.copy_to(out, 0);
  return out;
}
/// Element i of the indices goes to place value[i].
AnyTensor added_at(const AnyTensor& x, const std::vector<index_t>& place, const AnyTensor& from) {
  const DeviceArray<index_t> to(place);
  return added(x, to.data(), from, nullptr, index_t(place.size()));
}

/// One in three goes to place 2 of `places`, the others anywhere.
std::vector<index_t> uneven(index_t count, index_t places) {
  std::vector<index_t> at;
  for (index_t i = 0; i < count; ++i) at.push_back(i % 3 == 0 ? 2 : number<index_t>(i, 0, double(places), 11));
  return at;
}

}  // namespace

TEMPLATE_TEST_CASE("the gradient of index_select, along every axis", "[cuda]", float, double, tt::half, tt::bfloat16,
                   std::complex<float>, std::complex<double>) {
  using Number = TestType;
  if (small_sizes_only && !std::is_same_v<Number, tt::half>) return;
  in_every_order([] {
    for (const index_t n : {0, 1, 31, 60}) {
      if (small_sizes_only && n != 31) continue;
      const dims size{3, 5, 4};
      for (int axis = small_sizes_only ? 1 : 0; axis < (small_sizes_only ? 2 : 3); ++axis) {
        const auto x = leaf_of<Number>(size);
        const AnyTensor before = tt::zeros(x.dtype(), size), index = indices({n}, size[axis]);
        dims taken = size;
        taken[axis] = n;
        const auto seed = cube<Number>(taken, 4);
        const tt::Tensor<std::int64_t, tt::Shape<dyn>> at(index);
        tt::backward(tt::index_select(x, axis, at), seed);
        CAPTURE(n, axis);
        REQUIRE(same_bits(index_added(before, axis, scattered(index), seed), x.grad()));
      }
    }
  });
}

TEMPLATE_TEST_CASE("the gradient of gather, along every axis", "[cuda]", float, tt::half, std::complex<double>) {
  using Number = TestType;
  if (small_sizes_only && !std::is_same_v<Number, float>) return;
  in_every_order([] {
    const dims size{3, 5, 4}, taken{2, 5, 3};
    for (int axis = small_sizes_only ? 2 : 0; axis < 3; ++axis) {
      const auto x = leaf_of<Number>(size);
      const AnyTensor before = tt::zeros(x.dtype(), size), index = indices(taken, size[axis]);
      const auto seed = cube<Number>(taken, 4);
      tt::backward(tt::gather(x, axis, tt::Tensor<std::int64_t, Cube>(index)), seed);

      Mirror device;
      const DeviceView view = device.of(scattered(index));
      const DeviceArray<index_t> to(std::vector<index_t>(std::size_t(taken.count())));
      tt::gpu::gather_positions(size, axis, view, to.data(), default_stream());
      REQUIRE(same_bits(added(before, to.data(), seed, nullptr, taken.count()), x.grad()));
    }
  });
}

TEST_CASE("the gradient of embedding: an index of any shape", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const AnyTensor weight = filled(dtype::float32, {6, 5}), index = scattered(indices({3, 4}, 6));
    const AnyTensor gradient = filled(dtype::float32, {3, 4, 5});
    const AnyTensor flat = index_of({12}, values<std::int64_t>(index)), rows = filled(dtype::float32, {12, 5});
    REQUIRE(same_bits(index_added(weight, 0, index, gradient), index_added(weight, 0, flat, rows)));
    const AnyTensor one = index_of({}, {4}), row = filled(dtype::float32, {5});
    const AnyTensor one_row = row.with_layout({1, 5}, weight.strides(), 0), want = index_added(weight, 0, one, row);
    REQUIRE(same_bits(index_added(weight, 0, index_of({1}, {4}), one_row), want));
    REQUIRE(same_bits(index_added(weight, 0, one, one_row), want));
  });
}

TEST_CASE("no axes, no entries, no columns", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const AnyTensor scalar = filled(dtype::float64, {}), one = filled(dtype::float64, {1});
    REQUIRE(values(index_added(scalar, 0, index_of({1}, {0}), scalar)).front() == 2 * values(scalar).front());
    REQUIRE(values(index_added(scalar, 0, index_of({}, {0}), scalar)).front() == 2 * values(scalar).front());
    REQUIRE(values(index_added(one, 0, index_of({}, {0}), scalar)).front() == 2 * values(scalar).front());
    const AnyTensor x = filled(dtype::float64, {3, 2}), flat = filled(dtype::float64, {3, 0});
    REQUIRE(same_bits(index_added(x, 0, index_of({0}, {}), filled(dtype::float64, {0, 2})), x));
    REQUIRE(same_bits(index_added(flat, 0, index_of({2}, {0, 1}), filled(dtype::float64, {2, 0})), flat));
    REQUIRE(same_bits(added_at(x, {-1, 7, -5}, filled(dtype::float64, {3})), x));  // no places of x
  });
}

TEMPLATE_TEST_CASE("thousands onto one row: 16-bit sums do not stand still", "[cuda]", tt::half, tt::bfloat16) {
  if (small_sizes_only) return;
  in_every_order([] {
    const index_t n = 5000;
    const AnyTensor from = filled(tt::dtype_of<TestType>, {n, 3}, 1, 1);
    const AnyTensor x = filled(tt::dtype_of<TestType>, {2, 3}, 0, 0);
    const auto got = values(index_added(x, 0, index_of({n}, std::vector<std::int64_t>(std::size_t(n), 1)), from));
    const double want = double(TestType(float(n)));
    REQUIRE(got == std::vector<double>{0, 0, 0, want, want, want});
  });
}

TEMPLATE_TEST_CASE("long runs beside short ones: values, and the same bits in every order", "[cuda]", float,
                   std::complex<float>) {
  constexpr dtype type = tt::dtype_of<TestType>;
  if (small_sizes_only && tt::is_complex(type)) return;
  std::optional<AnyTensor> first;
  in_every_order([&] {
    for (const index_t n : {64, 65, 128, 129, 200, 9000}) {
      if (small_sizes_only && n != 200) continue;
      const AnyTensor from = filled(type, {n}), x = filled(type, {5});
      const auto place = uneven(n, 5);
      const AnyTensor got = added_at(x, place, from);
      std::vector<std::complex<double>> want = values<std::complex<double>>(x);
      const auto terms = values<std::complex<double>>(from);
      for (std::size_t i = 0; i < place.size(); ++i) want[std::size_t(place[i])] += terms[i];
      const auto sums = values<std::complex<double>>(got);
      for (std::size_t i = 0; i < 5; ++i) REQUIRE(std::abs(sums[i] - want[i]) < 1e-6 * double(n + 10));
    }
    if (small_sizes_only) return;
    const AnyTensor got = added_at(filled(type, {5}), uneven(300, 5), filled(type, {300}));
    if (first) REQUIRE(same_bits(got, *first));
    first = got;
  });
}

TEST_CASE("the bits of a sum do not depend on what else is added", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const index_t n = 3000;
    const AnyTensor terms = filled(dtype::float32, {n}), both = filled(dtype::float32, {2 * n});
    std::vector<index_t> place;
    for (index_t i = 0; i < n; ++i) {
      reinterpret_cast<float*>(both.data_ptr())[2 * i] = reinterpret_cast<const float*>(terms.data_ptr())[i];
      place.insert(place.end(), {3, number<index_t>(i, 0, 3, 9)});
    }
    const AnyTensor x = filled(dtype::float32, {5});
    const std::vector<index_t> alone(std::size_t(n), 3);
    REQUIRE(values(added_at(x, place, both))[3] == values(added_at(x, alone, terms))[3]);
  });
}

TEST_CASE("parts of a run", "[cuda]") {
  using tt::gpu::detail::part_count, tt::gpu::detail::part_length;
  CHECK(part_count(64) == 0);
  CHECK(part_count(65) == 2);
  CHECK(part_length(4096) == 64);
  CHECK(part_length(1 << 20) == 1 << 10);
  for (index_t run = 65; run < 100000; run += 97) {
    const index_t parts = part_count(run), length = part_length(run);
    REQUIRE(parts * length >= run);
    REQUIRE((parts - 1) * length < run);
    REQUIRE(parts <= run / 32);  // what the workspace has room for
    REQUIRE(parts <= 2 * length);
  }
}

TEST_CASE("integers wrap, bools are or-ed", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const auto whole = [](dtype type, std::vector<std::int64_t> v) {
      return tt::detail::copied_as(index_of({index_t(v.size())}, v), type);
    };
    REQUIRE(values(added_at(whole(dtype::uint8, {250, 1}), {0, 0, 1}, whole(dtype::uint8, {4, 5, 6}))) ==
            std::vector<double>{3, 7});
    REQUIRE(values(added_at(whole(dtype::int8, {127}), {0}, whole(dtype::int8, {1}))) == std::vector<double>{-128});
    REQUIRE(values(added_at(whole(dtype::boolean, {0, 1, 0}), {0, 0, 1}, whole(dtype::boolean, {1, 1, 1}))) ==
            std::vector<double>{1, 1, 0});
    for (const dtype type : {dtype::int16, dtype::int32, dtype::int64})
      REQUIRE(values(added_at(whole(type, {-5, 9}), {1, 1, 0}, whole(type, {-7, 1, 2}))) == std::vector<double>{-3, 3});
  });
}

TEST_CASE("sums with positions on both sides", "[cuda]") {
  if (small_sizes_only) return;
  in_every_order([] {
    const AnyTensor x = filled(dtype::float32, {4}, 0, 0), from = filled(dtype::float32, {3});
    const DeviceArray<index_t> to(std::vector<index_t>{3, 0, 3, 2}), which(std::vector<index_t>{2, 2, 0, 1});
    const auto v = values(from);
    REQUIRE(values(added(x, to.data(), from, which.data(), 4)) ==
            std::vector<double>{v[2], 0, v[1], double(float(v[2]) + float(v[0]))});
  });
}

TEST_CASE("rows at an index outside are left out, and it is found", "[cuda]") {
  in_every_order([] {
    const AnyTensor x = filled(dtype::float32, {3, 2}), from = filled(dtype::float32, {4, 2});
    const AnyTensor got = index_added(x, 0, index_of({4}, {0, 3, 2, -1}), from);
    const auto fault = tt::gpu::take_index_fault(default_stream());
    REQUIRE(fault);
    CHECK(fault->index == 3);
    CHECK(fault->position == 1);
    CHECK(fault->extent == 3);
    CHECK(std::string(fault->op) == "index_add");
    const auto a = values<float>(x), b = values<float>(from);
    REQUIRE(values<float>(got) == std::vector<float>{a[0] + b[0], a[1] + b[1], a[2], a[3], a[4] + b[4], a[5] + b[5]});
  });
}

TEST_CASE("fewer threads than parts, runs and columns", "[cuda]") {
  using namespace tt::gpu::detail;
  in_every_order([] {
    const index_t n = small_sizes_only ? 150 : 700, columns = 3;
    const AnyTensor from = filled(dtype::float32, {n, columns}), x = filled(dtype::float32, {4, columns});
    const auto at = uneven(n, 4);
    const AnyTensor want = index_added(x, 0, index_of({n}, at), from), out = x.copied();
    Mirror device;
    Workspace workspace;
    const auto stream = default_stream();
    const DeviceView views[] = {device.of(out), device.of(from)};
    const DeviceArray<index_t> position(at);
    using Index = std::uint64_t;
    const auto sorted = sort_places<Index>(position.data(), n, 4, workspace, stream);
    auto* const start = device_memory<Index>(workspace, n);
    auto* const count = device_memory<Index>(workspace, 1);
    auto* const parts = device_memory<Index>(workspace, n + 1);
    auto* const first_part = device_memory<Index>(workspace, n + 1);
    auto* const sums = device_memory<float>(workspace, n / 32 * columns);
    tt::gpu::run_starts(sorted.place, start, count, n, workspace, stream);
    const Runs<Index> runs{sorted, start, count, first_part};
    const SumRows rows{columns, columns, 0, 0, nullptr};
    const auto* source = static_cast<const float*>(views[1].data);
    tt::gpu::launch(part_kernel<Index>, 1, 32, 0, nullptr, runs, parts);
    tt::gpu::exclusive_scan(parts, first_part, n + 1, workspace, stream);
    tt::gpu::launch(sum_parts<float, Index>, dim3(2, 1), dim3(2, 2), 0, nullptr, runs, rows, source, sums);
    tt::gpu::launch(sum_runs<float, Index>, dim3(1, 1), dim3(2, 1), 0, nullptr, runs, rows, source, sums,
                    static_cast<float*>(views[0].data));
    device.copy_to(out, 0);
    REQUIRE(same_bits(out, want));
  });
}

TEST_CASE("a grid has its threads along columns first", "[cuda]") {
  using tt::gpu::detail::SumGrid;
  const auto shape = [](index_t rows, index_t columns) {
    const SumGrid grid(rows, columns);
    return std::vector<unsigned>{grid.blocks.x, grid.blocks.y, grid.threads.x, grid.threads.y};
  };
  CHECK(shape(1000, 1) == std::vector<unsigned>{4, 1, 1, 256});
  CHECK(shape(1000, 100) == std::vector<unsigned>{500, 1, 128, 2});
  CHECK(shape(3, 1000) == std::vector<unsigned>{3, 4, 256, 1});
  CHECK(shape(1, 1) == std::vector<unsigned>{1, 1, 1, 1});
}

TEST_CASE("sums that do not fit are refused", "[cuda]") {
  const auto view = [](dtype type, const dims& size) { return DeviceView::packed(nullptr, type, size); };
  const DeviceView x = view(dtype::float32, {3, 4}), index = view(dtype::int64, {2});
  const auto stream = default_stream();
  Workspace workspace;
  using Catch::Contains;
  const auto add = [&](const DeviceView& at, const DeviceView& from) {
    tt::gpu::index_add(x, 0, at, from, workspace, stream);
  };
  CHECK_THROWS_WITH(add(index, view(dtype::float32, {3, 2})),
                    Contains("tt::index_add: what is added has extents [3, 2] instead of [2, 4]"));
  CHECK_THROWS_WITH(add(index, view(dtype::float64, {2, 4})),
                    Contains("tt::index_add: what is added is float64, the tensor float32"));
  CHECK_THROWS_WITH(add(view(dtype::int32, {2}), view(dtype::float32, {2, 4})),
                    Contains("tt::index_add: the index must be an integer tensor, not int32"));
  CHECK_THROWS_WITH(add(index, DeviceView{nullptr, dtype::float32, {2, 4}, {1, 2}}),
                    Contains("tt::index_add: the tensor and what is added must be contiguous"));
  const tt::gpu::Sums sums{nullptr, dtype::float32, 3};
  CHECK_THROWS_WITH(
      tt::gpu::add_by_positions(sums, nullptr, nullptr, nullptr, 2, dtype::float16, workspace, stream),
                    Contains("tt::gpu::add_by_positions: the sums are float32, what is added float16"));
}
