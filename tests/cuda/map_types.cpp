// Elementwise programs on the device over every dtype: conversions, promotion, numbers of the program's text.
#include "cuda/map_check.hpp"

#include <limits>

using tests::check;
using tests::Close;
using tests::numbers;
using tt::dyn;
using tt::index_t;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;

namespace {

/// Numbers at which conversions to one type or another round, wrap, overflow or have no result.
const double edges[] = {0,      -0.,   1,     -1,    0.5,   -0.7,   2.5,   127.6,  128,    255.4,      256,    -129,
                        2047.5, 2049,  32768, 65504, 65519, 65520,  1e10,  -1e10,  0x1p32, 0x1p53 + 2, 9.3e18, -9.3e18,
                        1.8e19, 2e19,  1e38,  1e-40, 6e-8,  2.9e-8, 1e300, 3.5e38, NAN,    HUGE_VAL,   -HUGE_VAL};

template <class Number>
tt::Tensor<Number, Vector> edge_numbers() {
  constexpr index_t n = index_t(std::size(edges));
  tt::Tensor<Number, Vector> t(tt::dims{n});
  for (index_t i = 0; i < n; ++i) t.data()[i] = tt::detail::converted<Number>(edges[i]);
  return t;
}

/// All dtypes but the complex ones.
template <class Function>
void for_each_real(Function f) {
  f(bool{}), f(std::uint8_t{}), f(std::int8_t{}), f(std::int16_t{}), f(std::int32_t{}), f(std::int64_t{});
  f(std::uint16_t{}), f(std::uint32_t{}), f(std::uint64_t{}), f(tt::half{}), f(tt::bfloat16{}), f(float{}), f(double{});
}

/// x in another dtype, as tt::to computes it.
template <class To, class From, class ShapeType>
void check_copy(const tt::Tensor<From, ShapeType>& x, index_t before = 0) {
  INFO(tt::name_of(tt::dtype_of<From>) << " to " << tt::name_of(tt::dtype_of<To>));
  constexpr tt::dtype to = tt::dtype_of<To>, from = tt::dtype_of<From>;
  constexpr tt::dtype compute = tt::wider_compute(tt::compute_dtype(from), tt::compute_dtype(to));
  const tt::MapKernel& kernel = tt::backend<tt::cpu>::map<compute, to, tt::prog::copy, tt::prog::copy>();
  const tt::detail::Entry entry{&x, x.version(), {}};
  in_every_order([&] {
    const tt::AnyTensor out = tests::unset(to, x.sizes(), before), want = tests::unset(to, x.sizes(), before);
    tests::check_map<tt::prog::copy, tt::element_of<compute>>(kernel, &entry, 0, out, want, Close::exact_on_host);
  });
}

}  // namespace

TEST_CASE("each dtype to each other, at the edges of both", "[cuda]") {
  for_each_real([]<class From>(From) {
    const auto x = edge_numbers<From>();
    for_each_real([&]<class To>(To) {
      check_copy<To>(x);
      check_copy<To>(x, 1);
    });
  });
}

TEST_CASE("every half and every bfloat16", "[cuda]") {
  if (small_sizes_only) return;
  const auto check_all = []<class Short>(Short) {
    tt::Tensor<Short, Vector> x(tt::dims{1 << 16});
    for (index_t i = 0; i < x.numel(); ++i) x.data()[i].bits = std::uint16_t(i);
    check_copy<float>(x);
    check_copy<Short>(x);
    check(x + 0);
  };
  check_all(tt::half{});
  check_all(tt::bfloat16{});
  tt::Tensor<float, Vector> x(tt::dims{1 << 15});  // numbers on both sides of each place where half rounds
  for (index_t i = 0; i < x.numel(); ++i) {
    x.data()[i] = tt::detail::half_value(std::uint16_t(i)) * (1 + float(i % 3 - 1) * 0x1p-12f);
  }
  check_copy<tt::half>(x);
  check_copy<tt::bfloat16>(x);
}

TEST_CASE("a bool that is any byte", "[cuda]") {
  unsigned char bytes[] = {0, 1, 2, 128, 255, 0, 7};
  const tt::Tensor<bool, Vector> x(tt::AnyTensor::from_memory(tt::dtype::boolean, {7}, bytes));
  check_copy<std::int32_t>(x);
  check_copy<float>(x);
  check_copy<bool>(x);
}

TEST_CASE("operands of different dtypes", "[cuda]") {
  for (const index_t n : {1, 4, 37}) {
    const auto f = numbers<float, Vector>({n});
    const auto d = numbers<double, Vector>({n}, -3, 3, 2);
    const auto h = numbers<tt::half, Vector>({n}, -3, 3, 3);
    const auto b = numbers<tt::bfloat16, Vector>({n}, -3, 3, 4);
    const auto i = numbers<std::int32_t, Vector>({n}, -9, 9, 5);
    const auto l = numbers<std::int64_t, Vector>({n}, -9, 9, 6);
    const auto u = numbers<std::uint8_t, Vector>({n}, 0, 255, 7);
    const auto s = numbers<std::int16_t, Vector>({n}, -9, 9, 8);
    const auto t = numbers<bool, Vector>({n}, -3, 3, 9);
    check(f + i);
    check(i * f + t);
    check(d - f * 0.5);
    check(h + b);
    check(h * i - 0.1);
    check(b / u);
    check(l < f);
    check(l + i);
    check(u * s);
    check(u + u);
    check(t + t);
    check(i == u);
    check(tt::where(t, f, 2));
    check(tt::where(f > 0, h, b));
    check(tt::where(t, i, l));
    check(tt::where(u > 100, d, f));
  }
}

TEST_CASE("small integers wrap where they are stored", "[cuda]") {
  const auto u = numbers<std::uint8_t, Vector>({40}, 0, 255);
  check(u + u);
  check(u * 200);
  check(-u);
  const auto i = numbers<std::int32_t, Vector>({40}, -2147483648., 2147483647.);
  check(i * i);
  check(i - 2147483647);
  const auto l = numbers<std::int64_t, Vector>({40}, -9e18, 9e18);
  check(l * l + l);
}

TEST_CASE("tensors without axes beside others", "[cuda]") {
  const auto m = numbers<tt::half, Matrix>({5, 9});
  const auto zero_d = numbers<double, tt::Shape<>>({}, -3, 3, 2);
  const auto whole = numbers<std::int64_t, tt::Shape<>>({}, -9, 9, 3);
  check(m * zero_d);
  check(m + whole);
  check(zero_d * whole);
  check(tt::where(m > 0, zero_d, whole));
}

TEST_CASE("numbers of the program's text", "[cuda]") {
  const auto l = numbers<std::int64_t, Vector>({9}, -9, 9);
  check(l + 9007199254740993);  // no double
  check(l * -9007199254740993 == 9007199254740993);
  check(l + (std::numeric_limits<std::int64_t>::max)());
  const auto f = numbers<float, Vector>({9});
  check(f + 0.1);
  check(f * 1e300);
  check(f + HUGE_VAL);
  check(f * NAN);
  check(f == 16777217);
  const auto d = numbers<double, Vector>({9});
  check(d + 0.1);
  check(tt::where(d > 0, 1.5, d));
  check(numbers<tt::half, Vector>({9}) * 0.1);  // in float, not rounded to half before
  check(numbers<std::uint8_t, Vector>({9}, 0, 9) + true);
}

TEMPLATE_TEST_CASE("complex numbers", "[cuda]", float, double) {
  using Number = std::complex<TestType>;
  const auto parts = [](index_t n, std::uint64_t seed) {
    return tt::Tensor<Number, Vector>(
        tt::complex(numbers<TestType, Vector>({n}, -3, 3, seed), numbers<TestType, Vector>({n}, -3, 3, seed + 50)));
  };
  for (const index_t n : {1, 2, 37}) {
    const auto x = parts(n, 1), y = parts(n, 2);
    check(x + y * Number(1, -2) - 3);
    check(x / y, Close::approximate);
    check(tt::square(x) == y);
    check(tt::where(tt::real(x) > 0, x, tt::conj(y)));
    check(tt::real(x * y));
    check(tt::imag(x));
    check(-tt::conj(x));
    check(x + numbers<std::int32_t, Vector>({n}) * numbers<tt::half, Vector>({n}));
    check(tt::complex(numbers<TestType, Vector>({n}), numbers<TestType, Vector>({n}, -3, 3, 2)));
    check(tt::logical_and(x, y));
    check(tt::abs(x), Close::approximate);
    check(tt::angle(x), Close::approximate);
    check(tt::exp(x), Close::approximate);
    check(tt::log(x), Close::approximate);
    check(tt::sqrt(x), Close::approximate);
    check(tt::tanh(x) + tt::tanh(x * 9), Close::approximate);
    check(tt::pow(x, y * 0.5), Close::approximate);
    check(tt::sigmoid(x), Close::approximate);
    check(tt::reciprocal(x), Close::approximate);
  }
  const auto wide = parts(42, 3);
  const tt::Tensor stepped = tt::slice<0>(wide, 1, 42, 3), late = tt::slice<0>(wide, 1, 15);
  check(stepped * late);
  check(late + late);
  check_copy<std::complex<float>>(wide);
  check_copy<std::complex<double>>(stepped);
  check_copy<float>(wide);
  check_copy<std::int32_t>(wide);
  check_copy<bool>(wide);
  check_copy<Number>(numbers<tt::bfloat16, Vector>({9}));
  check_copy<Number>(numbers<bool, Vector>({9}));
}
