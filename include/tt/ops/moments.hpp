// Variances and standard deviations, as expressions of other ops.
#pragma once
#include <tt/ops/axes.hpp>

#include <cstring>

namespace tt {

/// Written after the axes: what is taken off the number of elements before the sum of squares is divided by it. 1 where
/// it is not given; 0 is PyTorch's unbiased=False.
struct correction {
  double value = 1;
};

namespace detail {

template <class Option>
concept moment_option = std::is_same_v<Option, keepdim_t> || std::is_same_v<Option, correction>;

template <moment_option... Option>
double taken_off(const Option&... option) {
  double taken = correction{}.value;
  ([&] { if constexpr (std::is_same_v<Option, correction>) taken = option.value; }(), ...);
  return taken;
}

/// For each result the first of its elements, which does not follow x on the tape; 0 where there are none.
TT_NOINLINE inline AnyTensor first_along(const AnyTensor& x, AxisSet axes) {
  const dims size = reduced(x.sizes(), axes, true);
  if (x.numel()) return x.with_layout(size, x.strides(), 0);
  const AnyTensor none = AnyTensor::empty(x.dtype(), size, x.memory());
  zero_elements(none);
  return none;
}

/// sum(square(x - mean)) / (n - taken), the axes kept. An element is taken off before the mean is: numbers that are far
/// from 0 and near one another lose nothing, and equal ones have the variance 0 exactly. The distances from the mean
/// add up to 0, so the first derivative does not go through the mean; the second does.
template <class Steps, class T>
auto var_kept(const Steps& on, const T& x, double taken) {
  const auto first = on.left_of(x, first_along(x, on.set));
  const auto middle = on.stored(on.template reduce<ops::mean>(on.template map<ops::sub>(on.still(x), first)));
  const auto squares = on.squared(on.template map<ops::sub>(on.template map<ops::sub>(x, first), middle));
  const double n = double(reduced_count(x.sizes(), on.set));
  return on.stored(on.template map<ops::div>(on.template reduce<ops::sum>(squares), (std::max)(n - taken, 0.0)));
}
/// Its root.
template <class Steps, class T>
auto std_kept(const Steps& on, const T& x, double taken) {
  return on.stored(on.template map<ops::root>(var_kept(on, x, taken)));
}

/// The dtype that a tensor's distances have: of complex numbers that of their parts.
template <class X>
using distance_t = tt::element_of<real_dtype(dtype_of<value_t<X>>)>;

template <class X, class Axes>
auto var_over(const X& e, const Axes& axes, double taken) {
  check_reduce<ops::mean, X>();
  const auto x = to<compute_t<value_t<X>>>(e);
  const AxisSet set = axes.set(x, "var");
  return to<distance_t<X>>(finished(var_kept(TypedSteps<Axes>{axes, set}, x, taken), x, axes, set));
}
template <class X, class Axes>
auto std_over(const X& e, const Axes& axes, double taken) {
  check_reduce<ops::mean, X>();
  const auto x = to<compute_t<value_t<X>>>(e);
  const AxisSet set = axes.set(x, "std");
  return to<distance_t<X>>(finished(std_kept(TypedSteps<Axes>{axes, set}, x, taken), x, axes, set));
}
template <class X, class Axes>
auto mean_over(const X& x, const Axes& axes) {
  return finished(eval(axes.template kept<ops::mean>(x)), x, axes, axes.set(x, "mean"));
}

}  // namespace detail

/// The variance over axes of the type, of none over all; `correction` and `keepdim` may follow. Of one element it is
/// NaN, with a correction above their number infinite. Rounding errors do not grow with the mean.
/// https://pytorch.org/docs/stable/generated/torch.var.html
template <int... Axes, expression X, detail::moment_option... Option>
auto var(const X& x, Option... option) {
  return detail::var_over(x, detail::TypedAxes<detail::keeps_axes<Option...>, Axes...>{}, detail::taken_off(option...));
}
template <expression X, detail::moment_option... Option>
auto var(const X& x, detail::one_axis axis, Option... option) {
  const int axes[] = {axis};
  return var(x, axes, option...);
}
template <expression X, std::size_t Count, detail::moment_option... Option>
auto var(const X& x, const int (&axes)[Count], Option... option) {
  const detail::GivenAxes<detail::keeps_axes<Option...>, Count> given{axes};
  return detail::var_over(x, given, detail::taken_off(option...));
}

/// The root of the variance. Of equal values its gradient is 0.
/// https://pytorch.org/docs/stable/generated/torch.std.html
template <int... Axes, expression X, detail::moment_option... Option>
auto std(const X& x, Option... option) {
  return detail::std_over(x, detail::TypedAxes<detail::keeps_axes<Option...>, Axes...>{}, detail::taken_off(option...));
}
template <expression X, std::size_t Count, detail::moment_option... Option>
auto std(const X& x, const int (&axes)[Count], Option... option) {
  const detail::GivenAxes<detail::keeps_axes<Option...>, Count> given{axes};
  return detail::std_over(x, given, detail::taken_off(option...));
}
template <expression X, detail::moment_option... Option>
auto std(const X& x, detail::one_axis axis, Option... option) {
  const int axes[] = {axis};
  return std(x, axes, option...);
}

/// The variance, or its root, and the mean, as a pair; over axes as in var.
/// https://pytorch.org/docs/stable/generated/torch.var_mean.html
template <int... Axes, expression X, detail::moment_option... Option>
auto var_mean(const X& e, Option... option) {
  const auto x = eval(e);
  const detail::TypedAxes<detail::keeps_axes<Option...>, Axes...> axes;
  return std::pair(var<Axes...>(x, option...), detail::mean_over(x, axes));
}
template <expression X, std::size_t Count, detail::moment_option... Option>
auto var_mean(const X& e, const int (&axes)[Count], Option... option) {
  const auto x = eval(e);
  const detail::GivenAxes<detail::keeps_axes<Option...>, Count> given{axes};
  given.set(x, "var_mean");  // its errors before those of its parts
  return std::pair(var(x, axes, option...), detail::mean_over(x, given));
}
template <expression X, detail::moment_option... Option>
auto var_mean(const X& x, detail::one_axis axis, Option... option) {
  const int axes[] = {axis};
  return var_mean(x, axes, option...);
}
template <int... Axes, expression X, detail::moment_option... Option>
auto std_mean(const X& e, Option... option) {
  const auto x = eval(e);
  const detail::TypedAxes<detail::keeps_axes<Option...>, Axes...> axes;
  return std::pair(std<Axes...>(x, option...), detail::mean_over(x, axes));
}
template <expression X, std::size_t Count, detail::moment_option... Option>
auto std_mean(const X& e, const int (&axes)[Count], Option... option) {
  const auto x = eval(e);
  const detail::GivenAxes<detail::keeps_axes<Option...>, Count> given{axes};
  given.set(x, "std_mean");  // its errors before those of its parts
  return std::pair(std(x, axes, option...), detail::mean_over(x, given));
}
template <expression X, detail::moment_option... Option>
auto std_mean(const X& x, detail::one_axis axis, Option... option) {
  const int axes[] = {axis};
  return std_mean(x, axes, option...);
}

}  // namespace tt
