// Norms of vectors, as expressions of other ops.
#pragma once
#include <tt/ops/axes.hpp>
#include <tt/ops/moments.hpp>  // distance_t

namespace tt {

namespace detail {

template <class Steps, class T>
auto length_kept(const Steps& on, const T& x) {
  return on.stored(on.template map<ops::root>(on.template reduce<ops::sum>(on.squared(x))));
}
inline void check_order(double p, index_t count) {
  if (p < 0 && count == 0) fail("tt::norm: of nothing there is no norm of a negative order");
}
/// (sum of lengths^p)^(1/p), for one element or more. The lengths are measured by the largest, for a negative order by
/// the least: powers of what is near 1 neither vanish nor overflow, where those of the elements would, and the slope
/// with them. The norm is the same by any measure, so that no derivative goes through it. A length of 0 makes a norm of
/// a negative order 0, with slopes of 0.
template <class Steps, class T>
auto power_norm(const Steps& on, const T& x, double p) {
  const auto plain = on.template map<ops::abs>(x.detach());
  const auto end =
      p > 0 ? on.stored(on.template reduce<ops::amax>(plain)) : on.stored(on.template reduce<ops::amin>(plain));
  const auto infinite = on.template map<ops::eq>(end, std::numeric_limits<double>::infinity());
  const auto measure = on.stored(on.template map<ops::where>(infinite, 1, end));
  const auto none = on.stored(on.template map<ops::eq>(measure, 0));
  const auto unit = on.stored(on.template map<ops::where>(none, 1, measure));
  const auto measured = on.template map<ops::div>(on.template map<ops::abs>(x), unit);
  const auto shares = on.template map<ops::where>(none, p > 0 ? 0 : 1, measured);
  const auto powers = on.template reduce<ops::sum>(on.template map<ops::pow>(shares, p));
  return on.stored(on.template map<ops::mul>(measure, on.template map<ops::pow>(powers, 1 / p)));
}
/// Of real numbers. abs has the slope 0 at 0, so that each of these has the gradient 0 there.
template <class Steps, class T>
auto norm_kept(const Steps& on, const T& x, double p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (p == 2) return length_kept(on, x);
  const index_t n = reduced_count(x.sizes(), on.set);
  check_order(p, n);
  if (p == 0) return on.count(x);
  const auto lengths = on.template map<ops::abs>(x);
  if (p == 1 || (n == 0 && p < infinity)) return on.stored(on.template reduce<ops::sum>(lengths));
  if (p == infinity) return on.stored(on.template reduce<ops::amax>(lengths));
  if (p == -infinity) return on.stored(on.template reduce<ops::amin>(lengths));
  return power_norm(on, x, p);
}

template <class X>
auto magnitudes(const X& e) {
  if constexpr (is_complex(dtype_of<value_t<X>>)) return eval(abs(e));
  else return to<compute_t<value_t<X>>>(e);
}
template <class X, class Axes>
auto norm_over(const X& e, double p, const Axes& axes) {
  check_reduce<ops::mean, X>();
  const auto x = magnitudes(e);
  const AxisSet set = axes.set(x, "norm");
  return to<distance_t<X>>(finished(norm_kept(TypedSteps<Axes>{axes, set}, x, p), x, axes, set));
}

}  // namespace detail

/// The root of the sum of squares, over axes of the type, of none over all; `keepdim` may follow. Its gradient at 0 is
/// 0.
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto norm(const X& e, Keep...) {
  using kept = detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...>;
  detail::check_reduce<ops::mean, X>();
  const kept axes;
  const auto x = to<compute_t<value_t<X>>>(e);
  const detail::AxisSet set = axes.set(x, "norm");
  const auto y = detail::length_kept(detail::TypedSteps<kept>{axes, set}, x);
  return to<detail::distance_t<X>>(detail::finished(y, x, axes, set));
}
/// sum(abs(x)^p)^(1/p) for any p, also where the powers overflow or vanish; the largest absolute value for infinity,
/// the least for -infinity, the number of elements that are not 0 for 0.
/// https://pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto norm(const X& x, double p, Keep...) {
  return detail::norm_over(x, p, detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...>{});
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto norm(const X& x, double p, detail::one_axis axis, Keep...) {
  const int axes[] = {axis};
  return detail::norm_over(x, p, detail::GivenAxes<detail::keeps_axes<Keep...>, 1>{axes});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto norm(const X& x, double p, const int (&axes)[Count], Keep...) {
  return detail::norm_over(x, p, detail::GivenAxes<detail::keeps_axes<Keep...>, Count>{axes});
}
/// The norm of x - y. https://pytorch.org/docs/stable/generated/torch.dist.html
template <expression X, expression Y>
auto dist(const X& x, const Y& y, double p = 2) {
  return norm(eval(x - y), p);
}

}  // namespace tt
