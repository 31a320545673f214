// Element types, their promotion, and the types kernels compute in.
#pragma once
#include <tt/core/error.hpp>
#include <tt/core/half.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tt {

/// uint16, uint32 and uint64 are for storage, casts and files: no operation computes with them.
enum class dtype : std::uint8_t {
  boolean, uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128
};

inline constexpr int dtype_count = int(dtype::complex128) + 1;

/// Categories in promotion order: a higher one wins whatever the widths.
enum class category : std::uint8_t { boolean, integer, floating, complex };

TT_HD constexpr category category_of(dtype t) {
  return t == dtype::boolean     ? category::boolean
         : t < dtype::float16    ? category::integer
         : t < dtype::complex64  ? category::floating
                                 : category::complex;
}
TT_HD constexpr bool is_floating(dtype t) { return category_of(t) == category::floating; }
TT_HD constexpr bool is_complex(dtype t) { return category_of(t) == category::complex; }
TT_HD constexpr bool is_integral(dtype t) { return category_of(t) <= category::integer; }
/// Whether gradients exist: of floating and complex tensors.
constexpr bool is_differentiable(dtype t) { return category_of(t) >= category::floating; }
constexpr bool is_storage_only(dtype t) { return t >= dtype::uint16 && t <= dtype::uint64; }

namespace detail {
inline constexpr std::uint8_t dtype_bytes[] = {1, 1, 1, 2, 4, 8, 2, 4, 8, 2, 2, 4, 8, 8, 16};
inline constexpr std::string_view dtype_names[] = {"bool",    "uint8",    "int8",    "int16",   "int32",
                                                   "int64",   "uint16",   "uint32",  "uint64",  "float16",
                                                   "bfloat16", "float32", "float64", "complex64", "complex128"};
}  // namespace detail
constexpr std::size_t size_of(dtype t) { return detail::dtype_bytes[std::size_t(t)]; }

/// PyTorch's name: "bool", "uint8", "int64", "float16", "float32", "complex64", ...
constexpr std::string_view name_of(dtype t) { return detail::dtype_names[std::size_t(t)]; }

inline dtype dtype_named(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(dtype(i)) == name) return dtype(i);
  throw not_implemented("tt: there is no dtype named '" + std::string(name) + "'");
}

namespace detail {
template <dtype Id> struct element_of;
template <class Type> struct dtype_id;  // undefined: not an element type
#define TT_ELEMENT(id, ...)                                                    \
  template <> struct element_of<dtype::id> { using type = __VA_ARGS__; };      \
  template <> struct dtype_id<__VA_ARGS__> { static constexpr dtype value = dtype::id; };
TT_ELEMENT(boolean, bool)
TT_ELEMENT(uint8, std::uint8_t)
TT_ELEMENT(int8, std::int8_t)
TT_ELEMENT(int16, std::int16_t)
TT_ELEMENT(int32, std::int32_t)
TT_ELEMENT(int64, std::int64_t)
TT_ELEMENT(uint16, std::uint16_t)
TT_ELEMENT(uint32, std::uint32_t)
TT_ELEMENT(uint64, std::uint64_t)
TT_ELEMENT(float16, half)
TT_ELEMENT(bfloat16, tt::bfloat16)
TT_ELEMENT(float32, float)
TT_ELEMENT(float64, double)
TT_ELEMENT(complex64, std::complex<float>)
TT_ELEMENT(complex128, std::complex<double>)
#undef TT_ELEMENT
}  // namespace detail
template <dtype Id>
using element_of = typename detail::element_of<Id>::type;

/// A type tensors can hold.
template <class Type>
concept element = requires { detail::dtype_id<Type>::value; };
template <element Type>
inline constexpr dtype dtype_of = detail::dtype_id<Type>::value;
/// float, double, half or bfloat16.
template <class Type>
concept floating_element = element<Type> && is_floating(dtype_of<Type>);

/// The floating type of a complex one's parts; any other type itself.
constexpr dtype real_dtype(dtype t) {
  return t == dtype::complex64 ? dtype::float32 : t == dtype::complex128 ? dtype::float64 : t;
}

/// How many real numbers an element is made of.
constexpr int parts_of(dtype t) { return is_complex(t) ? 2 : 1; }
/// The complex type whose parts are of this one: of all but double, complex64.
constexpr dtype complex_dtype(dtype t) {
  return is_complex(t) ? t : t == dtype::float64 ? dtype::complex128 : dtype::complex64;
}

/// The result type of two tensors with axes. PyTorch's table: the higher category wins, within one the wider; where
/// neither holds the other's numbers the next wider one of the category does.
/// https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
constexpr dtype promote(dtype a, dtype b) {
  if (a > b) return promote(b, a);
  if (a == dtype::uint8 && b == dtype::int8) return dtype::int16;
  if (a == dtype::float16 && b == dtype::bfloat16) return dtype::float32;
  if (a == dtype::float64 && b == dtype::complex64) return dtype::complex128;
  return b;
}

/// What a literal counts as: C++ integers are int64, floating ones the default dtype.
constexpr dtype default_dtype = dtype::float32;

/// Whose width counts: tensors with axes before those without, and both before literals.
enum class promotion_level : std::uint8_t { axes, no_axes, literal };
struct promotion_operand {
  dtype type;
  promotion_level level;
};

/// Promotion where a weaker operand only lifts the category; if it does, its own dtype counts (a literal's is a default).
/// A floating operand beside a weak complex one gives the complex type of its own width.
constexpr promotion_operand promote(promotion_operand a, promotion_operand b) {
  if (a.level == b.level) return {promote(a.type, b.type), a.level};
  const promotion_operand strong = a.level < b.level ? a : b, weak = a.level < b.level ? b : a;
  if (category_of(weak.type) <= category_of(strong.type)) return strong;
  if (is_complex(weak.type) && is_floating(strong.type))
    return {complex_dtype(strong.type), strong.level};
  return {weak.type, strong.level};
}

/// The type a kernel computes in: small integers and bools in int64 (they wrap on store), 16-bit numbers in float.
constexpr dtype compute_dtype(dtype t) {
  return is_integral(t) ? dtype::int64 : t < dtype::float32 ? dtype::float32 : t;
}
/// Of two compute types the one whose numbers the other loses: a copy from one to the other computes in it.
constexpr dtype wider_compute(dtype from, dtype to) { return is_integral(from) || to > from ? to : from; }
template <element Type>
using compute_t = element_of<compute_dtype(dtype_of<Type>)>;

/// The type sums of this type are kept in: int64 for integers and bools, double for floats, complex<double>.
constexpr dtype accumulate_dtype(dtype t) {
  return is_integral(t) ? dtype::int64 : is_complex(t) ? dtype::complex128 : dtype::float64;
}

/// f(Type{}) for a floating type.
template <class Function>
void visit_floating(dtype t, Function&& f) {
  switch (t) {
    case dtype::float16: return f(half{});
    case dtype::bfloat16: return f(bfloat16{});
    case dtype::float32: return f(float{});
    default: return f(double{});
  }
}

/// f(Type{}) for a type that has gradients.
template <class Function>
void visit_differentiable(dtype t, Function&& f) {
  switch (t) {
    case dtype::complex64: return f(std::complex<float>{});
    case dtype::complex128: return f(std::complex<double>{});
    default: return visit_floating(t, f);
  }
}

/// f(Type{}) for the element type of `t`.
template <class Function>
decltype(auto) visit(dtype t, Function&& f) {
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
    case dtype::float64: return f(double{});
    case dtype::complex64: return f(std::complex<float>{});
    default: return f(std::complex<double>{});
  }
}

}  // namespace tt
