// Reductions over all axes, sum(x); over axes of the type, sum<0, 2>(x); or at run time, sum(x, 1), sum(x, {0, 2}).
// `keepdim` as last argument keeps the reduced axes with extent 1.
#pragma once
#include <tt/expr/reduce.hpp>
#include <tt/ops/arithmetic.hpp>

#include <limits>

namespace tt::ops { struct sum; struct mean; struct amax; struct amin; struct argmax; struct argmin; }

namespace tt {

/// The sum; integers and bools give int64. Floats along a row are added up in float up to 128 at a time, as sums of up
/// to 32 that are joined, and those partial sums in double; floats of different rows in double.
/// https://pytorch.org/docs/stable/generated/torch.sum.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto sum(X&& x, Keep...) {
  return detail::reduce_static<ops::sum, (sizeof...(Keep) > 0), Axes...>(std::forward<X>(x));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto sum(X&& x, detail::one_axis axis, Keep...) {
  return detail::reduce_dynamic<ops::sum, (sizeof...(Keep) > 0)>(std::forward<X>(x), {axis});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto sum(X&& x, const int (&axes)[Count], Keep...) {
  return detail::reduce_dynamic<ops::sum, (sizeof...(Keep) > 0)>(std::forward<X>(x), axes);
}

/// The mean of a floating tensor; of nothing it is NaN.
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto mean(X&& x, Keep...) {
  return detail::reduce_static<ops::mean, (sizeof...(Keep) > 0), Axes...>(std::forward<X>(x));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto mean(X&& x, detail::one_axis axis, Keep...) {
  return detail::reduce_dynamic<ops::mean, (sizeof...(Keep) > 0)>(std::forward<X>(x), {axis});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto mean(X&& x, const int (&axes)[Count], Keep...) {
  return detail::reduce_dynamic<ops::mean, (sizeof...(Keep) > 0)>(std::forward<X>(x), axes);
}

/// The largest (smallest) element; NaN if there is one. Ties share the gradient evenly. Of nothing it is refused.
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto amax(X&& x, Keep...) {
  return detail::reduce_static<ops::amax, (sizeof...(Keep) > 0), Axes...>(std::forward<X>(x));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto amax(X&& x, detail::one_axis axis, Keep...) {
  return detail::reduce_dynamic<ops::amax, (sizeof...(Keep) > 0)>(std::forward<X>(x), {axis});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto amax(X&& x, const int (&axes)[Count], Keep...) {
  return detail::reduce_dynamic<ops::amax, (sizeof...(Keep) > 0)>(std::forward<X>(x), axes);
}
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto amin(X&& x, Keep...) {
  return detail::reduce_static<ops::amin, (sizeof...(Keep) > 0), Axes...>(std::forward<X>(x));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto amin(X&& x, detail::one_axis axis, Keep...) {
  return detail::reduce_dynamic<ops::amin, (sizeof...(Keep) > 0)>(std::forward<X>(x), {axis});
}
template <expression X, std::size_t Count, std::same_as<keepdim_t>... Keep>
auto amin(X&& x, const int (&axes)[Count], Keep...) {
  return detail::reduce_dynamic<ops::amin, (sizeof...(Keep) > 0)>(std::forward<X>(x), axes);
}

/// The smallest and the largest element, as a pair. https://pytorch.org/docs/stable/generated/torch.aminmax.html
template <int... Axes, expression X, std::same_as<keepdim_t>... Keep>
auto aminmax(const X& e, Keep... keep) {
  const auto x = eval(e);
  return std::pair(eval(amin<Axes...>(x, keep...)), eval(amax<Axes...>(x, keep...)));
}
template <expression X, std::same_as<keepdim_t>... Keep>
auto aminmax(const X& e, int axis, Keep... keep) {
  const auto x = eval(e);
  return std::pair(eval(amin(x, axis, keep...)), eval(amax(x, axis, keep...)));
}

/// The position of the first largest (smallest) element along an axis, or in the flattened tensor, as int64. NaN is
/// largest.
template <int... Axis, expression X>
  requires(sizeof...(Axis) <= 1)
auto argmax(X&& x) {
  return detail::reduce_static<ops::argmax, false, Axis...>(std::forward<X>(x));
}
template <expression X>
auto argmax(X&& x, int axis) {
  return detail::reduce_dynamic<ops::argmax, false>(std::forward<X>(x), {axis});
}
template <expression X>
auto argmax(X&& x, int axis, keepdim_t) {
  return detail::reduce_dynamic<ops::argmax, true>(std::forward<X>(x), {axis});
}
template <int... Axis, expression X>
  requires(sizeof...(Axis) <= 1)
auto argmin(X&& x) {
  return detail::reduce_static<ops::argmin, false, Axis...>(std::forward<X>(x));
}
template <expression X>
auto argmin(X&& x, int axis) {
  return detail::reduce_dynamic<ops::argmin, false>(std::forward<X>(x), {axis});
}
template <expression X>
auto argmin(X&& x, int axis, keepdim_t) {
  return detail::reduce_dynamic<ops::argmin, true>(std::forward<X>(x), {axis});
}

}  // namespace tt

namespace tt::ops {

/// `accumulator`: the type partial results are kept in. `join` is associative up to rounding, `identity` neutral for
/// it.
struct sum {
  static constexpr std::string_view name = "sum", onnx = "ReduceSum";
  static constexpr bool on_complex = true;
  static constexpr dtype result(dtype t) { return is_integral(t) ? dtype::int64 : t; }
  static constexpr dtype accumulator(dtype compute) { return accumulate_dtype(compute); }
  template <class V> static constexpr V identity() { return V(0); }
  template <class V> TT_HD static V join(V a, V b) { using math::plus; return plus(a, b); }
};

struct mean : sum {
  static constexpr std::string_view name = "mean", onnx = "ReduceMean";
  static constexpr bool divides = true;
  static constexpr bool accepts(dtype t) { return is_differentiable(t); }
};

/// Of an extremum the elements that reach it are what backward needs.
struct amax {
  static constexpr std::string_view name = "amax", onnx = "ReduceMax";
  static constexpr bool selects = true;
  static constexpr dtype result(dtype t) { return t; }
  static constexpr dtype accumulator(dtype compute) { return compute; }
  template <class V> static constexpr V identity() {
    if constexpr (std::is_integral_v<V>) return (std::numeric_limits<V>::min)();
    else return -std::numeric_limits<V>::infinity();
  }
  template <class V> TT_HD static V join(V a, V b) { return maximum::apply(a, b); }
};

struct amin {
  static constexpr std::string_view name = "amin", onnx = "ReduceMin";
  static constexpr bool selects = true;
  static constexpr dtype result(dtype t) { return t; }
  static constexpr dtype accumulator(dtype compute) { return compute; }
  template <class V> static constexpr V identity() {
    if constexpr (std::is_integral_v<V>) return (std::numeric_limits<V>::max)();
    else return std::numeric_limits<V>::infinity();
  }
  template <class V> TT_HD static V join(V a, V b) { return minimum::apply(a, b); }
};

/// `better(a, b)`: a takes b's place.
struct argmax {
  static constexpr std::string_view name = "argmax", onnx = "ArgMax";
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  static constexpr dtype result(dtype) { return dtype::int64; }
  template <class Number> TT_HD static bool better(Number a, Number b) { return a > b || (a != a && b == b); }
};
struct argmin {
  static constexpr std::string_view name = "argmin", onnx = "ArgMin";
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  static constexpr dtype result(dtype) { return dtype::int64; }
  template <class Number> TT_HD static bool better(Number a, Number b) { return a < b || (a != a && b == b); }
};

using reductions = op_list<sum, mean, amax, amin>;

}  // namespace tt::ops
