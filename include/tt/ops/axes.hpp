// The axes of a reduction that is composed of others, in the type or known at run time: what it is composed of takes
// them from one value. And the steps of such a composition.
#pragma once
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/reductions.hpp>
#include <tt/ops/root.hpp>
#include <tt/ops/views.hpp>

namespace tt::detail {

/// Puts a count on the tape of what was counted: it has no gradient, not one of zeros (autograd/still.hpp).
inline void record_still(const AnyTensor& out, const AnyTensor& of);

/// Axes in the type; none mean all. `kept`: Op over them, which stay with extent 1.
template <bool Keep, int... Axes>
struct TypedAxes {
  static constexpr bool keep = Keep;
  template <class X>
  static constexpr AxisSet set_of = sizeof...(Axes) ? static_axes<rank_of<X>, Axes...>() : all_axes(rank_of<X>);
  template <class X, bool Stay>
  using shape = shape_from<reduced_of<shape_t<X>, set_of<X>, Stay>>;

  template <class X>
  AxisSet set(const X&, const char*) const { return set_of<X>; }
  template <class Op, class X>
  auto kept(X&& x) const { return reduce_static<Op, true, Axes...>(std::forward<X>(x)); }
};
/// The same of axes that are known at run time.
template <bool Keep, std::size_t Count>
struct GivenAxes {
  static constexpr bool keep = Keep;
  template <class X, bool Stay>
  using shape = dynamic_shape<(Stay || rank_of<X> == 0 ? rank_of<X> : rank_of<X> - int(Count))>;
  const int (&axis)[Count];

  template <class X>
  AxisSet set(const X&, const char* op) const { return axis_set(op, axis, int(Count), rank_of<X>); }
  template <class Op, class X>
  auto kept(X&& x) const { return reduce_dynamic<Op, true>(std::forward<X>(x), axis); }
};

/// What was reduced, without those axes unless they are to stay.
/// @param of what had all axes
template <class Axes, class X, class T>
auto finished(const T& y, const X& of, const Axes&, AxisSet set) {
  if constexpr (Axes::keep) return y;
  else {
    using shape = typename Axes::template shape<X, false>;
    return view_of<T, shape>(reshape_view(y, reduced(of.sizes(), set, false), view_record<order_of<T>>));
  }
}
/// The steps that a composed reduction takes, on tensors whose types are known. src/registry/moments.cpp has the same
/// steps for those whose types are not, so that each formula is written once, for both. What is reduced stays with
/// extent 1.
template <class Axes>
struct TypedSteps {
  const Axes& axes;
  AxisSet set;

  template <class Op, class... X>
  auto map(const X&... x) const { return map_of<Op>(x...); }
  template <class Op, class X>
  auto reduce(const X& x) const { return axes.template kept<Op>(x); }
  template <class E>
  auto stored(const E& e) const { return eval(e); }
  template <class E>
  auto squared(const E& e) const { return tt::detail::squared(e); }
  /// A tensor of the same dtype, that has a history or not, with the extents that are left of x.
  template <class T>
  auto left_of(const T&, const AnyTensor& t) const {
    return Tensor<value_t<T>, typename Axes::template shape<T, true>, device_t<T>>(t);
  }
  /// x without its history where a first derivative does not go through it, but a second one does.
  template <class T>
  auto still(const T& x) const {
    if constexpr (order_of<T> > 1) return x;
    else return x.detach();
  }
  /// How many of the elements are not 0; on the tape, without a gradient (autograd/still.hpp).
  template <class T>
  auto count(const T& x) const {
    const auto found = to<value_t<T>>(axes.template kept<ops::sum>(map_of<ops::ne>(x, 0)));
    const Tensor<value_t<T>, shape_t<decltype(found)>, device_t<T>, order_of<T>> y(evaluate(found));
    if constexpr (order_of<T> > 0) record_still(y, x);
    return y;
  }
};

/// Whether `keepdim` is among the options of a call.
template <class... Option>
inline constexpr bool keeps_axes = (std::is_same_v<Option, keepdim_t> || ...);

}  // namespace tt::detail
