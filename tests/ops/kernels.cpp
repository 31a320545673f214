// One formula, two readings: each op's vector kernel gives what its formula gives number by number, at every length.
#include "../catch.hpp"
#include "../op_families.hpp"

#include <cmath>

using tt::dyn;
using Vector = tt::Shape<dyn>;

namespace {

/// Lengths around packets, packed rows, cut rows and parallel chunks.
template <class Number>
std::vector<tt::index_t> lengths() {
  constexpr tt::index_t width = tt::cpu_kernels::simd<Number>::width;
  return {0, 1, 2, width - 1, width, width + 1, 255, 256, 257, 16384 + 3, 100000};
}

template <class Number>
bool agree(Number got, Number want, bool approximate) {
  if (std::memcmp(&got, &want, sizeof got) == 0 || got == want) return true;
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(got) && std::isnan(want)) return true;
    return approximate && std::abs(got - want) <= 8 * std::numeric_limits<Number>::epsilon() * std::abs(want);
  }
  return false;
}

template <class Op, class Number>
void check_kernel() {
  for (tt::index_t n : lengths<Number>()) {
    INFO(Op::name << " of " << tt::name_of(tt::dtype_of<Number>) << ", " << n << " elements");
    const auto a = tests::operand_of<Op, Number, Vector>({n}, 0), b = tests::operand_of<Op, Number, Vector>({n}, 1),
               c = tests::operand_of<Op, Number, Vector>({n}, 2);
    const tt::Tensor y = tests::call<Op>(a, b, c);
    REQUIRE(y.numel() == n);
    tt::index_t wrong = 0;
    for (tt::index_t i = 0; i < n; ++i) {
      const Number want = tests::scalar_call<Op>(a(i), b(i), c(i));
      if constexpr (tests::compares<Op>) wrong += y(i) != (want != 0);
      else wrong += !agree(y(i), want, tests::approximate<Op>);
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("ops: the float kernel is the formula, at every length", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) { check_kernel<Op, float>(); });
}
TEST_CASE("ops: the double kernel is the formula, at every length", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) { check_kernel<Op, double>(); });
}
TEST_CASE("ops: the int64 kernel is the formula where integers stay integers", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (tests::keeps_integers<Op>) check_kernel<Op, std::int64_t>();
  });
}

// ---- the ends of the number line ----

namespace {

template <class Number>
std::vector<Number> special() {
  using limits = std::numeric_limits<Number>;
  if constexpr (std::is_integral_v<Number>) {
    return {0,
            1,
            -1,
            2,
            -2,
            3,
            7,
            63,
            64,
            limits::max(),
            limits::min(),
            limits::max() - 1,
            limits::min() + 1,
            std::int64_t(1) << 40};
  } else {
    return {0,
            -0.f,
            1,
            -1,
            2,
            -2,
            Number(0.5),
            Number(1e-30),
            limits::min(),
            limits::denorm_min(),
            -limits::denorm_min(),
            limits::max(),
            limits::lowest(),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN(),
            limits::epsilon(),
            Number(20),
            Number(-20),
            Number(88.5),
            Number(-88.5),
            Number(88.8),
            Number(-104),
            Number(709.5),
            Number(-87.5),
            Number(-95),
            Number(-103),
            Number(-708.5),
            Number(-720),
            Number(-744),
            Number(-746)};
  }
}

/// All pairs of special numbers, in one tensor, so that packets mix them.
template <class Op, class Number>
void check_special() {
  const auto x = special<Number>();
  const auto n = tt::index_t(x.size());
  const tt::Tensor<Number, tt::Shape<dyn, 1>> a({n, 1}, x);
  const tt::Tensor<Number, Vector> b({n}, x);
  if (std::is_integral_v<Number> && tests::divides<Op>) b(0) = 5;  // it was 0
  const tt::Tensor y = [&] {
    if constexpr (tests::arity<Op> == 1) return tt::eval(tt::map_of<Op>(a));
    else return tt::eval(tests::call<Op>(a, b, a));
  }();
  const tt::index_t columns = tests::arity<Op> == 1 ? 1 : n;
  for (tt::index_t i = 0; i < n; ++i)
    for (tt::index_t j = 0; j < columns; ++j) {
      const Number want = tests::scalar_call<Op>(a(i, 0), b(j), a(i, 0));
      const auto got = y(i, j);
      INFO(Op::name << " of " << a(i, 0) << " and " << b(j) << ": " << got << ", not " << want);
      if constexpr (tests::compares<Op>) CHECK(got == (want != 0));
      else CHECK(agree<Number>(got, want, tests::approximate<Op>));
    }
}

}  // namespace

TEST_CASE("ops: NaN, infinities, zeros and the smallest and largest numbers pass as in the formula", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    check_special<Op, float>();
    check_special<Op, double>();
    if constexpr (tests::keeps_integers<Op>) check_special<Op, std::int64_t>();
  });
}
