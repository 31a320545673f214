// Every elementwise op on the device gives what it gives on the CPU, also where its domain ends.
#include "cuda/map_check.hpp"
#include "op_families.hpp"

#include <limits>

using tests::check;
using tests::Close;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Column = tt::Shape<dyn, 1>;

namespace {

/// Where formulas differ if they do.
template <class Number>
std::vector<Number> special() {
  using limits = std::numeric_limits<Number>;
  if constexpr (std::is_integral_v<Number>) {
    const Number least = (limits::min)();
    return {0, 1, -1, 2, -2, 3, -7, 62, 63, 64, (Number(1) << 53) + 1, least, least + 1, (limits::max)()};
  } else {
    std::vector<Number> values{(limits::min)(), limits::denorm_min(), (limits::max)(), limits::infinity(),
                               -limits::infinity(), limits::quiet_NaN()};
    for (const double x : {0., -0., 1., -1., 0.5, -0.5, 1.5, 2.5, -2.5, 3., 88.5, -100., 1e10, -1e30}) {
      values.push_back(Number(x));
    }
    return values;
  }
}
template <class Number, class ShapeType>
tt::Tensor<Number, ShapeType> specials(bool zero) {
  std::vector<Number> values;
  for (const Number x : special<Number>())
    if (zero || x != Number(0)) values.push_back(x);
  tt::dims size{tt::index_t(values.size())};
  if (ShapeType::rank == 2) size.push_back(1);
  tt::Tensor<Number, ShapeType> t(size);
  std::copy(values.begin(), values.end(), t.data());
  return t;
}

template <class Op, class Number>
void check_op() {
  INFO(Op::name << " of " << tt::name_of(tt::dtype_of<Number>));
  const Close how = tests::approximate<Op> ? Close::approximate : Close::exact_on_host;
  const auto operand = [](int k) { return tests::operand_of<Op, Number, Vector>({37}, k); };
  check(tests::call<Op>(operand(0), operand(1), operand(2)), how);
  const bool zero = !(std::is_integral_v<Number> && tests::divides<Op>);
  const auto all = specials<Number, Vector>(true);
  const auto column = specials<Number, Column>(true);
  if constexpr (tests::arity<Op> == 1) check(tests::call<Op>(all, all, all), how);
  else check(tests::call<Op>(column, specials<Number, Vector>(zero), column), how);
}

}  // namespace

TEST_CASE("every op of float", "[cuda]") {
  tests::for_each_map_op([]<class Op>(Op) { check_op<Op, float>(); });
}

TEST_CASE("every op of int64 that keeps integers", "[cuda]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (tests::keeps_integers<Op>) check_op<Op, std::int64_t>();
  });
}

TEST_CASE("ops of double", "[cuda]") {
  check_op<tt::ops::tanh, double>();
  check_op<tt::ops::exp, double>();
  check_op<tt::ops::pow, double>();
  check_op<tt::ops::floor_divide, double>();
  check_op<tt::ops::round, double>();
}

TEST_CASE("ops of bits", "[cuda]") {
  const auto x = specials<std::int64_t, Column>(true);
  const auto y = specials<std::int64_t, Vector>(true);
  check(x & y);
  check(x | y);
  check(x ^ ~y);
  const auto a = tests::numbers<bool, Vector>({9}), b = tests::numbers<bool, Vector>({9}, -3, 3, 2);
  check((a & b) | (a ^ b));
}
