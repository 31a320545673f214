// Reductions on the device: all sets of axes, every layout, sizes around those of a warp, a block and a chunk.
#include "cuda/reduce_check.hpp"

using tests::AxisSet;
using tests::check_fused;
using tests::check_reduce;
using tests::numbers;
using tests::reduced_on_device;
using tt::dyn;
using tt::index_t;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;
using Four = tt::Shape<dyn, dyn, dyn, dyn>;

namespace {

using sum = tt::ops::sum;
using mean = tt::ops::mean;
using amax = tt::ops::amax;

template <class Op, class Number, class ShapeType>
void check_all_axes(const tt::dims& size) {
  const auto x = numbers<Number, ShapeType>(size);
  for (AxisSet axes = 0; axes <= tt::detail::all_axes(size.rank); ++axes) {
    if (small_sizes_only && axes % 5 != 2) continue;
    check_reduce<Op>(x, axes);
  }
}

/// Lengths of rows: of less than a packet, around packets, a warp's and a block's.
std::vector<index_t> lengths() {
  if (small_sizes_only) return {33, 1030};
  return {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2047, 2049, 9001};
}

}  // namespace

TEMPLATE_TEST_CASE("every set of axes of every rank", "[cuda]", float, std::int64_t) {
  if (small_sizes_only && sizeof(TestType) != 8) return;
  in_every_order([] {
    check_all_axes<sum, TestType, tt::Shape<>>({});
    check_all_axes<sum, TestType, Vector>({19});
    check_all_axes<sum, TestType, Matrix>({7, 19});
    check_all_axes<sum, TestType, Cube>({5, 3, 9});
    check_all_axes<sum, TestType, Four>({3, 1, 5, 8});
    check_all_axes<sum, TestType, Four>({2, 17, 3, 2});
  });
}

TEMPLATE_TEST_CASE("rows and columns of every length", "[cuda]", float, std::int64_t) {
  if (small_sizes_only && sizeof(TestType) != 4) return;
  in_every_order([] {
    for (const index_t n : lengths()) {
      if (!small_sizes_only) check_reduce<sum>(numbers<TestType, Vector>({n}), 1);
      check_reduce<sum>(numbers<TestType, Matrix>({3, n}), 2);
      check_reduce<sum>(numbers<TestType, Matrix>({n, 3}), 1);
      if (!small_sizes_only) check_reduce<sum>(numbers<TestType, Matrix>({n, 37}), 1);
      if (!small_sizes_only) check_reduce<sum>(numbers<TestType, Matrix>({67, n}), 2);
    }
  });
}

TEST_CASE("the sum of nothing is 0, the mean of nothing is no number", "[cuda]") {
  in_every_order([] {
    for (const AxisSet axes : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
      if (small_sizes_only && axes != 1) continue;
      check_reduce<sum>(numbers<float, Cube>({0, 5, 3}), axes);
      check_reduce<mean>(numbers<float, Cube>({4, 0, 3}), axes);
      check_reduce<mean>(numbers<float, Cube>({4, 5, 0}), axes);
    }
  });
}

TEST_CASE("few results of many elements, by chunks", "[cuda]") {
  in_every_order([] {
    const auto check_chunks = [](const tt::dims& size, AxisSet axes) {
      const auto x = numbers<float, Matrix>(size);
      check_reduce<sum>(x, axes);
      check_reduce<amax>(x, axes);
    };
    check_chunks({1, 40001}, 2);
    if (small_sizes_only) return;
    check_chunks({3, 40000}, 2);
    check_chunks({9001, 3}, 1);
    check_chunks({9001, 33}, 1);
    check_chunks({300, 1000}, 3);
  });
}

TEST_CASE("what is shared out follows from the shape", "[cuda]") {
  using tt::gpu::detail::plan_reduction;
  for (const index_t outputs : {1, 2, 31, 33, 1000, 100000}) {
    for (const index_t length : {0, 1, 7, 100, 1024, 1025, 30000, 1000000, 100000000}) {
      for (const bool rows : {false, true}) {
        const auto plan = plan_reduction(outputs, length, rows, 8);
        const index_t once = plan.lanes * 8;
        CHECK(std::has_single_bit(std::uint64_t(plan.lanes)));
        CHECK(plan.lanes <= tt::gpu::reduce_threads);
        CHECK(plan.chunk % once == 0);
        CHECK(plan.chunk * plan.chunks >= length);
        CHECK((plan.chunks == 1 || plan.chunk * (plan.chunks - 1) < length));
        CHECK((plan.chunks == 1 || plan.chunk >= 4 * once));
        CHECK(plan.chunks <= tt::gpu::detail::busy_blocks);
      }
    }
  }
  CHECK(plan_reduction(1, 10000000, true, 8).chunks > 500);
  CHECK(plan_reduction(1000, 1000, true, 8).chunks == 1);
  CHECK(plan_reduction(10, 1000000, false, 8).chunks > 500);
}

TEST_CASE("every layout gives the same bits", "[cuda]") {
  in_every_order([] {
    const auto check_layouts = [](const auto& x) {
      const int rank = x.sizes().rank;
      const tt::Tensor gaps = tests::scattered(x);
      for (AxisSet axes = 0; axes <= tt::detail::all_axes(rank); ++axes) {
        if (small_sizes_only && axes != 2) continue;
        CHECK(tests::same_bits(check_reduce<sum>(gaps, axes), reduced_on_device<sum>(x, axes, {1, 1000})));
      }
    };
    check_layouts(numbers<float, Matrix>({41, 300}, -1e3, 1e3));
    if (small_sizes_only) return;
    check_layouts(numbers<float, Matrix>({2000, 3}, -1e3, 1e3));
    check_layouts(numbers<float, Matrix>({3, 2000}, -1e3, 1e3));
    check_layouts(numbers<float, Cube>({5, 67, 9}, -1e3, 1e3));
    check_layouts(numbers<float, Matrix>({2, 40000}, -1e3, 1e3));
  });
}

TEST_CASE("transposed, broadcast, flipped and misaligned leaves", "[cuda]") {
  in_every_order([] {
    const auto x = numbers<float, Matrix>({33, 70});
    const tt::Tensor turned = tt::transpose(x);
    const tt::Tensor stepped = tt::slice<1>(tt::slice<0>(numbers<float, Matrix>({66, 211}), 1, 66, 2), 1, 211, 3);
    check_reduce<sum>(turned, 1);
    check_reduce<sum>(turned, 2);
    if (!small_sizes_only) {
      for (const AxisSet axes : {1u, 2u, 3u}) {
        check_reduce<sum>(stepped, axes);
        check_reduce<sum>(tt::Tensor(tt::expand(numbers<float, tt::Shape<dyn, 1>>({20, 1}), {20, 70})), axes);
        check_reduce<sum>(tt::Tensor(tt::expand(numbers<float, Vector>({70}), {20, 70})), axes);
        for (const index_t at : {1, 2, 4}) {
          check_reduce<sum>(tt::Tensor(tt::slice<1>(x, at, 64)), axes);
          check_reduce<sum>(tt::Tensor(tt::slice<1>(numbers<float, Matrix>({33, 64 + at}), at, 64 + at)), axes);
        }
      }
    }
    const index_t n = 300;
    const auto forward = numbers<float, Vector>({n});
    const tests::OnDevice memory(forward);
    tt::Strided leaf{memory.data() + (n - 1) * index_t(sizeof(float)), tt::dtype::float32, false, {-1}};
    const auto got = tt::Tensor<float, tt::Shape<>>(tt::dims{});
    const tests::OnDevice out(got);
    tt::Region region{{n}, 1, &leaf, {out.data(), tt::dtype::float32, false, {0}}, nullptr};
    tests::Workspaces workspace;
    tt::gpu::reduce<sum, tt::prog::copy, float>(region, 0, 1, 1, workspace);
    out.copy_to(got);
    CHECK(got.item() == Approx(tt::eval(tt::sum(forward)).item()).margin(1e-4));
  });
}

TEST_CASE("expressions are computed as they are joined", "[cuda]") {
  in_every_order([] {
    const auto a = numbers<float, Matrix>({9, 300}), b = numbers<float, Matrix>({9, 300}, -3, 3, 2);
    const auto row = numbers<float, Vector>({300}, -3, 3, 3);
    if (small_sizes_only) check_fused<sum>(a * row + 1, 1);
    if (small_sizes_only) return;
    for (const AxisSet axes : {1u, 2u, 3u}) {
      check_fused<sum>(a * b, axes);
      check_fused<mean>(tt::exp(a), axes);
      check_fused<sum>(a * row + 1, axes);
      check_fused<amax>(tt::abs(a) - 2, axes);
    }
    check_fused<sum>(tt::Tensor(tests::scattered(a)) * tt::Tensor(tt::transpose(numbers<float, Matrix>({300, 9}))), 1);
  });
}

TEST_CASE("indices and offsets of 64 bits", "[cuda]") {
  in_every_order([] {
    // What needs them is too large for a test, so the kernel is chosen by hand.
    const auto x = numbers<float, Matrix>({5, 37});
    const tests::OnDevice memory(x);
    for (const AxisSet axes : {1u, 2u}) {
      const tt::AnyTensor want = reduced_on_device<sum>(x, axes);
      const tt::AnyTensor got = tests::unset(tt::dtype::float32, want.sizes(), 0);
      const tests::OnDevice out(got);
      tt::Strided leaf{memory.data(), tt::dtype::float32, false, {37, 1}};
      tt::Region region{{5, 37}, 1, &leaf, {out.data(), tt::dtype::float32, false, {}}, nullptr};
      const index_t count = tt::detail::reduced_strides(region.out.stride, region.size, axes);
      const auto plan = tt::gpu::detail::plan_reduction(count, 5 * 37 / count, axes == 2, 8);
      const tt::gpu::ValueJoin<sum, float> join;
      tests::Workspaces workspace;
      tt::gpu::detail::run_reduction<tt::prog::copy, std::uint64_t>(region, 0, plan, join, workspace,
                                                                    tests::few_blocks);
      out.copy_to(got);
      CHECK(tests::same_bits(got, want));
    }
  });
}

TEST_CASE("sums of many floats are as good as the CPU's", "[cuda]") {
  if (small_sizes_only) return;
  const auto x = numbers<float, Vector>({1000003}, 0, 1);
  double want = 0;
  for (index_t i = 0; i < x.numel(); ++i) want += double(x.data()[i]);
  const double got = tests::values(reduced_on_device<sum>(x, 1))[0];
  CHECK(std::abs(got - want) <= 1e-7 * want);
}
