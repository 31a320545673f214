// logsumexp, as an expression of other ops.
#pragma once
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/softmax.hpp>
#include <tt/ops/views.hpp>

namespace tt {

namespace detail {

/// With the reduced axes kept. The maximum is taken off first, so that no exp overflows, but not an infinite one: it
/// would take itself off. The gradient through the shift cancels.
template <class T>
auto logsumexp_of(const T& x, const auto& largest, const auto& total) {
  constexpr auto infinity = std::numeric_limits<value_t<T>>::infinity();
  const auto m = eval(largest(x.detach()));
  const auto shift = eval(where(abs(m) < infinity, m, 0));
  return eval(log(total(exp(x - shift))) + shift);
}
/// Integers give float; 16-bit numbers are summed as floats and rounded once.
template <class X>
using logsumexp_t = std::conditional_t<std::is_integral_v<value_t<X>>, tt::element_of<default_dtype>, value_t<X>>;
/// Without the reduced axes, where they are not to stay.
template <class ShapeType, bool Keep, class T>
auto dropped(const T& y, AxisSet axes) {
  if constexpr (Keep) return y;
  else return view_of<T, ShapeType>(reshape_view(y, reduced(y.sizes(), axes, false), view_record<order_of<T>>));
}

template <bool Keep, int... Axes, class X>
auto logsumexp_static(const X& x) {
  constexpr AxisSet axes = sizeof...(Axes) ? static_axes<rank_of<X>, Axes...>() : all_axes(rank_of<X>);
  const auto y = logsumexp_of(
      to<compute_t<logsumexp_t<X>>>(x), [](const auto& v) { return reduce_static<ops::shift_max, true, Axes...>(v); },
      [](const auto& v) { return reduce_static<ops::sum, true, Axes...>(v); });
  return to<logsumexp_t<X>>(dropped<shape_from<reduced_of<shape_t<X>, axes, false>>, Keep>(y, axes));
}
template <bool Keep, class X>
auto logsumexp_dynamic(const X& x, int axis) {
  const AxisSet axes = axis_set("logsumexp", &axis, 1, rank_of<X>);
  const auto y = logsumexp_of(
      to<compute_t<logsumexp_t<X>>>(x),
      [axis](const auto& v) { return reduce_dynamic<ops::shift_max, true>(v, {axis}); },
      [axis](const auto& v) { return reduce_dynamic<ops::sum, true>(v, {axis}); });
  return to<logsumexp_t<X>>(dropped<dynamic_shape<(rank_of<X> > 0 ? rank_of<X> - 1 : 0)>, Keep>(y, axes));
}

}  // namespace detail

/// log(sum(exp(x))) over axes, or over all: finite wherever the exact value is, -inf of nothing. Where every element is
/// -inf the gradient is NaN, as in PyTorch. https://pytorch.org/docs/stable/generated/torch.logsumexp.html
template <int... Axes, expression X>
auto logsumexp(const X& x) {
  return detail::logsumexp_static<false, Axes...>(x);
}
template <int... Axes, expression X>
auto logsumexp(const X& x, keepdim_t) {
  return detail::logsumexp_static<true, Axes...>(x);
}
template <expression X>
auto logsumexp(const X& x, int axis) {
  return detail::logsumexp_dynamic<false>(x, axis);
}
template <expression X>
auto logsumexp(const X& x, int axis, keepdim_t) {
  return detail::logsumexp_dynamic<true>(x, axis);
}

}  // namespace tt
