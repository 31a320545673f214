// Elementwise expressions. A tree of map nodes over leaves is one region: one kernel forward, one derived from it back.
#pragma once
#include <tt/expr/held.hpp>

namespace tt {

/// The most leaves one fused region has; a larger tree stores a part of itself.
inline constexpr int max_leaves = 16;

/// How an op's result type follows from its promoted operands: theirs, bools as int64, integers as float, bool, complex
/// numbers as their real parts, real numbers as complex ones.
enum class result_rule { same, number, floating, boolean, real, complex };

struct MapKernel;

namespace detail {

template <class E>
constexpr promotion_operand promotes_as() {
  return {dtype_of<value_t<E>>, is_literal<E> ? promotion_level::literal : rank_of<E> == 0 ? promotion_level::no_axes : promotion_level::axes};
}
template <class Op>
inline constexpr result_rule rule_of = [] {
  if constexpr (requires { Op::result; }) return Op::result;
  else return result_rule::same;
}();
/// Whether an op or a reduction is defined for a dtype; for a complex one only if it says so by `on_complex`.
template <class Op>
constexpr bool accepts(dtype t) {
  if (is_storage_only(t) || (is_complex(t) && !requires { Op::on_complex; })) return false;
  if constexpr (requires { Op::accepts(t); }) return Op::accepts(t);
  else return true;
}
/// The first operand is a condition: it takes no part in promotion.
template <class Op>
inline constexpr bool has_condition = requires { Op::condition; };

constexpr dtype operand_dtype(result_rule rule, promotion_operand p) {
  if (rule == result_rule::number && p.type == dtype::boolean) return dtype::int64;
  if (rule == result_rule::complex) return complex_dtype(p.type);
  return rule == result_rule::floating && is_integral(p.type) ? default_dtype : p.type;
}
/// The result type where the operands are promoted to this one.
constexpr dtype value_dtype(result_rule rule, dtype operands) {
  return rule == result_rule::boolean ? dtype::boolean : rule == result_rule::real ? real_dtype(operands) : operands;
}
template <class Op, class A>
constexpr dtype operands_of() {
  return operand_dtype(rule_of<Op>, promotes_as<A>());
}
template <class Op, class A, class B>
constexpr dtype operands_of() {
  return operand_dtype(rule_of<Op>, promote(promotes_as<A>(), promotes_as<B>()));
}
template <class Op, class Condition, class A, class B>
constexpr dtype operands_of() {
  return operand_dtype(rule_of<Op>, promote(promotes_as<A>(), promotes_as<B>()));
}

/// A literal neither tracks nor freezes; a result that is not floating has no derivative.
constexpr int map_order(dtype value, int joined) { return is_differentiable(value) || joined < 0 ? joined : 0; }

/// Whether a child's packets can stay in registers: it computes in the same type and needs no rounding or wrapping.
template <class Child, dtype Compute>
inline constexpr bool fuses = false;

template <class Child, dtype Compute>
constexpr int region_leaves() {
  if constexpr (fuses<Child, Compute>) return Child::leaves;
  else return 1;
}
/// How a child is held by a node that computes in Compute and fuses its children, or stores all of them.
template <class Child, dtype Compute, bool Fused>
using part_t = typename part_of<Child, Fused && fuses<Child, Compute>>::type;

template <class A, class B>
struct broadcast_of {
  static constexpr dims raw = broadcast(A::value, B::value);
  static constexpr dims value = repaired(raw);
};
template <class A, class B>
using broadcast_shape = std::conditional_t<std::is_same_v<A, B> || B::rank == 0, A, shape_from<broadcast_of<A, B>>>;
template <class A, class B>
using common_device = std::conditional_t<std::is_void_v<A>, B, A>;
template <class A, class B>
inline constexpr bool on_one_device = std::is_same_v<A, B> || std::is_void_v<A> || std::is_void_v<B>;
template <class A, class B>
inline constexpr int joined_order = is_literal<A> ? B::order : is_literal<B> ? A::order : join_orders(A::order, B::order);

/// Bit j: the last axis but j has one name in both shapes.
constexpr unsigned shared_names(const dims& a, const dims& b) {
  unsigned bits = 0;
  for (int j = 0; j < a.rank && j < b.rank; ++j)
    if (is_named(a[-1 - j]) && a[-1 - j] == b[-1 - j]) bits |= 1u << j;
  return bits;
}

/// Runs a kernel over its entries (dispatch/map.hpp).
inline AnyTensor run_map(const MapKernel& k, const Entry* entry, int count);

}  // namespace detail

/// An elementwise op over one, two or three operands.
template <class Op, class... Child>
struct Map;

template <class Op, class A>
struct Map<Op, A> : expression_base {
  static constexpr dtype operands = detail::operands_of<Op, A>(), compute = compute_dtype(operands);
  using value_type = element_of<detail::value_dtype(detail::rule_of<Op>, operands)>;
  using shape = typename A::shape;
  using device_type = typename A::device_type;
  static constexpr int order = detail::map_order(dtype_of<value_type>, A::order);
  static constexpr bool fused = true;
  using held_type = detail::Held<0, detail::part_t<A, compute, fused>>;
  static constexpr int leaves = held_type::leaves, stored = held_type::stored;
  held_type held;
};

template <class Op, class A, class B>
struct Map<Op, A, B> : expression_base {
  static constexpr dtype operands = detail::operands_of<Op, A, B>(), compute = compute_dtype(operands);
  using value_type = element_of<detail::value_dtype(detail::rule_of<Op>, operands)>;
  using shape = detail::broadcast_shape<typename A::shape, typename B::shape>;
  using device_type = detail::common_device<typename A::device_type, typename B::device_type>;
  static_assert(detail::on_one_device<typename A::device_type, typename B::device_type>,
                "tt: the operands are on two devices: copy one with to<Device>(x)");
  static constexpr int order = detail::map_order(dtype_of<value_type>, detail::joined_order<A, B>);
  static constexpr bool fused = detail::region_leaves<A, compute>() + detail::region_leaves<B, compute>() <= max_leaves;
  using held_type = detail::Held<detail::shared_names(A::shape::value, B::shape::value), detail::part_t<A, compute, fused>,
                                 detail::part_t<B, compute, fused>>;
  static constexpr int leaves = held_type::leaves, stored = held_type::stored;
  held_type held;
};

template <class Op, class A, class B, class C>
struct Map<Op, A, B, C> : expression_base {
  static constexpr dtype operands = detail::operands_of<Op, A, B, C>(), compute = compute_dtype(operands);
  using value_type = element_of<detail::value_dtype(detail::rule_of<Op>, operands)>;
  using first_two = detail::broadcast_shape<typename A::shape, typename B::shape>;
  using shape = detail::broadcast_shape<first_two, typename C::shape>;
  using device_type =
      detail::common_device<detail::common_device<typename A::device_type, typename B::device_type>, typename C::device_type>;
  static_assert(detail::on_one_device<typename A::device_type, typename B::device_type> &&
                    detail::on_one_device<device_type, typename C::device_type>,
                "tt: the operands are on two devices: copy one with to<Device>(x)");
  static constexpr int order = detail::map_order(dtype_of<value_type>, detail::joined_order<B, C>);
  static constexpr bool fused = detail::region_leaves<A, compute>() + detail::region_leaves<B, compute>() +
                                    detail::region_leaves<C, compute>() <= max_leaves;
  using held_type = detail::Held<(detail::shared_names(A::shape::value, B::shape::value) |
                                  detail::shared_names(first_two::value, C::shape::value) << 16),
                                 detail::part_t<A, compute, fused>, detail::part_t<B, compute, fused>, detail::part_t<C, compute, fused>>;
  static constexpr int leaves = held_type::leaves, stored = held_type::stored;
  held_type held;
};

namespace detail {

template <class Op, class... Child, dtype Compute>
inline constexpr bool fuses<Map<Op, Child...>, Compute> =
    Map<Op, Child...>::compute == Compute &&
    (rule_of<Op> == result_rule::boolean || dtype_of<typename Map<Op, Child...>::value_type> == Compute);

template <class E>
inline constexpr bool is_map = false;
template <class Op, class... Child>
inline constexpr bool is_map<Map<Op, Child...>> = true;

}  // namespace detail

namespace error {
template <class Operands>
inline constexpr bool extents_do_not_broadcast = false;
template <class Operands>
inline constexpr bool wrong_dtype = false;
}  // namespace error

namespace detail {
template <class A, class B>
consteval void check_broadcast() {
  static_assert(is_valid(broadcast(A::value, B::value)) ||
                    error::extents_do_not_broadcast<error::operands<error::words_t<error::got, A>, error::words_t<error::got, B>>>,
                "tt: the extents of the operands do not broadcast: each pair must be equal, or one of them 1");
}
template <class Op, class... X>
consteval void check_dtype() {
  constexpr bool each = requires { Op::accepts_each; };  // every operand is asked, not only what they promote to
  static_assert((accepts<Op>(operands_of<Op, node_t<X>...>()) && (!each || (accepts<Op>(dtype_of<value_t<node_t<X>>>) && ...))) ||
                    error::wrong_dtype<error::operands<Op, value_t<node_t<X>>...>>,
                "tt: this operation is not defined for the dtype of its operands: cast them with to<T>()");
}
}  // namespace detail

namespace detail {
/// Whether a 0 among integers that an op divides by is refused.
template <class Op, class X, class Y>
inline constexpr bool divides_integers =
    requires { Op::refuses_zero; } && is_integral(operands_of<Op, node_t<X>, node_t<Y>>());
inline void check_divisor(std::string_view op, const Entry& divisor);  // dispatch/map.hpp
/// The divisor, stored: it is looked through before a kernel runs.
template <class Op, class Y>
auto checked_divisor(Y&& y) {
  if constexpr (number<Y>) {
    check_divisor(Op::name, {nullptr, 0, Constant(y)});
    return y;
  } else {
    Tensor<value_t<Y>, shape_t<Y>, device_t<Y>, order_of<Y>> stored(evaluate(y));
    check_divisor(Op::name, {&stored, 0, {}});
    return stored;
  }
}
}  // namespace detail

/// Op over expressions and numbers, as an expression.
template <class Op, class X>
auto map_of(X&& x) {
  detail::check_dtype<Op, X>();
  using map = Map<Op, detail::node_t<X>>;
  using held = typename map::held_type;
  return map{{}, {detail::hold<decltype(held::a)>(std::forward<X>(x))}};
}
template <class Op, class X, class Y>
auto map_of(X&& x, Y&& y) {
  detail::check_broadcast<shape_t<detail::node_t<X>>, shape_t<detail::node_t<Y>>>();
  detail::check_dtype<Op, X, Y>();
  if constexpr (detail::divides_integers<Op, X, Y>) {
    auto divisor = detail::checked_divisor<Op>(std::forward<Y>(y));
    using map = Map<Op, detail::node_t<X>, detail::node_t<decltype(divisor)>>;
    using held = typename map::held_type;
    return map{{}, {detail::hold<decltype(held::a)>(std::forward<X>(x)), detail::hold<decltype(held::b)>(std::move(divisor))}};
  } else {
    using map = Map<Op, detail::node_t<X>, detail::node_t<Y>>;
    using held = typename map::held_type;
    return map{{}, {detail::hold<decltype(held::a)>(std::forward<X>(x)), detail::hold<decltype(held::b)>(std::forward<Y>(y))}};
  }
}
template <class Op, class X, class Y, class Z>
auto map_of(X&& x, Y&& y, Z&& z) {
  detail::check_broadcast<shape_t<detail::node_t<X>>, shape_t<detail::node_t<Y>>>();
  using map = Map<Op, detail::node_t<X>, detail::node_t<Y>, detail::node_t<Z>>;
  detail::check_broadcast<typename map::first_two, shape_t<detail::node_t<Z>>>();
  using held = typename map::held_type;
  return map{{}, {detail::hold<decltype(held::a)>(std::forward<X>(x)), detail::hold<decltype(held::b)>(std::forward<Y>(y)),
                  detail::hold<decltype(held::c)>(std::forward<Z>(z))}};
}

/// The list of one file's ops: registry, tests, docs and profiler names read it.
template <class... Op>
struct op_list {
  static constexpr int size = int(sizeof...(Op));
};
template <class... Op, class Function>
constexpr void for_each_op(op_list<Op...>, Function&& f) {
  (f(Op{}), ...);
}

}  // namespace tt
