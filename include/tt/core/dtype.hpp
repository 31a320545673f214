// Element types, their promotion, and the types kernels compute in.
#pragma once
#include <tt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tt {

enum class dtype : std::uint8_t { boolean, uint8, int64, float32, float64 };

inline constexpr int dtype_count = int(dtype::float64) + 1;

/// Categories in promotion order: a higher one wins whatever the widths.
enum class category : std::uint8_t { boolean, integer, floating };

constexpr category category_of(dtype t) {
  return t == dtype::boolean ? category::boolean : t < dtype::float32 ? category::integer : category::floating;
}
constexpr bool is_floating(dtype t) { return category_of(t) == category::floating; }

constexpr std::size_t size_of(dtype t) {
  constexpr std::size_t bytes[] = {1, 1, 8, 4, 8};
  return bytes[std::size_t(t)];
}

/// PyTorch's name: "bool", "uint8", "int64", "float32", "float64".
constexpr std::string_view name_of(dtype t) {
  constexpr std::string_view names[] = {"bool", "uint8", "int64", "float32", "float64"};
  return names[std::size_t(t)];
}

inline dtype dtype_named(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(dtype(i)) == name) return dtype(i);
  throw not_implemented("tt: there is no dtype named '" + std::string(name) + "' yet");
}

template <class Type>
inline constexpr bool is_element = std::is_same_v<Type, bool> || std::is_same_v<Type, std::uint8_t> ||
                                   std::is_same_v<Type, std::int64_t> || std::is_same_v<Type, float> ||
                                   std::is_same_v<Type, double>;
/// A type tensors can hold.
template <class Type>
concept element = is_element<Type>;

template <element Type>
inline constexpr dtype dtype_of = std::is_same_v<Type, bool>           ? dtype::boolean
                                  : std::is_same_v<Type, std::uint8_t> ? dtype::uint8
                                  : std::is_same_v<Type, std::int64_t> ? dtype::int64
                                  : std::is_same_v<Type, float>        ? dtype::float32
                                                                       : dtype::float64;

namespace detail {
template <dtype Id> struct element_of;
template <> struct element_of<dtype::boolean> { using type = bool; };
template <> struct element_of<dtype::uint8> { using type = std::uint8_t; };
template <> struct element_of<dtype::int64> { using type = std::int64_t; };
template <> struct element_of<dtype::float32> { using type = float; };
template <> struct element_of<dtype::float64> { using type = double; };
}  // namespace detail
template <dtype Id>
using element_of = typename detail::element_of<Id>::type;

/// The result type of two tensors with axes. PyTorch's table: the higher category wins, within one the wider.
/// https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
constexpr dtype promote(dtype a, dtype b) { return a > b ? a : b; }

/// What a literal counts as: C++ integers are int64, floating ones the default dtype.
constexpr dtype default_dtype = dtype::float32;

/// Whose width counts: tensors with axes before those without, and both before literals.
enum class promotion_level : std::uint8_t { axes, no_axes, literal };
struct promotion_operand {
  dtype type;
  promotion_level level;
};

/// Promotion where a weaker operand only lifts the category; if it does, its own dtype counts (a literal's is a default).
constexpr promotion_operand promote(promotion_operand a, promotion_operand b) {
  if (a.level == b.level) return {promote(a.type, b.type), a.level};
  const promotion_operand strong = a.level < b.level ? a : b, weak = a.level < b.level ? b : a;
  return {category_of(weak.type) > category_of(strong.type) ? weak.type : strong.type, strong.level};
}

/// The type a kernel computes in: small integers and bools in int64 (they wrap on store).
constexpr dtype compute_dtype(dtype t) { return t < dtype::int64 ? dtype::int64 : t; }
template <element Type>
using compute_t = element_of<compute_dtype(dtype_of<Type>)>;

/// The type sums of this type are kept in: int64 for integers and bools, double for floats.
constexpr dtype accumulate_dtype(dtype t) { return is_floating(t) ? dtype::float64 : dtype::int64; }

namespace detail {
/// As C++ converts; what no int64 holds (infinity, NaN) is the least one.
template <class Number>
constexpr std::int64_t whole(Number x) {
  if constexpr (std::is_floating_point_v<Number>) return x >= -0x1p63 && x < 0x1p63 ? std::int64_t(x) : INT64_MIN;
  else return std::int64_t(x);
}
}  // namespace detail

/// f(float{}) or f(double{}): for gradients and what else is floating by its nature.
template <class Function>
void visit_floating(dtype t, Function&& f) {
  t == dtype::float32 ? f(float{}) : f(double{});
}

/// f(Type{}) for the element type of `t`.
template <class Function>
decltype(auto) visit(dtype t, Function&& f) {
  switch (t) {
    case dtype::boolean: return f(bool{});
    case dtype::uint8: return f(std::uint8_t{});
    case dtype::int64: return f(std::int64_t{});
    case dtype::float32: return f(float{});
    default: return f(double{});
  }
}

}  // namespace tt
