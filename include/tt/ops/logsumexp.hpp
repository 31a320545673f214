// logsumexp, as an expression of other ops.
#pragma once
#include <tt/ops/axes.hpp>
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/softmax.hpp>

namespace tt {

namespace detail {

/// Integers give float; 16-bit numbers are summed as floats and rounded once.
template <class X>
using logsumexp_t = std::conditional_t<std::is_integral_v<value_t<X>>, tt::element_of<default_dtype>, value_t<X>>;

/// The maximum is taken off first, so that no exp overflows, but not an infinite one: it would take itself off. The
/// gradient through the shift cancels.
template <class E, class Axes>
auto logsumexp_over(const E& e, const Axes& axes) {
  using number = compute_t<logsumexp_t<E>>;
  constexpr auto infinity = std::numeric_limits<number>::infinity();
  const auto x = to<number>(e);
  const AxisSet set = axes.set(x, "logsumexp");
  const auto m = eval(axes.template kept<ops::shift_max>(x.detach()));
  const auto shift = eval(where(abs(m) < infinity, m, 0));
  const auto y = eval(log(axes.template kept<ops::sum>(exp(x - shift))) + shift);
  return to<logsumexp_t<E>>(finished(y, x, axes, set));
}

}  // namespace detail

/// log(sum(exp(x))) over axes, or over all: finite wherever the exact value is, -inf of nothing. Where every element is
/// -inf the gradient is NaN, as in PyTorch. https://pytorch.org/docs/stable/generated/torch.logsumexp.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto logsumexp(const X& x, Keep...) {
  return detail::logsumexp_over(x, detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...>{});
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto logsumexp(const X& x, int axis, Keep...) {
  const int axes[] = {axis};
  return detail::logsumexp_over(x, detail::GivenAxes<detail::keeps_axes<Keep...>, 1>{axes});
}

}  // namespace tt
