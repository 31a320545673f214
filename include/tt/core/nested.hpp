// Nested initializer lists as elements: {{1, 2, 3}, {4, 5, 6}}.
#pragma once
#include <tt/core/half.hpp>
#include <tt/core/message.hpp>

#include <initializer_list>

namespace tt::detail {

/// What a list of elements is written in: numbers become 16-bit floats by way of float.
template <class Type>
using written_t = std::conditional_t<is_short_float<Type>, float, Type>;

template <class Type, int Depth>
struct nested {
  using type = std::initializer_list<typename nested<Type, Depth - 1>::type>;
};
template <class Type>
struct nested<Type, 1> {
  using type = std::initializer_list<written_t<Type>>;
};
/// Lists of lists, as deep as a tensor has axes; a single list for a tensor without.
template <class Type, int Rank>
using nested_t = typename nested<Type, (Rank > 1 ? Rank : 1)>::type;

[[noreturn]] TT_NOINLINE inline void ragged(std::size_t have, index_t want, int axis) {
  fail({"tt::Tensor: a list of ", have, " elements along axis ", axis, ", where the first one has ", want});
}

/// The extents of nested lists, by the first list of each depth.
template <class Type, int Depth>
void nested_extents(dims& size, const nested_t<Type, Depth>& list) {
  size.push_back(index_t(list.size()));
  if constexpr (Depth > 1)
    nested_extents<Type, Depth - 1>(size, list.size() ? *list.begin() : nested_t<Type, Depth - 1>{});
}
/// Writes the elements row by row; every list must be as long as the first one of its depth.
template <class Type, int Depth>
Type* copy_nested(Type* to, const dims& size, int axis, const nested_t<Type, Depth>& list) {
  if (index_t(list.size()) != size.extent[axis]) ragged(list.size(), size.extent[axis], axis);
  if constexpr (Depth == 1) {
    for (auto x : list) *to++ = Type(x);
  } else {
    for (const auto& part : list) to = copy_nested<Type, Depth - 1>(to, size, axis + 1, part);
  }
  return to;
}

}  // namespace tt::detail
