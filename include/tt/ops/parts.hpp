// Views of some of the elements: slice, narrow, select, diagonal, unfold, as_strided. Positions and lengths may be
// arguments of the template too; then they are checked against static extents, and the result's extents are static.
#pragma once
#include <tt/ops/views.hpp>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool outside_the_axis = false;
template <index_t...>
struct positions {};
}  // namespace error

namespace detail {

template <class ShapeType, int Axis, index_t Extent>
struct with_extent {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    d.extent[repaired_axis(Axis, d.rank)] = Extent;
    return d;
  }();
};
template <class ShapeType, int Axis>
struct without_axis {
  static constexpr dims value = reduced(ShapeType::value, AxisSet(1) << repaired_axis(Axis, ShapeType::rank), false);
};
/// The axis's extent; 0 for a tensor without axes.
template <class X, int Axis>
inline constexpr index_t extent_at = rank_of<X> ? shape_t<X>::value.extent[repaired_axis(Axis, rank_of<X>)] : 0;

/// How many positions Start:Stop:Step has of n, by Python's rules; dyn where n is not known.
constexpr index_t sliced_extent(index_t n, index_t start, index_t stop, index_t step) {
  if (n < 0) return dyn;
  start = std::clamp<index_t>(start < 0 ? start + n : start, 0, n);
  stop = (std::max)(std::clamp<index_t>(stop < 0 ? stop + n : stop, 0, n), start);
  return (stop - start) / step + ((stop - start) % step != 0);
}
template <class ShapeType, int First, int Second, index_t Offset>
struct diagonal_of {
  static constexpr dims value = [] {
    const int a = repaired_axis(First, ShapeType::rank), b = repaired_axis(Second, ShapeType::rank);
    const index_t height = ShapeType::value.extent[a], width = ShapeType::value.extent[b];
    dims d = reduced(ShapeType::value, AxisSet(1) << a | AxisSet(1) << b, false);
    if (height < 0 || width < 0) d.push_back(dyn);
    else
      d.push_back(
          (std::max)(index_t(0), Offset < 0 ? (std::min)(height + Offset, width) : (std::min)(height, width - Offset)));
    return d;
  }();
};
template <class ShapeType, int Axis, index_t Size, index_t Step>
struct unfolded_axis {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    if (d.rank > 0) {
      index_t& n = d.extent[repaired_axis(Axis, d.rank)];
      n = n < 0 ? dyn : n < Size ? 0 : (n - Size) / Step + 1;
    }
    d.push_back(Size);
    return d;
  }();
};

template <class X, int Axis>
consteval void check_part() {
  static_assert(rank_of<X> >= 1, "tt: a tensor without axes has none to take a part of");
  (void)static_axes<rank_of<X>, Axis>();
}
template <index_t Extent, bool Inside, index_t... Positions>
consteval void check_inside() {
  static_assert(Extent < 0 || Inside ||
                    error::outside_the_axis<error::operands<error::extent<Extent>, error::positions<Positions...>>>,
                "tt: a position is outside the axis");
}

}  // namespace detail

/// Positions start, start + step, .. below stop of one axis; negative ones count from the end, and all are clamped.
template <int Axis, expression X>
auto slice(const X& x, index_t start, index_t stop, index_t step = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_part<X, Axis>();
  using shape = shape_from<detail::with_extent<shape_t<X>, Axis, dyn>>;
  return detail::view_of<X, shape>(detail::slice_view(evaluate(x), Axis, start, stop, step, detail::tape_of<X>));
}
template <int Axis, index_t Start, index_t Stop, index_t Step = 1, expression X>
auto slice(const X& x) {
  detail::check_part<X, Axis>();
  static_assert(Step > 0, "tt::slice: the step must be positive");
  using shape = shape_from<detail::with_extent<
      shape_t<X>, Axis, detail::sliced_extent(detail::extent_at<X, Axis>, Start, Stop, (std::max)(Step, index_t(1)))>>;
  return detail::view_of<X, shape>(detail::slice_view(evaluate(x), Axis, Start, Stop, Step, detail::tape_of<X>));
}
template <expression X>
auto slice(const X& x, int axis, index_t start, index_t stop, index_t step = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X>>(
      detail::slice_view(evaluate(x), axis, start, stop, step, detail::tape_of<X>));
}

/// `length` positions from start on, which may count from the end; all must be there.
/// https://pytorch.org/docs/stable/generated/torch.narrow.html
template <int Axis, expression X>
auto narrow(const X& x, index_t start, index_t length, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_part<X, Axis>();
  using shape = shape_from<detail::with_extent<shape_t<X>, Axis, dyn>>;
  return detail::view_of<X, shape>(detail::narrow_view(evaluate(x), Axis, start, length, detail::tape_of<X>));
}
template <int Axis, index_t Start, index_t Length, expression X>
auto narrow(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_part<X, Axis>();
  constexpr index_t n = detail::extent_at<X, Axis>;
  detail::check_inside<n, (Length >= 0 && Start >= -n && Start <= n && Length <= n - (Start < 0 ? Start + n : Start)),
                       Start, Length>();
  using shape = shape_from<detail::with_extent<shape_t<X>, Axis, Length>>;
  return detail::view_of<X, shape>(detail::narrow_view(evaluate(x), Axis, Start, Length, detail::tape_of<X>));
}
template <expression X>
auto narrow(const X& x, int axis, index_t start, index_t length, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X>>(
      detail::narrow_view(evaluate(x), axis, start, length, detail::tape_of<X>));
}

/// One position of an axis; the axis goes.
template <int Axis, expression X>
auto select(const X& x, index_t index, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_part<X, Axis>();
  using shape = shape_from<detail::without_axis<shape_t<X>, Axis>>;
  return detail::view_of<X, shape>(detail::select_view(evaluate(x), Axis, index, detail::tape_of<X>));
}
template <int Axis, index_t Index, expression X>
auto select(const X& x, const place& where = place::current()) {
  constexpr index_t n = detail::extent_at<X, Axis>;
  detail::check_inside<n, (Index >= -n && Index < n), Index>();
  return select<Axis>(x, Index, where);
}
template <expression X>
auto select(const X& x, int axis, index_t index, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(rank_of<X> >= 1, "tt::select: the tensor has no axis");
  return detail::dynamic_view_of<X, rank_of<X> - 1>(detail::select_view(evaluate(x), axis, index, detail::tape_of<X>));
}

/// Elements (i, i + Offset) of two axes; they go, and the diagonal is the last axis.
/// https://pytorch.org/docs/stable/generated/torch.diagonal.html
template <index_t Offset = 0, int First = 0, int Second = 1, expression X>
auto diagonal(const X& x) {
  static_assert(rank_of<X> >= 2, "tt::diagonal: the tensor needs two axes");
  detail::check_axis<X, First>();
  detail::check_axis<X, Second>();
  static_assert(normal_axis(First, rank_of<X>) != normal_axis(Second, rank_of<X>) || rank_of<X> < 2,
                "tt::diagonal: the two axes must differ");
  using shape = shape_from<detail::diagonal_of<shape_t<X>, First, Second, Offset>>;
  return detail::view_of<X, shape>(detail::diagonal_view(evaluate(x), Offset, First, Second, detail::tape_of<X>));
}
template <expression X>
auto diagonal(const X& x, index_t offset, int first = 0, int second = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(rank_of<X> >= 2, "tt::diagonal: the tensor needs two axes");
  return detail::dynamic_view_of<X, rank_of<X> - 1>(
      detail::diagonal_view(evaluate(x), offset, first, second, detail::tape_of<X>));
}

/// Windows of Size positions of an axis, one at each Step: the axis counts them, and a new last axis runs within.
/// Windows that overlap are read-only.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html
template <int Axis, index_t Size, index_t Step = 1, expression X>
auto unfold(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  static_assert(Step > 0, "tt::unfold: the step must be positive");
  constexpr index_t n = rank_of<X> ? detail::extent_at<X, Axis> : 1;
  detail::check_inside<n, (Size >= 0 && Size <= n), Size>();
  using shape = shape_from<detail::unfolded_axis<shape_t<X>, Axis, Size, Step>>;
  return detail::view_of<X, shape>(detail::unfold_view(evaluate(x), Axis, Size, Step, detail::tape_of<X>));
}
template <expression X>
auto unfold(const X& x, int axis, index_t size, index_t step = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X> + 1>(
      detail::unfold_view(evaluate(x), axis, size, step, detail::tape_of<X>));
}

/// Any layout over x's storage: element (i, j, ..) is offset + i*stride[0] + j*stride[1] + .. elements from its
/// beginning. Without an offset it begins where x does. What leaves the storage is refused.
/// https://pytorch.org/docs/stable/generated/torch.as_strided.html
template <index_t... Extents, expression X>
auto as_strided(const X& x, const dims& stride, index_t offset, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(((Extents >= 0) && ...), "tt::as_strided: the extents must be numbers");
  return detail::view_of<X, Shape<Extents...>>(
      detail::as_strided_view(evaluate(x), {Extents...}, stride, offset, detail::tape_of<X>));
}
template <index_t... Extents, expression X>
auto as_strided(const X& x, const dims& stride, const place& where = place::current()) {
  const auto stored = eval(x);
  return as_strided<Extents...>(stored, stride, stored.storage_offset(), where);
}
template <expression X, std::size_t Rank>
auto as_strided(const X& x, const index_t (&extents)[Rank], const index_t (&stride)[Rank], index_t offset,
                const place& where = place::current()) {
  const detail::Noted noted(where);
  dims size, strides;
  for (std::size_t i = 0; i < Rank; ++i) size.push_back(extents[i]), strides.push_back(stride[i]);
  return detail::dynamic_view_of<X, int(Rank)>(
      detail::as_strided_view(evaluate(x), size, strides, offset, detail::tape_of<X>));
}
template <expression X, std::size_t Rank>
auto as_strided(const X& x, const index_t (&extents)[Rank], const index_t (&stride)[Rank],
                const place& where = place::current()) {
  const auto stored = eval(x);
  return as_strided(stored, extents, stride, stored.storage_offset(), where);
}

}  // namespace tt
