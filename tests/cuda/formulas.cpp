// The formula and the slopes of every elementwise op in a kernel, against the same on the host. Nothing of the CPU's
// kernels is included: with those, nvcc must be kept from reporting that formulas call functions that are not for
// devices, and such a call in a kernel would become nothing.
#ifdef __CUDACC__
#pragma nv_diag_suppress 821  // inline functions of core that layers above define
#endif
#include <tt/cuda/map.hpp>
#include <tt/cuda/sweep.hpp>
#include <tt/ops/activation.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/bitwise.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/complex.hpp>
#include <tt/ops/division.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/hyperbolic.hpp>
#include <tt/ops/logical.hpp>
#include <tt/ops/rounding.hpp>
#include <tt/ops/trigonometric.hpp>

#include "cuda/device_test.hpp"

#include <cmath>

namespace {

using tt::prog::copy;

template <class Op, class Number, class Leaf = copy>
auto program_of() {
  if constexpr (requires { Op::apply(Number(1)); }) return tt::prog::op<Op, Leaf>{};
  else if constexpr (requires { Op::apply(Number(1), Number(1)); }) return tt::prog::op<Op, Leaf, Leaf>{};
  else return tt::prog::op<Op, copy, Leaf, Leaf>{};  // where
}

template <class Number>
bool close(Number got, Number want) {
  if constexpr (tt::gpu::is_complex_number<Number>) return close(got.re, want.re) && close(got.im, want.im);
  else if constexpr (std::is_integral_v<Number>) return got == want;
  else if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  else return got == want || std::abs(got - want) <= (sizeof(Number) == 4 ? 4e-6 : 1e-13) * (1 + std::abs(want));
}

/// x, or x and 1 - x as parts.
template <class Number>
Number number(double x) {
  if constexpr (tt::gpu::is_complex_number<Number>) return {decltype(Number::re)(x), decltype(Number::re)(1 - x)};
  else return Number(x);
}

template <class Op, class Number>
void check_formula() {
  constexpr tt::dtype type = tt::gpu::stored_dtype<Number>;
  INFO(Op::name << " of " << tt::name_of(type));
  using program = decltype(program_of<Op, Number>());
  constexpr int leaves = program::leaves;
  std::vector<Number> numbers[3];
  for (int i = 0; i < 27; ++i) {  // all triples of three numbers each; no integer is divided by 0
    numbers[0].push_back(number<Number>(i % 3 * 1.5 - 2));
    numbers[1].push_back(number<Number>(i / 3 % 3 + 1));
    numbers[2].push_back(number<Number>(i / 9 - 7));
  }
  const DeviceArray<Number> a(numbers[0]), b(numbers[1]), c(numbers[2]), out(numbers[0]);
  const Number* data[] = {a.data(), b.data(), c.data()};
  tt::Strided leaf[leaves];
  for (int k = 0; k < leaves; ++k) {
    leaf[k] = {reinterpret_cast<std::byte*>(const_cast<Number*>(data[k])), type, false, {1}};
  }
  const tt::Strided to{reinterpret_cast<std::byte*>(out.data()), type, false, {1}};
  const tt::Region region{{27}, leaves, leaf, to, nullptr};
  tt::gpu::detail::map_by_elements<program, Number, std::uint32_t>(region, 0, {8, 2});
  const std::vector<Number> got = out.host();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Number value[] = {numbers[0][i], numbers[1][i], numbers[2][i]};
    const Number want = tt::gpu::Formula<program>::value(value);
    CAPTURE(i);
    REQUIRE(close(got[i], want));
  }
}

/// The gradients of one element of n, which arrive as the last of the operands.
template <class Program, class Number>
TT_HD void sweep_one(const Number* const* operand, Number* gradient, int i) {
  Number value[Program::leaves];
  for (int k = 0; k < Program::leaves; ++k) value[k] = operand[k][i];
  for (int k = 0; k < 3; ++k) gradient[k] = Number(0);
  tt::gpu::Sweep<Number, Program> sweep;
  sweep.forward(value);
  sweep.backward(operand[3][i], true, gradient);
}
template <class Number>
struct SweepOperands {
  const Number* operand[4];
};
template <class Program, class Number>
__global__ void sweep_all(SweepOperands<Number> from, Number* gradient, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sweep_one<Program>(from.operand, gradient + 3 * i, i);
}

template <class Op, class Number>
void check_slopes() {
  INFO(Op::name << " of " << tt::name_of(tt::gpu::stored_dtype<Number>));
  using program = decltype(program_of<Op, Number, tt::prog::leaf<true>>());
  std::vector<Number> numbers[4];
  for (int i = 0; i < 27; ++i) {
    numbers[0].push_back(number<Number>(i % 3 * 1.5 + 0.25));
    numbers[1].push_back(number<Number>(i / 3 % 3 + 0.5));
    numbers[2].push_back(number<Number>(i / 9 - 7));
    numbers[3].push_back(number<Number>(i % 5 - 2));
  }
  const DeviceArray<Number> a(numbers[0]), b(numbers[1]), c(numbers[2]), g(numbers[3]);
  const DeviceArray<Number> out(std::vector<Number>(81, Number(0)));
  using operands = SweepOperands<Number>;
  tt::gpu::launch(sweep_all<program, Number>, 2, 16, 0, nullptr, operands{{a.data(), b.data(), c.data(), g.data()}},
                  out.data(), 27);
  const std::vector<Number> got = out.host();
  for (int i = 0; i < 27; ++i) {
    Number want[3];
    const Number* host[] = {numbers[0].data(), numbers[1].data(), numbers[2].data(), numbers[3].data()};
    sweep_one<program>(host, want, i);
    for (int k = 0; k < program::leaves; ++k) {
      CAPTURE(i, k);
      REQUIRE(close(got[std::size_t(3 * i + k)], want[k]));
    }
  }
}

template <class Number, class... Lists>
void check_slopes_of(Lists... lists) {
  (tt::for_each_op(lists, []<class Op>(Op) { check_slopes<Op, Number>(); }), ...);
}
template <class Number, class... Lists>
void check_lists(Lists... lists) {
  (tt::for_each_op(lists, []<class Op>(Op) { check_formula<Op, Number>(); }), ...);
}

}  // namespace

TEMPLATE_TEST_CASE("formulas of floating numbers", "[cuda]", float, double) {
  using namespace tt::ops;
  check_lists<TestType>(arithmetic{}, exponential{}, hyperbolic{}, trigonometric{}, rounding{}, activation{},
                        comparison{}, selection{}, logical{}, division{});
}

TEST_CASE("formulas of integers", "[cuda]") {
  using namespace tt::ops;
  using numbers = tt::op_list<tt::ops::add, tt::ops::sub, tt::ops::mul, tt::ops::neg, tt::ops::abs, tt::ops::sign,
                              tt::ops::square, tt::ops::pow, tt::ops::minimum, tt::ops::maximum, tt::ops::relu>;
  check_lists<std::int64_t>(numbers{}, rounding{}, comparison{}, selection{}, logical{}, division{}, bitwise{});
}

TEMPLATE_TEST_CASE("formulas of complex numbers", "[cuda]", float, double) {
  using namespace tt::ops;
  using numbers = tt::op_list<tt::ops::add, tt::ops::sub, tt::ops::mul, tt::ops::div, tt::ops::neg, tt::ops::abs,
                              tt::ops::square, tt::ops::reciprocal, tt::ops::pow, tt::ops::exp, tt::ops::log,
                              tt::ops::sqrt, tt::ops::tanh, tt::ops::sigmoid, tt::ops::eq, tt::ops::ne>;
  check_lists<tt::gpu::Complex<TestType>>(numbers{}, complex_parts{}, selection{}, logical{});
}

TEMPLATE_TEST_CASE("slopes", "[cuda]", float, double) {
  using namespace tt::ops;
  check_slopes_of<TestType>(arithmetic{}, exponential{}, hyperbolic{}, trigonometric{}, rounding{}, activation{},
                            selection{}, division{});
  using numbers = tt::op_list<tt::ops::add, tt::ops::sub, tt::ops::mul, tt::ops::div, tt::ops::neg, tt::ops::abs,
                              tt::ops::square, tt::ops::reciprocal, tt::ops::pow, tt::ops::exp, tt::ops::log,
                              tt::ops::sqrt, tt::ops::tanh, tt::ops::sigmoid>;
  check_slopes_of<tt::gpu::Complex<TestType>>(numbers{}, complex_parts{}, selection{});
}
