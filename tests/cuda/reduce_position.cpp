// argmax and argmin on the device, and the derivative of amax and amin, against the CPU's.
#include "cuda/reduce_check.hpp"

#include <tt/cuda/reduce_extreme.hpp>
#include <tt/cuda/reduce_position.hpp>

#include <limits>

using tests::AxisSet;
using tests::numbers;
using tt::dyn;
using tt::index_t;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;
using argmax = tt::ops::argmax;
using argmin = tt::ops::argmin;

namespace {

template <class Op, class Stored>
void check_position(const tt::AnyTensor& x, AxisSet axes) {
  CAPTURE(axes, x.numel(), tt::name_of(x.dtype()));
  const auto kernel = tt::backend<tt::cpu>::arg<Op, tt::dtype_of<Stored>>();
  const tt::AnyTensor want = tt::detail::run_arg(kernel, x, axes, false);
  const tt::AnyTensor got = tests::unset(tt::dtype::int64, want.sizes(), 0);
  const tests::OnDevice in(x), out(got);
  tt::Strided leaf{};
  tt::detail::lower_tensor(leaf, x, tt::detail::Space{x.sizes()});
  leaf.data = in.data();
  tt::Region region{x.sizes(), 1, &leaf, {out.data(), tt::dtype::int64, false, {}}, nullptr};
  const index_t count = tt::detail::reduced_strides(region.out.stride, region.size, axes);
  tests::Workspaces workspace;
  tt::gpu::reduce_position<Op, Stored>(region, count, workspace, tests::few_blocks);
  out.copy_to(got);
  tests::require_equal(got, want);
}
/// Over each axis, and over all.
template <class Stored, class ShapeType>
void check_positions(const tt::Tensor<Stored, ShapeType>& x) {
  for (const tt::AnyTensor& t : {tt::AnyTensor(x), tests::scattered(static_cast<const tt::AnyTensor&>(x))}) {
    for (int axis = 0; axis <= t.rank(); ++axis) {
      const AxisSet axes = axis < t.rank() ? AxisSet(1) << axis : tt::detail::all_axes(t.rank());
      if (small_sizes_only && axes != 2) continue;
      check_position<argmax, Stored>(t, axes);
      check_position<argmin, Stored>(t, axes);
    }
  }
}

/// Few different numbers, so that most are met more than once.
template <class Stored, class ShapeType>
tt::Tensor<Stored, ShapeType> with_ties(const tt::dims& size, std::uint64_t seed = 1) {
  const tt::Tensor<Stored, ShapeType> x(size);
  for (index_t i = 0; i < x.numel(); ++i) {
    x.data()[i] = tests::number<Stored>(tests::number<index_t>(i, 0, 5, seed), 0, 100);
  }
  return x;
}
/// NaN and infinities among them.
template <class Stored>
tt::Tensor<Stored, Matrix> unusual() {
  const auto x = with_ties<Stored, Matrix>({7, 40});
  const auto put = [&](index_t row, index_t column, double value) {
    x.data()[row * 40 + column] = tt::detail::converted<Stored>(value);
  };
  put(0, 39, NAN), put(1, 9, NAN), put(1, 8, NAN), put(1, 30, HUGE_VAL), put(2, 3, HUGE_VAL), put(2, 35, HUGE_VAL);
  put(3, 20, -HUGE_VAL), put(3, 21, -HUGE_VAL);
  for (index_t column = 0; column < 40; ++column) put(4, column, NAN), put(5, column, -HUGE_VAL);
  return x;
}

template <class Stored>
void check_shares(const tt::Tensor<Stored, Cube>& x, AxisSet axes, bool largest, bool gaps = false) {
  CAPTURE(axes, largest, gaps, x.numel());
  tt::detail::ExtremeNode node{};
  node.type = x.dtype();
  node.axes = axes;
  node.input_values = x;
  if (gaps) node.input_values = tests::scattered(node.input_values);
  node.output_values = tests::reduced_on_host<tt::ops::amax>(x, axes);
  if (!largest) node.output_values = tests::reduced_on_host<tt::ops::amin>(x, axes);
  const auto g = numbers<Stored, Vector>({node.output_values.numel()}, -3, 3, 8);
  const auto got = numbers<Stored, Cube>(x.sizes(), -3, 3, 9), want = numbers<Stored, Cube>(x.sizes(), -3, 3, 9);
  node.share(want.data_ptr(), g.data_ptr());

  const tests::OnDevice in(node.input_values), extreme(node.output_values), gradient(g), to(got);
  tt::Strided leaf{};
  tt::detail::lower_tensor(leaf, node.input_values, tt::detail::Space{x.sizes()});
  leaf.data = in.data();
  tests::Workspaces workspace;
  tt::gpu::share_extreme(leaf, x.sizes(), axes, extreme.data(), gradient.data(), to.data(), workspace,
                         tests::few_blocks);
  to.copy_to(got);
  tests::require_close(got, want, tests::Close::approximate);
  if (simulated) CHECK(tests::same_bits(static_cast<const tt::AnyTensor&>(got), want));
}

}  // namespace

TEMPLATE_TEST_CASE("positions along each axis", "[cuda]", std::uint8_t, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double, tt::half, tt::bfloat16) {
  if (small_sizes_only && !std::is_same_v<TestType, tt::half>) return;
  in_every_order([] {
    check_positions(numbers<TestType, Matrix>({5, 70}, 0, 120));
    check_positions(with_ties<TestType, Matrix>({5, 70}));
    if (!small_sizes_only) check_positions(with_ties<TestType, Cube>({3, 50, 4}));
  });
}

TEST_CASE("positions of numbers at the ends of 64 bits", "[cuda]") {
  if (small_sizes_only) return;
  tt::Tensor<std::uint64_t, Matrix> x(tt::dims{2, 20});
  tt::Tensor<std::int64_t, Matrix> y(tt::dims{2, 20});
  for (index_t i = 0; i < 40; ++i) {
    x.data()[i] = (i % 7 == 3) ? ~std::uint64_t(0) - std::uint64_t(i == 10) : std::uint64_t(1) << 63;
    y.data()[i] = (i % 7 == 3) ? INT64_MIN + (i == 3) : (i % 7 == 5) ? INT64_MAX - (i == 5) : 0;
  }
  check_positions(x);
  check_positions(y);
}

TEMPLATE_TEST_CASE("a NaN is best, the first of equals is taken", "[cuda]", float, double, tt::half) {
  if (small_sizes_only && sizeof(TestType) != 8) return;
  in_every_order([] { check_positions(unusual<TestType>()); });
}

TEST_CASE("positions in rows of every length, by chunks too", "[cuda]") {
  in_every_order([] {
    for (const index_t n : {1, 7, 8, 9, 33, 255, 1025, 9000, 33001}) {
      if (small_sizes_only && n != 33001) continue;
      for (const bool ties : {false, true}) {
        if (small_sizes_only && !ties) continue;
        const auto x = ties ? with_ties<float, Vector>({n}) : numbers<float, Vector>({n});
        check_position<argmax, float>(x, 1);
        check_position<argmin, float>(x, 1);
      }
    }
  });
}

TEMPLATE_TEST_CASE("elements that reach an extremum share its gradient", "[cuda]", float, double, tt::half,
                   tt::bfloat16) {
  if (small_sizes_only && sizeof(TestType) != 4) return;
  in_every_order([] {
    for (const AxisSet axes : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
      if (small_sizes_only && axes != 6) continue;
      const auto x = with_ties<TestType, Cube>({4, 5, 30});
      check_shares(x, axes, true, true);
      if (small_sizes_only) continue;
      check_shares(x, axes, false);
      check_shares(tt::Tensor<TestType, Cube>(tt::reshape<1, 7, 40>(unusual<TestType>())), axes, true);
      check_shares(tt::Tensor<TestType, Cube>(tt::reshape<7, 1, 40>(unusual<TestType>())), axes, false);
    }
    if (!small_sizes_only) check_shares(with_ties<TestType, Cube>({1, 1, 33000}), 4, true);
  });
}

TEST_CASE("nothing has no extremum to share", "[cuda]") {
  const tests::OnDevice none(numbers<float, Vector>({1}));
  tests::Workspaces workspace;
  const tt::Strided leaf{none.data(), tt::dtype::float32, false, {0, 1}};
  tt::gpu::share_extreme(leaf, {0, 3}, 2, none.data(), none.data(), none.data(), workspace);
  CHECK(workspace.given.empty());
}
