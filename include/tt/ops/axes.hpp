// The axes of a reduction that is composed of others, in the type or known at run time: what it is composed of takes
// them from one value.
#pragma once
#include <tt/ops/reductions.hpp>
#include <tt/ops/views.hpp>

namespace tt::detail {

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
/// Whether `keepdim` is among the options of a call.
template <class... Option>
inline constexpr bool keeps_axes = (std::is_same_v<Option, keepdim_t> || ...);

}  // namespace tt::detail
