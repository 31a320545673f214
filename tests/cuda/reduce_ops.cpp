// Every op that reduces, over the dtypes that it takes, with numbers that are none, infinite or at the ends of a type.
#include "cuda/reduce_check.hpp"

#include <limits>

using tests::AxisSet;
using tests::check_reduce;
using tests::numbers;
using tt::dyn;
using tt::index_t;
using Matrix = tt::Shape<dyn, dyn>;

namespace {

template <class... Op>
struct Ops {};
using extremes = Ops<tt::ops::amax, tt::ops::amin>;
using truths = Ops<tt::ops::all, tt::ops::any>;

template <class... Op, class Stored>
void check_ops(Ops<Op...>, const tt::Tensor<Stored, Matrix>& x) {
  INFO(tt::name_of(tt::dtype_of<Stored>));
  for (const AxisSet axes : {1u, 2u, 3u}) {
    if (small_sizes_only && axes != 2) continue;
    (check_reduce<Op>(x, axes), ...);
  }
}

/// Rows of numbers of which some are none or infinite; the last three have nothing else.
template <class Stored>
tt::Tensor<Stored, Matrix> unusual() {
  const auto x = numbers<Stored, Matrix>({9, 41});
  const auto put = [&](index_t row, index_t column, double value) {
    x.data()[row * 41 + column] = tt::detail::converted<Stored>(value);
  };
  put(0, 7, NAN), put(1, 40, NAN), put(2, 0, NAN), put(2, 3, HUGE_VAL);
  put(3, 11, HUGE_VAL), put(4, 12, -HUGE_VAL), put(5, 2, HUGE_VAL), put(5, 30, -HUGE_VAL);
  for (index_t column = 0; column < 41; ++column) {
    put(6, column, HUGE_VAL), put(7, column, -HUGE_VAL), put(8, column, NAN);
  }
  return x;
}
/// Numbers of which most are 0, or most are not.
template <class Stored>
tt::Tensor<Stored, Matrix> sparse(bool zeros) {
  tt::Tensor<Stored, Matrix> x(tt::dims{6, 41});
  for (index_t i = 0; i < x.numel(); ++i) x.data()[i] = Stored((i % 97 == 5) == zeros ? 3 : 0);
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("sums of integers, which wrap, and of bools, which count", "[cuda]", bool, std::uint8_t, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t) {
  if (small_sizes_only && sizeof(TestType) != 8) return;
  in_every_order([] {
    check_ops(Ops<tt::ops::sum>(), numbers<TestType, Matrix>({6, 41}));
    const tt::Tensor<TestType, Matrix> large(tt::dims{6, 41});
    for (index_t i = 0; i < large.numel(); ++i) large.data()[i] = (std::numeric_limits<TestType>::max)();
    check_ops(Ops<tt::ops::sum>(), large);
  });
}

TEMPLATE_TEST_CASE("sums and means of floats", "[cuda]", float, double, tt::half, tt::bfloat16) {
  if (small_sizes_only && sizeof(TestType) != 2) return;
  in_every_order([] {
    check_ops(Ops<tt::ops::sum, tt::ops::mean>(), numbers<TestType, Matrix>({6, 541}));
    check_ops(Ops<tt::ops::sum, tt::ops::mean>(), unusual<TestType>());
  });
}

TEMPLATE_TEST_CASE("the largest and the smallest", "[cuda]", bool, std::uint8_t, std::int64_t, float, double, tt::half,
                   tt::bfloat16) {
  if (small_sizes_only && sizeof(TestType) != 4) return;
  in_every_order([] {
    check_ops(extremes(), numbers<TestType, Matrix>({6, 541}, -100, 100));
    check_ops(extremes(), unusual<TestType>());
    using limits = std::numeric_limits<TestType>;
    if constexpr (std::is_integral_v<TestType>) {
      for (const TestType end : {(limits::min)(), (limits::max)()}) {
        const tt::Tensor<TestType, Matrix> x(tt::dims{3, 41});
        for (index_t i = 0; i < x.numel(); ++i) x.data()[i] = end;
        check_ops(extremes(), x);
      }
    }
  });
}

TEMPLATE_TEST_CASE("whether all, or any, are not 0", "[cuda]", bool, std::uint8_t, std::int32_t, float) {
  if (small_sizes_only && !std::is_same_v<TestType, float>) return;
  in_every_order([] {
    check_ops(truths(), sparse<TestType>(false));
    check_ops(truths(), sparse<TestType>(true));
    check_ops(truths(), numbers<TestType, Matrix>({0, 5}));
    if constexpr (tt::is_floating(tt::dtype_of<TestType>)) check_ops(truths(), unusual<TestType>());
  });
}

TEMPLATE_TEST_CASE("complex numbers", "[cuda]", float, double) {
  if (small_sizes_only && sizeof(TestType) != 8) return;
  in_every_order([] {
    using Number = std::complex<TestType>;
    const tt::Tensor<Number, Matrix> z = tt::complex(numbers<TestType, Matrix>({6, 541}, 0, 3),
                                                     numbers<TestType, Matrix>({6, 541}, -3, 0, 2));
    for (const AxisSet axes : {1u, 2u, 3u}) {
      if (small_sizes_only && axes != 1) continue;
      const auto check = [&]<class Op>(Op) {
        tests::require_close(tests::reduced_on_device<Op>(z, axes), tests::reduced_on_host<Op>(z, axes),
                             tests::Close::approximate);
      };
      check(tt::ops::sum());
      check(tt::ops::mean());
    }
    const tt::Tensor<Number, Matrix> zeros = tt::complex(sparse<TestType>(false), sparse<TestType>(true));
    if constexpr (sizeof(TestType) == 4) check_ops(truths(), zeros);
  });
}

TEST_CASE("the largest of nothing as a shift is the least there is", "[cuda]") {
  in_every_order([] {
    check_reduce<tt::ops::shift_max>(numbers<float, Matrix>({3, 0}), 2);
    if (!small_sizes_only) check_reduce<tt::ops::shift_max>(unusual<float>(), 2);
  });
}
