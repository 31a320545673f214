// softmax and log_softmax, as expressions of other ops.
#pragma once
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/reductions.hpp>

namespace tt {

namespace ops {
/// The maximum as a constant to shift by: unlike amax it has a value over nothing.
struct shift_max {
  static constexpr std::string_view name = "amax", onnx = "ReduceMax";
  static constexpr dtype result(dtype t) { return t; }
  static constexpr dtype accumulator(dtype compute) { return compute; }
  template <class V> static constexpr V identity() { return amax::identity<V>(); }
  template <class V> TT_HD static V join(V a, V b) { return amax::join(a, b); }
};
}  // namespace ops

namespace detail {
template <class X>
consteval void check_softmax() {
  static_assert(floating_element<value_t<X>> || error::wrong_dtype<error::operands<value_t<X>>>,
                "tt::softmax: the operand must be floating: cast it with to<float>()");
}
// The gradient through the shift cancels, so it is taken outside the tape.
template <class T>
auto softmax_of(const T& x, const auto& shift, const auto& total) {
  const auto weights = eval(exp(x - shift(x.detach())));
  return eval(weights / total(weights));
}
template <class T>
auto log_softmax_of(const T& x, const auto& shift, const auto& total) {
  const auto shifted = eval(x - shift(x.detach()));
  return eval(shifted - log(total(exp(shifted))));
}
}  // namespace detail

/// exp(x_i) / sum_j exp(x_j) along Axis. The maximum is taken off first, so that no exp overflows.
template <int Axis, expression X>
auto softmax(const X& x) {
  detail::check_softmax<X>();
  detail::check_axis<X, Axis>();
  return detail::softmax_of(eval(x), [](const auto& v) { return detail::reduce_static<ops::shift_max, true, Axis>(v); },
                            [](const auto& v) { return sum<Axis>(v, keepdim); });
}
template <expression X>
auto softmax(const X& x, int axis) {
  detail::check_softmax<X>();
  return detail::softmax_of(
      eval(x), [axis](const auto& v) { return detail::reduce_dynamic<ops::shift_max, true>(v, {axis}); },
      [axis](const auto& v) { return sum(v, axis, keepdim); });
}

/// log(softmax(x)), without taking the logarithm of what has underflowed.
template <int Axis, expression X>
auto log_softmax(const X& x) {
  detail::check_softmax<X>();
  detail::check_axis<X, Axis>();
  return detail::log_softmax_of(
      eval(x), [](const auto& v) { return detail::reduce_static<ops::shift_max, true, Axis>(v); },
      [](const auto& v) { return sum<Axis>(v, keepdim); });
}
template <expression X>
auto log_softmax(const X& x, int axis) {
  detail::check_softmax<X>();
  return detail::log_softmax_of(
      eval(x), [axis](const auto& v) { return detail::reduce_dynamic<ops::shift_max, true>(v, {axis}); },
      [axis](const auto& v) { return sum(v, axis, keepdim); });
}

}  // namespace tt
