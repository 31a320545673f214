// Norms of vectors, as expressions of other ops.
#pragma once
#include <tt/ops/axes.hpp>
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/moments.hpp>  // distance_t
#include <tt/ops/root.hpp>

namespace tt {

namespace detail {

template <class T, class Axes>
auto length_kept(const T& x, const Axes& axes) {
  check_reduce<ops::mean, T>();
  return eval(map_of<ops::root>(axes.template kept<ops::sum>(squared(x))));
}
/// Puts a count on the tape of what was counted: it has no gradient, not one of zeros (autograd/still.hpp).
inline void record_still(const AnyTensor& out, const AnyTensor& of);

inline void check_order(double p, index_t count) {
  if (p < 0 && count == 0) fail("tt::norm: of nothing there is no norm of a negative order");
}
/// abs has the slope 0 at 0, so that each of these has the gradient 0 there.
template <class T, class Axes>
auto norm_kept(const T& x, double p, const Axes& axes, AxisSet set) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (p == 2) return length_kept(x, axes);
  check_order(p, reduced_count(x.sizes(), set));
  if (p == 0) {
    const auto count = to<value_t<T>>(axes.template kept<ops::sum>(x != 0));
    const Tensor<value_t<T>, shape_t<decltype(count)>, device_t<T>, order_of<T>> y(evaluate(count));
    if constexpr (order_of<T> > 0) record_still(y, x);
    return y;
  }
  if (p == 1) return eval(axes.template kept<ops::sum>(abs(x)));
  if (p == infinity) return eval(axes.template kept<ops::amax>(abs(x)));
  if (p == -infinity) return eval(axes.template kept<ops::amin>(abs(x)));
  return eval(pow(axes.template kept<ops::sum>(pow(abs(x), p)), 1 / p));
}

template <class X>
auto magnitudes(const X& e) {
  if constexpr (is_complex(dtype_of<value_t<X>>)) return eval(abs(e));
  else return to<compute_t<value_t<X>>>(e);
}
template <class X, class Axes>
auto norm_over(const X& e, double p, const Axes& axes) {
  const auto x = magnitudes(e);
  const AxisSet set = axes.set(x, "norm");
  return to<distance_t<X>>(finished(norm_kept(x, p, axes, set), x, axes, set));
}

}  // namespace detail

/// The root of the sum of squares, over axes of the type, of none over all; `keepdim` may follow. Its gradient at 0 is 0.
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto norm(const X& e, Keep...) {
  const detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...> axes;
  const auto x = to<compute_t<value_t<X>>>(e);
  const auto y = detail::length_kept(x, axes);
  return to<detail::distance_t<X>>(detail::finished(y, x, axes, axes.set(x, "norm")));
}
/// sum(abs(x)^p)^(1/p) for any p; the largest absolute value for infinity, the least for -infinity, the number of
/// elements that are not 0 for 0. https://pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto norm(const X& x, double p, Keep...) {
  return detail::norm_over(x, p, detail::TypedAxes<detail::keeps_axes<Keep...>, Axes...>{});
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto norm(const X& x, double p, int axis, Keep...) {
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
