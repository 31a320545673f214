// One element: how it is read, and converted to another type.
#pragma once
#include <tt/core/dtype.hpp>

namespace tt::detail {

/// As C++ converts; what no int64 holds (infinity, NaN) is the least one.
template <class Number>
TT_HD constexpr std::int64_t whole(Number x) {
  if constexpr (std::is_floating_point_v<Number>) return x >= -0x1p63 && x < 0x1p63 ? std::int64_t(x) : INT64_MIN;
  else return std::int64_t(x);
}

/// *p. In memory of others a bool may be any byte, which C++ cannot read as one: all but 0 are true, as in PyTorch
/// (c10/util/Load.h).
template <element Stored>
TT_HD TT_INLINE Stored loaded(const Stored* p) {
  if constexpr (dtype_of<Stored> == dtype::boolean) return *reinterpret_cast<const unsigned char*>(p) != 0;
  else return *p;
}

/// C++'s conversion, but to bool by "is not 0", from floating to integers through int64, so that it wraps, from complex
/// the real part, and to 16-bit floats by way of float.
template <element To, element From>
  requires(!is_complex(dtype_of<To>) && !is_complex(dtype_of<From>))
TT_HD TT_INLINE constexpr To converted(From x) {
  constexpr dtype to = dtype_of<To>, from = dtype_of<From>;
  if constexpr (to == from) return x;
  else if constexpr (is_short_float<From>) return converted<To>(float(x));
  else if constexpr (to == dtype::boolean) return x != From(0);
  else if constexpr (is_integral(to) && is_floating(from)) {
    if constexpr (to == dtype::uint64)
      if (x >= From(0x1p63) && x < From(0x1p64)) return To(x);
    return To(whole(x));
  } else return To(x);
}
// Apart, since std::complex is not for devices.
template <element To, element From>
  requires(is_complex(dtype_of<To>) || is_complex(dtype_of<From>))
TT_INLINE constexpr To converted(From x) {
  constexpr dtype to = dtype_of<To>, from = dtype_of<From>;
  if constexpr (to == from) return x;
  else if constexpr (is_complex(to) && is_complex(from))
    return {typename To::value_type(x.real()), typename To::value_type(x.imag())};
  else if constexpr (is_complex(to)) return {converted<typename To::value_type>(x), 0};
  else if constexpr (to == dtype::boolean) return x != From(0);
  else return converted<To>(x.real());
}

/// A number of C++ as an element; types that tensors cannot hold (long double, long long) by way of the widest that they can.
template <element To, class Number>
constexpr To element_from(Number x) {
  if constexpr (element<Number>) return converted<To>(x);
  else if constexpr (std::is_floating_point_v<Number>) return converted<To>(double(x));
  else return converted<To>(std::int64_t(x));
}

/// to[j * stride] = row[j], converted.
template <class Number>
TT_NOINLINE void unpack_row(const Number* row, std::byte* to, dtype type, index_t stride, index_t n) {
  visit(type, [&]<class Stored>(Stored) {
    auto* p = reinterpret_cast<Stored*>(to);
    for (index_t j = 0; j < n; ++j) p[j * stride] = converted<Stored>(row[j]);
  });
}

}  // namespace tt::detail
