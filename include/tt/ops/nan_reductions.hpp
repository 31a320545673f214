// Reductions that pass over NaN: nansum, nanmean.
#pragma once
#include <tt/ops/axes.hpp>
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>

namespace tt {

namespace detail {

template <class X, class Axes>
auto nansum_kept(const X& x, const Axes& axes) {
  if constexpr (std::is_integral_v<value_t<X>>) return eval(axes.template kept<ops::sum>(x));
  else return eval(axes.template kept<ops::sum>(where(x == x, x, 0)));
}
template <class X, class Axes>
auto nansum_over(const X& e, const Axes& axes) {
  const auto x = eval(e);
  const AxisSet set = axes.set(x, "nansum");
  return finished(nansum_kept(x, axes), x, axes, set);
}
template <class X, class Axes>
auto nanmean_over(const X& e, const Axes& axes) {
  check_reduce<ops::mean, X>();
  const auto x = to<compute_t<value_t<X>>>(e);
  const AxisSet set = axes.set(x, "nanmean");
  const auto y = eval(nansum_kept(x, axes) / axes.template kept<ops::sum>(x == x));
  return to<value_t<X>>(finished(y, x, axes, set));
}

}  // namespace detail

/// The sum of the elements that are numbers, over axes of the type, of none over all; `keepdim` may follow. NaN has the
/// gradient 0. https://pytorch.org/docs/stable/generated/torch.nansum.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto nansum(const X& x, Keep...) {
  return detail::nansum_over(x, detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...>{});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto nansum(const X& x, const int (&axes)[Count], Keep...) {
  return detail::nansum_over(x, detail::GivenAxes<detail::keeps_axes<Keep...>, Count>{axes});
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto nansum(const X& x, detail::one_axis axis, Keep... keep) {
  const int axes[] = {axis};
  return nansum(x, axes, keep...);
}
/// The mean of the elements that are numbers; of none it is NaN.
/// https://pytorch.org/docs/stable/generated/torch.nanmean.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto nanmean(const X& x, Keep...) {
  return detail::nanmean_over(x, detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...>{});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto nanmean(const X& x, const int (&axes)[Count], Keep...) {
  return detail::nanmean_over(x, detail::GivenAxes<detail::keeps_axes<Keep...>, Count>{axes});
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto nanmean(const X& x, detail::one_axis axis, Keep... keep) {
  const int axes[] = {axis};
  return nanmean(x, axes, keep...);
}

}  // namespace tt
