// Views: transpose, permute, reshape, view, slice, select. They share the elements of their base; only reshape may copy.
#pragma once
#include <tt/expr/contract.hpp>
#include <tt/expr/reduce.hpp>
#include <tt/expr/view.hpp>

namespace tt {

namespace detail {

inline void record_view(const AnyTensor& out, const AnyTensor& base, const ViewLayout&, std::string_view name);  // autograd/view.hpp
template <int Order>
inline constexpr RecordView view_record = Order > 0 ? record_view : nullptr;

template <class X, class ShapeType>
using view_of = Tensor<value_t<X>, ShapeType, device_t<X>, order_of<X>>;

template <class ShapeType, int First, int Second>
struct swapped_axes {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    std::swap(d.extent[repaired_axis(First, d.rank)], d.extent[repaired_axis(Second, d.rank)]);
    return d;
  }();
};
template <class ShapeType, int Axis>
struct without_axis {
  static constexpr dims value = reduced(ShapeType::value, AxisSet(1) << repaired_axis(Axis, ShapeType::rank), false);
};
template <class ShapeType, int Axis>
struct with_dynamic_axis {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    d.extent[repaired_axis(Axis, d.rank)] = dyn;
    return d;
  }();
};
/// The extents asked for, with the one dyn worked out where the number of elements is static.
template <class ShapeType, index_t... Extents>
struct reshape_of {
  static constexpr bool known = ShapeType::is_static && ((Extents >= 0) && ...);
  static constexpr bool one_hole = ShapeType::is_static && (int(Extents == dyn) + ... + 0) == 1 && ((Extents >= dyn) && ...);
  static constexpr index_t all = ShapeType::value.count(), product = dims{Extents...}.count();
  static constexpr bool fits_in = known ? all == product : one_hole ? product != 0 && all % product == 0 : true;
  static constexpr dims value = [] {
    dims d{Extents...};
    for (int i = 0; one_hole && fits_in && i < d.rank; ++i)
      if (d.extent[i] == dyn) d.extent[i] = all / product;
    return d;
  }();
};

}  // namespace detail

template <class E>
AnyTensor materialise(const Transposed<E>& e) {
  return detail::transpose_view(evaluate(e.of), -1, -2, detail::view_record<E::order>);
}

namespace error {
template <class Operands>
inline constexpr bool does_not_fill = false;
}

/// The last two axes exchanged. Free in a product; anywhere else a view.
template <expression X>
auto transpose(const X& x) {
  static_assert(rank_of<X> >= 2, "tt::transpose: the tensor needs two axes");
  if constexpr (rank_of<X> == 2) return Transposed<std::conditional_t<is_expression<X> && std::is_base_of_v<AnyTensor, X>, X, detail::view_of<X, shape_t<X>>>>(eval(x));
  else if constexpr (rank_of<X> > 2) return transpose<-1, -2>(x);
  else return eval(x);
}
/// Two axes exchanged.
template <int First, int Second, expression X>
auto transpose(const X& x) {
  detail::check_axis<X, First>();
  detail::check_axis<X, Second>();
  using shape = shape_from<detail::swapped_axes<shape_t<X>, First, Second>>;
  return detail::view_of<X, shape>(detail::transpose_view(evaluate(x), First, Second, detail::view_record<order_of<X>>));
}
template <expression X>
auto transpose(const X& x, int first, int second, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, dynamic_shape<rank_of<X>>>(detail::transpose_view(evaluate(x), first, second, detail::view_record<order_of<X>>));
}
/// transpose of a matrix, as PyTorch's t().
template <expression X>
auto t(const X& x) {
  static_assert(rank_of<X> == 2, "tt::t: the tensor must be a matrix");
  return transpose(x);
}

/// Axis k of the result is axis Axes[k] of x.
template <int... Axes, expression X>
auto permute(const X& x) {
  (detail::check_axis<X, Axes>(), ...);
  constexpr bool all = std::popcount(((detail::AxisSet(1) << repaired_axis(Axes, rank_of<X>)) | ... | 0)) == rank_of<X>;
  static_assert((sizeof...(Axes) == std::size_t(rank_of<X>) && all) || ((normal_axis(Axes, rank_of<X>) < 0) || ...),
                "tt::permute: each axis must be named once");
  const index_t axes[] = {Axes...};
  using shape = Shape<shape_t<X>::value.extent[repaired_axis(Axes, rank_of<X>)]...>;
  return detail::view_of<X, shape>(detail::permute_view(evaluate(x), axes, detail::view_record<order_of<X>>));
}

/// The elements in row-major order under other extents: reshape<8, -1>(x). A view where the layout allows it.
/// https://pytorch.org/docs/stable/generated/torch.reshape.html
template <index_t... Extents, expression X>
auto reshape(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  using rule = detail::reshape_of<shape_t<X>, Extents...>;
  static_assert(rule::fits_in || error::does_not_fill<error::operands<error::words_t<error::got, shape_t<X>>, error::words_t<error::expected, Shape<Extents...>>>>,
                "tt::reshape: the number of elements differs");
  dims to{Extents...};
  for (int i = 0; i < to.rank; ++i)
    if (to.extent[i] < 0) to.extent[i] = -1;
  return detail::view_of<X, shape_from<rule>>(detail::reshape_view(evaluate(x), to, detail::view_record<order_of<X>>));
}
template <expression X, std::size_t Rank>
auto reshape(const X& x, const index_t (&extents)[Rank], const place& where = place::current()) {
  const detail::Noted noted(where);
  dims to;
  for (index_t e : extents) to.push_back(e);
  return detail::view_of<X, dynamic_shape<int(Rank)>>(detail::reshape_view(evaluate(x), to, detail::view_record<order_of<X>>));
}

/// Positions start, start + step, .. below stop of one axis; negative ones count from the end.
template <int Axis, expression X>
auto slice(const X& x, index_t start, index_t stop, index_t step = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  using shape = shape_from<detail::with_dynamic_axis<shape_t<X>, Axis>>;
  return detail::view_of<X, shape>(detail::slice_view(evaluate(x), Axis, start, stop, step, detail::view_record<order_of<X>>));
}
template <expression X>
auto slice(const X& x, int axis, index_t start, index_t stop, index_t step = 1, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::view_of<X, dynamic_shape<rank_of<X>>>(detail::slice_view(evaluate(x), axis, start, stop, step, detail::view_record<order_of<X>>));
}

/// One position of an axis; the axis goes.
template <int Axis, expression X>
auto select(const X& x, index_t index, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  using shape = shape_from<detail::without_axis<shape_t<X>, Axis>>;
  return detail::view_of<X, shape>(detail::select_view(evaluate(x), Axis, index, detail::view_record<order_of<X>>));
}
template <expression X>
auto select(const X& x, int axis, index_t index, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(rank_of<X> >= 1, "tt::select: the tensor has no axis");
  return detail::view_of<X, dynamic_shape<rank_of<X> - 1>>(detail::select_view(evaluate(x), axis, index, detail::view_record<order_of<X>>));
}

}  // namespace tt
