// Reductions: sum, mean, amax, amin, argmax and their like over axes. The elementwise region below is swallowed: its
// values are joined as they are computed and never stored.
#pragma once
#include <tt/core/once.hpp>
#include <tt/expr/map.hpp>

#include <bit>

namespace tt {

/// Written after the axes: the reduced axes stay, with extent 1.
struct keepdim_t {};
inline constexpr keepdim_t keepdim{};

namespace detail {

/// The result of a materialising expression once it is known; copies of the expression share it.
struct Memo {
  Count refs;
  std::uint16_t size_class = 0;
  Once value;
};
inline void destroy(Memo* memo) { end_block(memo); }

/// Bit i: axis i is reduced.
using AxisSet = std::uint32_t;
constexpr AxisSet all_axes(int rank) { return (AxisSet(1) << rank) - 1; }

constexpr dims reduced(const dims& size, AxisSet axes, bool keep) {
  dims out;
  for (int i = 0; i < size.rank; ++i)
    if (!(axes >> i & 1)) out.push_back(size.extent[i]);
    else if (keep) out.push_back(1);
  return out;
}

/// How many elements are joined in each one of the result.
constexpr index_t reduced_count(const dims& space, AxisSet axes) {
  index_t n = 1;
  for (int i = 0; i < space.rank; ++i)
    if (axes >> i & 1) n *= space.extent[i];
  return n;
}

/// The axes named at run time, each once.
TT_NOINLINE inline AxisSet axis_set(const char* op, const int* axis, int count, int rank) {
  AxisSet set = 0;
  for (int i = 0; i < count; ++i) {
    const int normal = normal_axis(axis[i], rank);
    if (normal < 0)
      fail_index({"tt::", op, ": axis ", axis[i], " of a tensor with ", rank, " axes"});
    if (set >> normal & 1) fail({"tt::", op, ": axis ", axis[i], " is named twice"});
    set |= AxisSet(1) << normal;
  }
  return rank == 0 ? 0 : set;
}

/// The result is one of the elements: backward looks for those that reached it, and nothing has no result.
template <class Op>
inline constexpr bool selects = requires { Op::selects; };

template <class ShapeType, AxisSet Axes, bool Keep>
struct reduced_of {
  static constexpr dims value = reduced(ShapeType::value, Axes, Keep);
};

}  // namespace detail

/// Op over the axes of a tree. A region whose values need no rounding is fused into it.
template <class Op, class A, class ShapeType>
struct Reduce : expression_base {
  static constexpr dtype input = dtype_of<value_t<A>>, compute = compute_dtype(input);
  using value_type = element_of<Op::result(input)>;
  using shape = ShapeType;
  using device_type = device_t<A>;
  static constexpr int order = detail::map_order(dtype_of<value_type>, A::order);
  A a;
  detail::AxisSet axes;
  bool keep;
  detail::Ref<detail::Memo> memo{detail::make_block<detail::Memo>()};

  Reduce(A x, detail::AxisSet set, bool keep_axes) : a(std::move(x)), axes(set), keep(keep_axes) {}
};

namespace detail {
/// The axis of a call that may also name several, sum(x, 1) beside sum(x, {0, 2}): {1} is a list too, which is an int as
/// well as an array to clang, but converts to this less well than to an array.
struct one_axis {
  int axis;
  constexpr one_axis(int at) : axis(at) {}  // NOLINT: conversions are the point
  constexpr operator int() const { return axis; }
};
}  // namespace detail

namespace error {
template <class Operands>
inline constexpr bool axis_out_of_range = false;
template <int>
struct at_axis {};
}  // namespace error

namespace detail {

template <int Rank, int... Axes>
consteval AxisSet static_axes() {
  constexpr bool valid = ((normal_axis(Axes, Rank) >= 0) && ...);
  static_assert(valid || error::axis_out_of_range<error::operands<error::at_axis<Axes>...>>,
                "tt: this axis does not exist: axes are -rank .. rank-1");
  if constexpr (!valid || Rank == 0) {
    return 0;
  } else {
    constexpr AxisSet set = ((AxisSet(1) << normal_axis(Axes, Rank)) | ... | 0);
    static_assert(std::popcount(set) == int(sizeof...(Axes)), "tt: an axis is named twice");
    return set;
  }
}

template <class X, int Axis>
consteval void check_axis() {
  (void)static_axes<rank_of<X>, Axis>();
}

template <class Op, class X>
consteval void check_reduce() {
  static_assert(accepts<Op>(dtype_of<value_t<X>>) || error::wrong_dtype<error::operands<Op, value_t<X>>>,
                "tt: this reduction is not defined for the dtype of its operand: cast it with to<T>()");
}

/// Over the axes of the template's arguments; none means all.
template <class Op, bool Keep, int... Axes, class X>
auto reduce_static(X&& x) {
  check_reduce<Op, X>();
  constexpr AxisSet axes = sizeof...(Axes) ? static_axes<rank_of<X>, Axes...>() : all_axes(rank_of<X>);
  using shape = shape_from<reduced_of<shape_t<X>, axes, Keep>>;
  return Reduce<Op, node_t<X>, shape>(to_node(std::forward<X>(x)), axes, Keep);
}
/// Over axes known at run time; how many there are is part of the type.
template <class Op, bool Keep, class X, std::size_t Count>
auto reduce_dynamic(X&& x, const int (&axis)[Count]) {
  check_reduce<Op, X>();
  constexpr int rank = rank_of<X>, left = Keep || rank == 0 ? rank : rank - int(Count);
  static_assert(left >= 0, "tt: more axes are reduced than the tensor has");
  return Reduce<Op, node_t<X>, dynamic_shape<left>>(to_node(std::forward<X>(x)), axis_set(Op::name.data(), axis, int(Count), rank), Keep);
}

}  // namespace detail
}  // namespace tt
