// One element in a kernel: read as the number that the kernel computes in, written as the type that is stored. The
// rules of conversion are core/convert.hpp's; only the instructions for 16-bit floats are the device's.
#pragma once
#include <tt/core/convert.hpp>
#include <tt/cuda/complex.hpp>
#include <tt/cuda/config.hpp>

#include <cstddef>

namespace tt::gpu {

#ifdef __CUDA_ARCH__
// https://docs.nvidia.com/cuda/parallel-thread-execution (cvt): what half_value and half_bits of core/half.hpp compute,
// but that every NaN becomes one and the same.
TT_HD inline float half_value(std::uint16_t bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
TT_HD inline std::uint16_t half_bits(float x) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#else
using tt::detail::half_bits, tt::detail::half_value;
#endif

/// A stored element as a number of the kernel.
template <class Number, class Stored>
TT_HD Number number_from(Stored x) {
  if constexpr (is_complex_number<Number>) {
    using Real = decltype(Number::re);
    if constexpr (is_complex_number<Stored>) return {Real(x.re), Real(x.im)};
    else return Number(number_from<Real>(x));
  } else if constexpr (std::is_same_v<Stored, half>) return tt::detail::converted<Number>(half_value(x.bits));
  else if constexpr (std::is_same_v<Stored, bfloat16>)
    return tt::detail::converted<Number>(tt::detail::bfloat16_value(x.bits));
  else return tt::detail::converted<Number>(x);
}

/// A number of the kernel as a stored element. Numbers round to 16 bits by way of float.
template <class Stored, class Number>
TT_HD Stored element_from(Number x) {
  if constexpr (is_complex_number<Stored>) {
    return number_from<Stored>(x);
  } else if constexpr (is_complex_number<Number>) {
    if constexpr (std::is_same_v<Stored, bool>) return x.re != 0 || x.im != 0;
    else return element_from<Stored>(x.re);
  } else if constexpr (std::is_same_v<Stored, half>) {
    Stored stored;
    stored.bits = half_bits(tt::detail::converted<float>(x));
    return stored;
  } else if constexpr (std::is_same_v<Stored, bfloat16>) {
    Stored stored;
    stored.bits = tt::detail::bfloat16_bits(tt::detail::converted<float>(x));
    return stored;
  } else {
    return tt::detail::converted<Stored>(x);
  }
}

/// f(Type{}) for the element type of `t`. Kernels of real numbers meet no complex ones.
template <class Number, class Function>
TT_HD void visit_stored(dtype t, Function f) {
  if constexpr (is_complex_number<Number>) {
    if (t == dtype::complex64) return f(Complex<float>{});
    if (t == dtype::complex128) return f(Complex<double>{});
  }
  switch (t) {
    case dtype::boolean: return f(bool{});
    case dtype::uint8: return f(std::uint8_t{});
    case dtype::int8: return f(std::int8_t{});
    case dtype::int16: return f(std::int16_t{});
    case dtype::int32: return f(std::int32_t{});
    case dtype::int64: return f(std::int64_t{});
    case dtype::uint16: return f(std::uint16_t{});
    case dtype::uint32: return f(std::uint32_t{});
    case dtype::uint64: return f(std::uint64_t{});
    case dtype::float16: return f(half{});
    case dtype::bfloat16: return f(bfloat16{});
    case dtype::float32: return f(float{});
    default: return f(double{});
  }
}

namespace detail {
template <class Number>
struct Reader {
  const std::byte* data;
  std::int64_t offset;
  Number* to;
  template <class Stored>
  TT_HD void operator()(Stored) const {
    const Stored* p = reinterpret_cast<const Stored*>(data) + offset;
    if constexpr (is_complex_number<Stored>) *to = number_from<Number>(*p);
    else *to = number_from<Number>(tt::detail::loaded(p));
  }
};
template <class Number>
struct Writer {
  std::byte* data;
  std::int64_t offset;
  Number value;
  template <class Stored>
  TT_HD void operator()(Stored) const {
    reinterpret_cast<Stored*>(data)[offset] = element_from<Stored>(value);
  }
};
}  // namespace detail

/// Element `offset` of an array of the dtype `type`.
template <class Number>
TT_HD Number read_element(const std::byte* data, dtype type, std::int64_t offset) {
  Number x;
  visit_stored<Number>(type, detail::Reader<Number>{data, offset, &x});
  return x;
}
template <class Number>
TT_HD void write_element(std::byte* data, dtype type, std::int64_t offset, Number x) {
  visit_stored<Number>(type, detail::Writer<Number>{data, offset, x});
}

}  // namespace tt::gpu
