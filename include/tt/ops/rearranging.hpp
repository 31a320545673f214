// Copies that put elements elsewhere: flip, roll, rot90; or there several times: repeat, tile, repeat_interleave.
#pragma once
#include <tt/ops/indexing.hpp>
#include <tt/ops/joining.hpp>

namespace tt {

namespace detail {

/// Extents times repeats, from the last axis on.
template <class ShapeType, index_t... Repeats>
struct repeated_of {
  static constexpr dims value = [] {
    dims out{Repeats...};
    while (out.rank < ShapeType::rank) {
      out.push_back(1);
      for (int i = out.rank - 1; i > 0; --i) out.extent[i] = out.extent[i - 1];
      out.extent[0] = 1;
    }
    for (int i = 1; i <= ShapeType::rank; ++i) {
      const index_t extent = ShapeType::value[-i];
      if (out[-i] != 1) out[-i] = extent < 0 ? dyn : out[-i] * extent;
      else out[-i] = extent;
    }
    return out;
  }();
};
template <class ShapeType, int Axis, index_t Repeats>
struct interleaved_of {
  static constexpr dims value = [] {
    dims out = ShapeType::value;
    index_t& e = out.extent[repaired_axis(Axis, out.rank)];
    if (e >= 0) e *= Repeats;
    else if (Repeats != 1) e = dyn;
    return out;
  }();
};
template <std::size_t Count>
dims listed(const index_t (&list)[Count]) {
  dims out;
  for (index_t e : list) out.push_back(e);
  return out;
}
/// tile's repeats: ones in front where x has more axes.
inline dims tiled(const dims& repeats, int rank) {
  dims out;
  while (out.rank + repeats.rank < rank) out.push_back(1);
  for (index_t r : repeats) out.push_back(r);
  return out;
}

}  // namespace detail

/// The order along each of the axes turned round. A copy. https://pytorch.org/docs/stable/generated/torch.flip.html
template <int... Axes, expression X>
requires(sizeof...(Axes) > 0) auto flip(const X& x) {
  (void)detail::static_axes<rank_of<X>, Axes...>();
  const index_t axes[] = {Axes...};
  return detail::view_of<X, shape_t<X>>(detail::run_flip("flip", evaluate(x), axes, detail::move_record<order_of<X>>));
}
template <expression X, std::size_t Count>
auto flip(const X& x, const index_t (&axes)[Count], const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, shape_t<X>>(detail::run_flip("flip", evaluate(x), axes, detail::move_record<order_of<X>>));
}
/// Left and right exchanged: axis 1.
template <expression X>
auto fliplr(const X& x) {
  static_assert(rank_of<X> >= 2, "tt::fliplr: the tensor needs two axes");
  return flip<1>(x);
}
/// Up and down exchanged: axis 0.
template <expression X>
auto flipud(const X& x) {
  static_assert(rank_of<X> >= 1, "tt::flipud: the tensor needs an axis");
  return flip<0>(x);
}

/// Elements moved on by `shift` positions of an axis; what leaves at the end comes in at the front.
/// https://pytorch.org/docs/stable/generated/torch.roll.html
template <int Axis, expression X>
auto roll(const X& x, index_t shift) {
  detail::check_axis<X, Axis>();
  const index_t axis = Axis;
  return detail::view_of<X, shape_t<X>>(
      detail::run_roll(evaluate(x), {&shift, 1}, {&axis, 1}, detail::move_record<order_of<X>>));
}
/// Along several axes: roll(x, {1, -2}, {0, 1}).
template <expression X, std::size_t Count>
auto roll(const X& x, const index_t (&shifts)[Count], const index_t (&axes)[Count],
          const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, shape_t<X>>(detail::run_roll(evaluate(x), shifts, axes, detail::move_record<order_of<X>>));
}
/// Over all elements in row-major order.
template <expression X>
auto roll(const X& x, index_t shift, const place& where = place::current()) {
  const detail::Noted noted(where);
  const AnyTensor flat = detail::reshape_view(evaluate(x), {-1}, detail::view_record<order_of<X>>);
  const index_t axis = 0;
  const AnyTensor rolled = detail::run_roll(flat, {&shift, 1}, {&axis, 1}, detail::move_record<order_of<X>>);
  return detail::view_of<X, shape_t<X>>(
      detail::reshape_view(rolled, evaluate(x).sizes(), detail::view_record<order_of<X>>));
}

/// K quarter turns in a plane, from its first axis towards its second. A copy.
/// https://pytorch.org/docs/stable/generated/torch.rot90.html
template <int Turns, int First = 0, int Second = 1, expression X>
auto rot90(const X& x) {
  static_assert(rank_of<X> >= 2, "tt::rot90: the tensor needs two axes");
  (void)detail::static_axes<rank_of<X>, First, Second>();
  using swapped = shape_from<detail::swapped_axes<shape_t<X>, First, Second>>;
  using shape = std::conditional_t<Turns % 2 == 0, shape_t<X>, swapped>;
  return detail::view_of<X, shape>(
      detail::run_rot90(evaluate(x), Turns, First, Second, detail::move_record<order_of<X>>));
}
template <expression X>
auto rot90(const X& x, index_t turns = 1, int first = 0, int second = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, dynamic_shape<rank_of<X>>>(
      detail::run_rot90(evaluate(x), turns, first, second, detail::move_record<order_of<X>>));
}

/// The tensor Repeats times after itself along each axis; further repeats in front add axes.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.repeat.html
template <index_t... Repeats, expression X>
requires(sizeof...(Repeats) > 0) auto repeat(const X& x) {
  static_assert(sizeof...(Repeats) >= std::size_t(rank_of<X>),
                "tt::repeat: each axis needs a number of repeats: tile() counts from the last");
  static_assert(((Repeats >= 0) && ...), "tt::repeat: an axis cannot be repeated a negative number of times");
  using shape = shape_from<detail::repeated_of<shape_t<X>, Repeats...>>;
  return detail::view_of<X, shape>(
      detail::run_repeat("repeat", evaluate(x), {Repeats...}, detail::move_record<order_of<X>>));
}
template <expression X, std::size_t Count>
auto repeat(const X& x, const index_t (&repeats)[Count], const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, dynamic_shape<int(Count)>>(
      detail::run_repeat("repeat", evaluate(x), detail::listed(repeats), detail::move_record<order_of<X>>));
}
/// As repeat(), but missing repeats are ones in front. https://pytorch.org/docs/stable/generated/torch.tile.html
template <index_t... Repeats, expression X>
requires(sizeof...(Repeats) > 0) auto tile(const X& x) {
  static_assert(((Repeats >= 0) && ...), "tt::tile: an axis cannot be repeated a negative number of times");
  using shape = shape_from<detail::repeated_of<shape_t<X>, Repeats...>>;
  return detail::view_of<X, shape>(detail::run_repeat("tile", evaluate(x), detail::tiled({Repeats...}, rank_of<X>),
                                                      detail::move_record<order_of<X>>));
}
template <expression X, std::size_t Count>
auto tile(const X& x, const index_t (&repeats)[Count], const place& where = place::current()) {
  const detail::Noted noted(where);
  using shape = dynamic_shape<(std::max)(int(Count), rank_of<X>)>;
  return detail::view_of<X, shape>(detail::run_repeat(
      "tile", evaluate(x), detail::tiled(detail::listed(repeats), rank_of<X>), detail::move_record<order_of<X>>));
}

/// Each position of an axis several times. https://pytorch.org/docs/stable/generated/torch.repeat_interleave.html
template <int Axis, index_t Repeats, expression X>
auto repeat_interleave(const X& x) {
  detail::check_axis<X, Axis>();
  static_assert(Repeats >= 0, "tt::repeat_interleave: an element cannot be repeated a negative number of times");
  using shape = shape_from<detail::interleaved_of<shape_t<X>, Axis, Repeats>>;
  return detail::view_of<X, shape>(
      detail::run_interleave(evaluate(x), Repeats, Axis, detail::move_record<order_of<X>>));
}
template <expression X>
auto repeat_interleave(const X& x, index_t repeats, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, dynamic_shape<rank_of<X>>>(
      detail::run_interleave(evaluate(x), repeats, axis, detail::move_record<order_of<X>>));
}
/// Each element several times, as a vector.
template <expression X>
auto repeat_interleave(const X& x, index_t repeats, const place& where = place::current()) {
  const detail::Noted noted(where);
  const AnyTensor flat = detail::reshape_view(evaluate(x), {-1}, detail::view_record<order_of<X>>);
  return detail::view_of<X, Shape<dyn>>(detail::run_interleave(flat, repeats, 0, detail::move_record<order_of<X>>));
}
/// Position i of an axis counts[i] times; counts is an int64 vector.
template <expression X, expression Counts>
auto repeat_interleave(const X& x, const Counts& counts, int axis, const place& where = place::current()) {
  static_assert(std::is_same_v<value_t<Counts>, std::int64_t>, "tt::repeat_interleave: the repeats must be int64");
  const detail::Noted noted(where);
  const AnyTensor stored = evaluate(x);
  const int along = detail::view_axis("repeat_interleave", axis, stored.rank());
  const AnyTensor positions =
      detail::interleaved_positions(evaluate(counts), stored.rank() ? stored.sizes()[along] : 1);
  return detail::view_of<X, dynamic_shape<rank_of<X>>>(
      detail::run_index_select(stored, along, positions, detail::index_record<order_of<X>>));
}

}  // namespace tt
