// prod: products along an axis, or of all elements.
#pragma once
#include <tt/ops/casts.hpp>
#include <tt/ops/joining.hpp>
#include <tt/ops/reductions.hpp>
#include <tt/ops/views.hpp>

namespace tt {

namespace detail {

/// The product along an axis, which stays with extent 1; `mul` multiplies two tensors (dispatch/product.hpp). Of
/// nothing it is 1, on the tape by `record_empty`.
inline AnyTensor run_product(const AnyTensor& x, index_t axis, const MapKernel& mul, RecordView record,
                             RecordMove record_empty);

/// Computed in the type that kernels compute in, and rounded once.
template <class ShapeType, class X>
auto product_of(const X& x, int axis, const dims& size) {
  static_assert(!is_storage_only(dtype_of<value_t<X>>) || error::wrong_dtype<error::operands<ops::mul, value_t<X>>>,
                "tt::prod: it is not defined for the dtype of its operand: cast it with to<T>()");
  using number = compute_t<value_t<X>>;
  using result = std::conditional_t<is_integral(dtype_of<value_t<X>>), std::int64_t, value_t<X>>;
  using leaf = prog::leaf<(order_of<X> > 0)>;
  using plain = prog::op<ops::mul, prog::leaf<false>, prog::leaf<false>>;
  constexpr const MapKernel& mul =
      backend<device_t<X>>::template map<dtype_of<number>, dtype_of<number>, plain, prog::op<ops::mul, leaf, leaf>,
                                         (std::max)(order_of<X>, 1)>();
  const auto wide = to<number>(x);
  const AnyTensor y = run_product(wide, axis, mul, view_record<order_of<X>>, move_record<order_of<X>>);
  using kept = Tensor<number, ShapeType, device_t<X>, order_of<decltype(wide)>>;
  return to<result>(kept(reshape_view(y, size, view_record<order_of<X>>)));
}

}  // namespace detail

/// The product of all elements, 1 of none. Integers and bools give int64. Right gradients with zeros among the factors,
/// for they are those of products of two. https://pytorch.org/docs/stable/generated/torch.prod.html
template <expression X>
auto prod(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::product_of<Shape<>>(reshape<dyn>(x), 0, {});
}
/// The product along one axis.
template <int Axis, expression X>
auto prod(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  const auto v = eval(x);
  constexpr detail::AxisSet set = detail::static_axes<rank_of<X>, Axis>();
  using shape = shape_from<detail::reduced_of<shape_t<X>, set, false>>;
  return detail::product_of<shape>(v, Axis, detail::reduced(v.sizes(), set, false));
}
template <expression X>
auto prod(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  const auto v = eval(x);
  const detail::AxisSet set = detail::axis_set("prod", &axis, 1, rank_of<X>);
  using shape = dynamic_shape<(rank_of<X> > 0 ? rank_of<X> - 1 : 0)>;
  return detail::product_of<shape>(v, axis, detail::reduced(v.sizes(), set, false));
}

}  // namespace tt
