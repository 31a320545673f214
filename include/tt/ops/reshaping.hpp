// The same elements under other extents: reshape, view, flatten, unflatten, ravel. Views; reshape, flatten and ravel
// copy where no strides show the elements in that order.
#pragma once
#include <tt/ops/views.hpp>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool does_not_fill = false;
}  // namespace error

namespace detail {

/// The extents asked for, with the one dyn worked out where the number of elements is static.
template <class ShapeType, index_t... Extents>
struct reshape_of {
  static constexpr bool known = ShapeType::is_static && ((Extents >= 0) && ...);
  static constexpr bool one_hole =
      ShapeType::is_static && (int(Extents == dyn) + ... + 0) == 1 && ((Extents >= dyn) && ...);
  static constexpr index_t all = ShapeType::value.count(), product = dims{Extents...}.count();
  static constexpr bool fits_in = known ? all == product : one_hole ? product != 0 && all % product == 0 : true;
  static constexpr dims value = [] {
    dims d{Extents...};
    for (int i = 0; one_hole && fits_in && i < d.rank; ++i)
      if (d.extent[i] == dyn) d.extent[i] = all / product;
    return d;
  }();
};
template <class Rule, class ShapeType, index_t... Extents>
consteval void check_fills() {
  static_assert(
      Rule::fits_in || error::does_not_fill<error::operands<error::words_t<error::got, ShapeType>,
                                                            error::words_t<error::expected, Shape<Extents...>>>>,
      "tt: the number of elements differs: extents must multiply up to it, and -1 stands for what is left");
}
/// Extents as the run-time forms take them: -1 for what is worked out there.
template <index_t... Extents>
inline constexpr dims asked_extents{(Extents < 0 ? -1 : Extents)...};

/// The product of axes First .. Last in their place; dyn where one of them is not known.
template <class ShapeType, int First, int Last>
struct flattened_axes {
  static constexpr int first = repaired_axis(First, ShapeType::rank), last = repaired_axis(Last, ShapeType::rank);
  static constexpr dims value = [] {
    if (ShapeType::rank == 0) return dims{1};
    if (first >= last) return ShapeType::value;
    dims d;
    for (int i = 0; i < ShapeType::rank; ++i) {
      const index_t e = ShapeType::value.extent[i];
      if (i <= first || i > last) d.push_back(e);
      else d[-1] = d[-1] == 0 || e == 0 ? 0 : d[-1] < 0 || e < 0 ? dyn : d[-1] * e;
    }
    return d;
  }();
};
/// Extents in place of one axis.
template <class ShapeType, int Axis, index_t... Extents>
struct unflattened_axis {
  static constexpr int at = repaired_axis(Axis, ShapeType::rank);
  using inner = reshape_of<Shape<ShapeType::value.extent[at]>, Extents...>;
  static constexpr dims value = [] {
    dims d;
    for (int i = 0; i < ShapeType::rank; ++i) {
      if (i != at) d.push_back(ShapeType::value.extent[i]);
      else for (index_t e : inner::value) d.push_back(e);
    }
    return d;
  }();
};

}  // namespace detail

/// The elements in row-major order under other extents: reshape<8, -1>(x). A view where the layout allows it.
/// https://pytorch.org/docs/stable/generated/torch.reshape.html
template <index_t... Extents, expression X>
auto reshape(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  using rule = detail::reshape_of<shape_t<X>, Extents...>;
  detail::check_fills<rule, shape_t<X>, Extents...>();
  return detail::view_of<X, shape_from<rule>>(
      detail::reshape_view(evaluate(x), detail::asked_extents<Extents...>, detail::tape_of<X>));
}
template <expression X, std::size_t Rank>
auto reshape(const X& x, const index_t (&extents)[Rank], const place& where = place::current()) {
  const detail::Noted noted(where);
  dims to;
  for (index_t e : extents) to.push_back(e);
  return detail::dynamic_view_of<X, int(Rank)>(detail::reshape_view(evaluate(x), to, detail::tape_of<X>));
}

/// As reshape(), but always a view: an error where the layout does not allow it.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.view.html
template <index_t... Extents, expression X>
auto view(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  using rule = detail::reshape_of<shape_t<X>, Extents...>;
  detail::check_fills<rule, shape_t<X>, Extents...>();
  return detail::view_of<X, shape_from<rule>>(
      detail::reshape_view(evaluate(x), detail::asked_extents<Extents...>, detail::tape_of<X>, true));
}
template <expression X, std::size_t Rank>
auto view(const X& x, const index_t (&extents)[Rank], const place& where = place::current()) {
  const detail::Noted noted(where);
  dims to;
  for (index_t e : extents) to.push_back(e);
  return detail::dynamic_view_of<X, int(Rank)>(detail::reshape_view(evaluate(x), to, detail::tape_of<X>, true));
}

/// Axes First .. Last as one. https://pytorch.org/docs/stable/generated/torch.flatten.html
template <int First = 0, int Last = -1, expression X>
auto flatten(const X& x) {
  detail::check_axis<X, First>();
  detail::check_axis<X, Last>();
  using rule = detail::flattened_axes<shape_t<X>, First, Last>;
  static_assert(rule::first <= rule::last, "tt::flatten: the first axis must not come after the last");
  return detail::view_of<X, shape_from<rule>>(detail::flatten_view(evaluate(x), First, Last, detail::tape_of<X>));
}
/// All axes as one.
template <expression X>
auto ravel(const X& x) {
  return flatten(x);
}

/// Several axes in place of one: unflatten<1, 2, -1>(x).
/// https://pytorch.org/docs/stable/generated/torch.unflatten.html
template <int Axis, index_t... Extents, expression X>
  requires(sizeof...(Extents) > 0)
auto unflatten(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(rank_of<X> > 0, "tt::unflatten: a tensor without axes has none to unflatten");
  detail::check_axis<X, Axis>();
  using rule = detail::unflattened_axis<shape_t<X>, Axis, Extents...>;
  detail::check_fills<typename rule::inner, Shape<shape_t<X>::value.extent[rule::at]>, Extents...>();
  return detail::view_of<X, shape_from<rule>>(
      detail::unflatten_view(evaluate(x), Axis, detail::asked_extents<Extents...>, detail::tape_of<X>));
}
template <expression X, std::size_t Count>
auto unflatten(const X& x, int axis, const index_t (&extents)[Count], const place& where = place::current()) {
  const detail::Noted noted(where);
  dims to;
  for (index_t e : extents) to.push_back(e);
  return detail::dynamic_view_of<X, rank_of<X> - 1 + int(Count)>(
      detail::unflatten_view(evaluate(x), axis, to, detail::tape_of<X>));
}

}  // namespace tt
