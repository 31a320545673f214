// Shapes: as types (static, dynamic and named extents) and as values, with the rules that hold for both.
#pragma once
#include <tt/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

namespace tt {

/// An extent known at run time only.
inline constexpr index_t dyn = -1;
/// No extent at all: what a rule returns where two extents cannot be one. It never is part of a tensor's type.
inline constexpr index_t no_extent = INT64_MIN;

/// A named run-time extent. Equal names are one extent: they unify at compile time and are compared at run time.
/// Up to nine 7-bit characters, packed into a negative number (not -1), because class types in packs break nvcc 13.
consteval index_t dim(const char* name) {
  index_t packed = 0;
  int length = 0;
  for (; *name; ++name, ++length) packed = length < 9 && *name > 1 ? packed * 128 + *name : throw "dim: 1 to 9 ASCII characters";
  return length ? -packed : throw "dim: the name is empty";
}
constexpr bool is_named(index_t extent) { return extent < dyn && extent != no_extent; }

/// A shape as a value, in constant expressions and at run time. Negative positions count from the end.
struct dims {
  index_t extent[max_rank]{};
  int rank = 0;

  constexpr dims() = default;
  constexpr dims(std::initializer_list<index_t> list) {
    if (list.size() > std::size_t(max_rank)) fail("tt::dims: more than 16 axes");
    for (index_t e : list) extent[rank++] = e;
  }
  constexpr index_t& operator[](int axis) { return extent[axis < 0 ? rank + axis : axis]; }
  constexpr index_t operator[](int axis) const { return extent[axis < 0 ? rank + axis : axis]; }
  constexpr void push_back(index_t e) {
    if (rank == max_rank) fail("tt::dims: more than 16 axes");
    extent[rank++] = e;
  }
  constexpr const index_t* begin() const { return extent; }
  constexpr const index_t* end() const { return extent + rank; }
  constexpr bool operator==(const dims& other) const {
    if (rank != other.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (extent[i] != other.extent[i]) return false;
    return true;
  }
  /// Number of elements; run-time extents of a type count as 1.
  constexpr index_t count() const {
    index_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extent[i] < 0 ? 1 : extent[i];
    return n;
  }
};

/// Axis as PyTorch takes it: -rank .. rank-1, and 0 or -1 for a tensor without axes. no_axis (-1) where it is outside.
constexpr int normal_axis(index_t axis, int rank) {
  const int span = rank > 0 ? rank : 1;
  return axis >= -span && axis < span ? int(axis < 0 ? axis + span : axis) : -1;
}

/// The axis to go on with after a refusal has been reported, so that one mistake stays one error.
constexpr int repaired_axis(index_t axis, int rank) { return (std::max)(normal_axis(axis, rank), 0); }

/// Whether a run-time or static extent may stand where the type asks for `want`.
constexpr bool fits(index_t have, index_t want) { return want < 0 || have < 0 || have == want; }
constexpr bool fits(const dims& have, const dims& want) {
  if (have.rank != want.rank) return false;
  for (int i = 0; i < have.rank; ++i) {
    if (!fits(have.extent[i], want.extent[i])) return false;
    if (is_named(want.extent[i]) && have.extent[i] >= 0)  // one name is one extent
      for (int j = 0; j < i; ++j)
        if (want.extent[j] == want.extent[i] && have.extent[j] != have.extent[i]) return false;
  }
  return true;
}

/// Whether an expression may be stored under a type: as fits(), and no name becomes another.
constexpr bool stores(const dims& have, const dims& want) {
  for (int i = 0; have.rank == want.rank && i < have.rank; ++i)
    if (is_named(have.extent[i]) && is_named(want.extent[i]) && have.extent[i] != want.extent[i]) return false;
  return fits(have, want);
}

/// One extent for two that are meant to be equal: a number over a name, a name over dyn; no_extent if they differ.
constexpr index_t unify(index_t a, index_t b) {
  if (a == b || b == dyn) return a;
  if (a == dyn) return b;
  if (a >= 0 && b >= 0) return no_extent;
  if (a < 0 && b < 0) return no_extent;
  return (std::max)(a, b);
}

/// The extent that two broadcast to: equal, or one of them 1. Two names for different things do not broadcast.
constexpr index_t broadcast(index_t a, index_t b) { return a == 1 ? b : b == 1 ? a : unify(a, b); }
constexpr dims broadcast(const dims& a, const dims& b) {
  dims out = a.rank >= b.rank ? a : b;
  const dims& shorter = a.rank >= b.rank ? b : a;
  for (int i = 1; i <= shorter.rank; ++i) out[-i] = broadcast(out[-i], shorter[-i]);
  return out;
}
constexpr bool is_valid(const dims& d) {
  for (index_t e : d)
    if (e == no_extent) return false;
  return true;
}
/// The shape to go on with after a refusal has been reported, so that one mistake stays one error.
constexpr dims repaired(dims d) {
  for (int i = 0; i < d.rank; ++i)
    if (d.extent[i] == no_extent) d.extent[i] = dyn;
  return d;
}

/// A shape as a type: Shape<64, 784>, Shape<dyn, 784>, Shape<dim("batch"), 784>, Shape<> for a single value.
template <index_t... Extents>
struct Shape {
  static_assert(sizeof...(Extents) <= std::size_t(max_rank), "tt::Shape: more than 16 axes");
  static constexpr int rank = int(sizeof...(Extents));
  static constexpr dims value{Extents...};
  static constexpr bool is_static = ((Extents >= 0) && ...);
};

namespace detail {
template <class Holder, std::size_t... Axis>
auto to_shape(std::index_sequence<Axis...>) -> Shape<Holder::value.extent[Axis]...>;
template <int Rank, std::size_t... Axis>
auto to_dynamic(std::index_sequence<Axis...>) -> Shape<(void(Axis), dyn)...>;
}  // namespace detail

/// The Shape whose extents are Holder::value.
template <class Holder>
using shape_from = decltype(detail::to_shape<Holder>(std::make_index_sequence<std::size_t(Holder::value.rank)>{}));

/// Rank known, no extent.
template <int Rank>
using dynamic_shape = decltype(detail::to_dynamic<Rank>(std::make_index_sequence<std::size_t(Rank)>{}));

/// Types that read as words in the compiler's notes; a name is a pack of characters, since packed numbers say nothing.
namespace error {
template <char... Name> struct axis {};
template <index_t> struct extent {};
struct dynamic {};
struct anything {};
template <class...> struct operands {};
template <class...> struct expected {};
template <class...> struct got {};

constexpr std::size_t name_length(index_t packed) {
  std::size_t n = 0;
  for (index_t rest = -packed; rest > 0; rest /= 128) ++n;
  return n;
}
template <index_t Packed, std::size_t... At>
auto spell(std::index_sequence<At...>) -> axis<char((-Packed >> (7 * (sizeof...(At) - 1 - At))) & 127)...>;
template <index_t Extent> struct word { using type = extent<Extent>; };
template <index_t Extent>
  requires(is_named(Extent))
struct word<Extent> { using type = decltype(spell<Extent>(std::make_index_sequence<name_length(Extent)>{})); };
template <> struct word<dyn> { using type = dynamic; };
template <> struct word<no_extent> { using type = anything; };
/// List<word, word, ...> for the extents of a Shape.
template <template <class...> class List, class ShapeType> struct words;
template <template <class...> class List, index_t... Extents>
struct words<List, Shape<Extents...>> { using type = List<typename word<Extents>::type...>; };
template <template <class...> class List, class ShapeType>
using words_t = typename words<List, ShapeType>::type;
}  // namespace error

}  // namespace tt
