// New tensors of random numbers, and the buffers that numbers are drawn into.
#pragma once
#include <tt/dispatch/create.hpp>
#include <tt/dispatch/grad_mode.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tt::detail {

/// A number as the floating dtype rounds it.
inline double rounded_to(dtype type, double x) {
  return type == dtype::float16    ? double(half(x))
         : type == dtype::bfloat16 ? double(bfloat16(x))
         : type == dtype::float32  ? double(float(x))
                                   : x;
}
/// The number of the dtype after x, or before it. @pre x is one
inline double neighbour(dtype type, double x, bool after) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (type == dtype::float64) return std::nextafter(x, after ? infinity : -infinity);
  if (type == dtype::float32) return double(std::nextafter(float(x), float(after ? infinity : -infinity)));
  constexpr unsigned sign = 0x8000;
  const unsigned bits = type == dtype::float16 ? half(x).bits : bfloat16(x).bits;
  const bool grows = after == !(bits & sign);  // the bits do
  const auto next = std::uint16_t(!(bits & ~sign) ? (after ? 1 : sign | 1) : grows ? bits + 1 : bits - 1);
  return double(type == dtype::float16 ? half_value(next) : bfloat16_value(next));
}

/// Refuses a range that the dtype does not hold.
TT_NOINLINE inline void check_range(std::string_view name, dtype type, double from, double to) {
  for (double x : {from, to, to - from})
    if (!std::isfinite(rounded_to(type, x)))
      fail({"tt::", name, ": ", name_of(type), " does not hold the range from ", from, " to ", to});
}
/// Numbers u of [0, 1) become from + (to - from) u, rounded down: all lie in [from, to), if the dtype has a number there,
/// and none comes up too often. The one rule of rand and uniform_. A 16-bit number is made of as many digits of u as it
/// holds, as PyTorch's are. @pre check_range()
template <class Real>
void place_uniform(dtype type, Real* p, index_t n, double from, double to) {
  const double nearest = rounded_to(type, from), end = rounded_to(type, to), length = to - from;
  const double first = nearest < from ? neighbour(type, nearest, true) : nearest;
  const double last = end < to ? end : neighbour(type, end, false);
  if (first > last) return void(std::fill_n(p, n, Real(nearest)));
  const Real steps = type == dtype::float16 ? Real(0x1p11) : Real(0x1p8);
  for (index_t i = 0; i < n; ++i) {
    const Real u = size_of(type) == 2 ? std::floor(p[i] * steps) / steps : p[i];
    const double x = from + length * double(u), near = rounded_to(type, x);
    p[i] = Real(std::clamp(near > x ? neighbour(type, near, false) : near, first, last));
  }
}

/// A buffer for drawing: the tensor itself where it is a row of float or double, else a new one, which is copied into it.
struct Drawing {
  const AnyTensor& out;
  AnyTensor numbers;

  Drawing(std::string_view name, const AnyTensor& t) : out(t) {
    if (!t.defined()) no_elements(name.data());
    if (!is_floating(t.dtype()))
      fail({"tt::", name, ": only floating dtypes have random numbers of this kind, not ", name_of(t.dtype())});
    if (recording && t.requires_grad())
      fail({"tt::", name, ": what is drawn into a tracked tensor has no derivative: draw into x.detach(), or under no_grad"});
    const bool fits = (t.dtype() == dtype::float32 || t.dtype() == dtype::float64) && t.is_contiguous();
    numbers = fits ? t : AnyTensor::empty(t.dtype() == dtype::float64 ? dtype::float64 : dtype::float32, t.sizes());
  }
  bool wide() const { return numbers.dtype() == dtype::float64; }
  /// f(pointer, count) with a pointer to float or to double.
  template <class Function>
  void each(Function&& f) const {
    if (wide()) f(reinterpret_cast<double*>(numbers.data_ptr()), numbers.numel());
    else f(reinterpret_cast<float*>(numbers.data_ptr()), numbers.numel());
  }
  void finish() const {
    if (numbers.data_ptr() == out.data_ptr()) out.bump_version();
    else copy_elements(out, numbers);
  }
};

template <template <class> class Distribution>
void draw_into(const Drawing& d, Generator& generator) {
  d.each([&]<class Real>(Real* p, index_t n) { generator.fill<Distribution<Real>>(p, n); });
}

template <template <class> class Distribution>
AnyTensor create_random(std::string_view name, dtype type, const dims& size, Generator& generator) {
  return run_create(name, type, size, [&](const AnyTensor& out) {
    const Drawing d(name, out);
    draw_into<Distribution>(d, generator);
    if constexpr (std::is_same_v<Distribution<float>, philox::uniform<float>>)
      if (size_of(type) == 2)
        place_uniform(type, reinterpret_cast<float*>(d.numbers.data_ptr()), out.numel(), 0, 1);
    d.finish();
  });
}

/// The same for a dtype that is known: float and double compile no conversion between dtypes.
template <class Type, template <class> class Distribution>
AnyTensor create_drawn(std::string_view name, const dims& size, Generator& generator) {
  if constexpr (std::is_same_v<Type, float> || std::is_same_v<Type, double>)
    return run_create(name, dtype_of<Type>, size, [&](const AnyTensor& out) {
      generator.fill<Distribution<Type>>(reinterpret_cast<Type*>(out.data_ptr()), out.numel());
    });
  else
    return create_random<Distribution>(name, dtype_of<Type>, size, generator);
}

}  // namespace tt::detail

namespace tt {

inline AnyTensor rand(dtype type, const dims& size, Generator& generator) {
  return detail::create_random<philox::uniform>("rand", type, size, generator);
}
inline AnyTensor randn(dtype type, const dims& size, Generator& generator) {
  return detail::create_random<philox::normal>("randn", type, size, generator);
}

}  // namespace tt
