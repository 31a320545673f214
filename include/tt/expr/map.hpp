// Elementwise expressions. A tree of map nodes over leaves is one region: one kernel forward, one derived from it back.
#pragma once
#include <tt/core/recording.hpp>
#include <tt/core/tensor.hpp>

namespace tt {

/// The most leaves one fused region has; a larger tree stores a part of itself.
inline constexpr int max_leaves = 16;

/// How an op's result type follows from its promoted operands: theirs, bools as int64, integers as float, bool, complex
/// numbers as their real parts, real numbers as complex ones.
enum class result_rule { same, number, floating, boolean, real, complex };

struct MapKernel;

namespace detail {

[[noreturn]] TT_NOINLINE inline void changed_in_place(const AnyTensor& t) {
  fail({"tt: a tensor with the extents ", t.sizes(), " was changed in place after the expression that reads it was built; evaluate the expression first, or clone() the tensor"});
}

/// A number in an expression: exact for integers, and of int64, double, bool or complex as C++ wrote it.
struct Constant {
  double floating = 0, imaginary = 0;  ///< together a complex<double>
  std::int64_t integer = 0;

  Constant() = default;
  template <number Number>
  explicit Constant(Number x) {
    if constexpr (real_number<Number>) floating = double(x), integer = whole(x);
    else floating = double(x.real()), imaginary = double(x.imag()), integer = whole(x.real());
  }
};
/// A leaf on its way down: a tensor and the version it had when the expression was built, or a number.
struct Entry {
  const AnyTensor* tensor;
  unsigned version;
  Constant constant;
};
/// Where collect() writes: leaves in order, and the tensors of children that had to be stored.
struct Sink {
  Entry* entry;
  AnyTensor* own;
};

/// What is built without recording is not recorded later either, wherever it is evaluated.
inline AnyTensor as_recorded(AnyTensor t) {
  if (!recording && t.defined() && t.requires_grad()) [[unlikely]] t = t.detach();
  return t;
}

/// A tensor in an expression, whatever its type.
struct LeafData {
  AnyTensor tensor;
  unsigned version;

  LeafData(const AnyTensor& t, bool tracks) : tensor(t), version(checked_version(t)) { note_recording(tracks); }
  LeafData(AnyTensor&& t, bool tracks) : tensor(std::move(t)), version(checked_version(tensor)) { note_recording(tracks); }
  void collect(Sink& sink) const { *sink.entry++ = {&tensor, version, {}}; }
  /// The tensor, if it is still what it was when the expression was built.
  const AnyTensor& read() const {
    if (tensor.version() != version) changed_in_place(tensor);
    return tensor;
  }

 private:
  void note_recording(bool tracks) {
    if (tracks && !recording) [[unlikely]] tensor = as_recorded(std::move(tensor));
  }
  static unsigned checked_version(const AnyTensor& t) {
    if (!t.defined()) no_elements("tt");
    return t.version();
  }
};
/// The same under static types.
template <class TensorType>
struct Leaf : expression_base, LeafData {
  using value_type = typename TensorType::value_type;
  using shape = typename TensorType::shape;
  using device_type = typename TensorType::device_type;
  static constexpr int order = TensorType::order;
  static constexpr int leaves = 1, stored = 0;

  explicit Leaf(const AnyTensor& t) : LeafData(t, order > 0) {}
  explicit Leaf(AnyTensor&& t) : LeafData(std::move(t), order > 0) {}
};

/// A C++ number in an expression: it has no extents and promotes weakly.
template <class Type>
struct Literal : expression_base {
  using value_type = Type;
  using shape = Shape<>;
  using device_type = void;
  static constexpr int order = 0, leaves = 1, stored = 0;
  Constant constant;
  void collect(Sink& sink) const { *sink.entry++ = {nullptr, 0, constant}; }
};
template <class Type>
using literal_t = Literal<std::conditional_t<std::is_same_v<Type, bool>, bool,
                                             std::conditional_t<std::is_integral_v<Type>, std::int64_t,
                                                                std::conditional_t<real_number<Type>, float, std::complex<float>>>>>;

template <class E>
inline constexpr bool is_literal = false;
template <class Type>
inline constexpr bool is_literal<Literal<Type>> = true;
template <class E>
inline constexpr bool is_leaf = is_literal<E>;
template <class TensorType>
inline constexpr bool is_leaf<Leaf<TensorType>> = true;

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
template <class Child, dtype Compute>
constexpr int region_stored() {
  if constexpr (is_leaf<Child>) return 0;
  else if constexpr (fuses<Child, Compute>) return Child::stored;
  else return 1;
}
template <class Child, dtype Compute, bool Fused>
void collect_child(const Child& child, Sink& sink) {
  if constexpr (is_leaf<Child> || (Fused && fuses<Child, Compute>)) {
    child.collect(sink);
  } else {
    *sink.own = evaluate(child);
    *sink.entry++ = {sink.own, sink.own->version(), {}};
    ++sink.own;
  }
}

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
inline constexpr int joined_order = is_literal<A> ? B::order : is_literal<B> ? A::order : join_orders(A::order, B::order);

/// Bit j: the last axis but j has one name in both shapes.
template <class A, class B>
inline constexpr unsigned shared_names = [] {
  unsigned bits = 0;
  for (int j = 0; j < A::rank && j < B::rank; ++j)
    if (is_named(A::value[-1 - j]) && A::value[-1 - j] == B::value[-1 - j]) bits |= 1u << j;
  return bits;
}();
/// Refuses two operands whose axes of one name differ, be it by an extent of 1. The operands' entries are [a, b) and
/// [b, end) (dispatch/map.hpp).
inline void check_names(const Entry* a, const Entry* b, const Entry* end, unsigned names);
template <class A, class B>
void check_shared_names([[maybe_unused]] const Entry* a, [[maybe_unused]] const Entry* b, [[maybe_unused]] const Entry* end) {
  if constexpr (shared_names<A, B> != 0) check_names(a, b, end, shared_names<A, B>);
}

/// Runs a kernel over its entries (dispatch/map.hpp).
inline AnyTensor run_map(const MapKernel& k, const Entry* entry, int count);

}  // namespace detail

/// An elementwise op over one, two or three operands. An aggregate: operands are built in their place, not moved there.
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
  static constexpr int leaves = detail::region_leaves<A, compute>(), stored = detail::region_stored<A, compute>();
  A a;

  void collect(detail::Sink& sink) const { detail::collect_child<A, compute, fused>(a, sink); }
};

template <class Op, class A, class B>
struct Map<Op, A, B> : expression_base {
  static constexpr dtype operands = detail::operands_of<Op, A, B>(), compute = compute_dtype(operands);
  using value_type = element_of<detail::value_dtype(detail::rule_of<Op>, operands)>;
  using shape = detail::broadcast_shape<typename A::shape, typename B::shape>;
  using device_type = detail::common_device<typename A::device_type, typename B::device_type>;
  static constexpr int order = detail::map_order(dtype_of<value_type>, detail::joined_order<A, B>);
  static constexpr bool fused = detail::region_leaves<A, compute>() + detail::region_leaves<B, compute>() <= max_leaves;
  static constexpr int leaves = fused ? detail::region_leaves<A, compute>() + detail::region_leaves<B, compute>() : 2;
  static constexpr int stored = fused ? detail::region_stored<A, compute>() + detail::region_stored<B, compute>() : 2;
  A a;
  B b;

  void collect(detail::Sink& sink) const {
    const detail::Entry* const first = sink.entry;
    detail::collect_child<A, compute, fused>(a, sink);
    const detail::Entry* const second = sink.entry;
    detail::collect_child<B, compute, fused>(b, sink);
    detail::check_shared_names<typename A::shape, typename B::shape>(first, second, sink.entry);
  }
};

template <class Op, class A, class B, class C>
struct Map<Op, A, B, C> : expression_base {
  static constexpr dtype operands = detail::operands_of<Op, A, B, C>(), compute = compute_dtype(operands);
  using value_type = element_of<detail::value_dtype(detail::rule_of<Op>, operands)>;
  using shape = detail::broadcast_shape<detail::broadcast_shape<typename A::shape, typename B::shape>, typename C::shape>;
  using device_type =
      detail::common_device<detail::common_device<typename A::device_type, typename B::device_type>, typename C::device_type>;
  static constexpr int order = detail::map_order(dtype_of<value_type>, detail::joined_order<B, C>);
  static constexpr int all_leaves = detail::region_leaves<A, compute>() + detail::region_leaves<B, compute>() +
                                    detail::region_leaves<C, compute>();
  static constexpr bool fused = all_leaves <= max_leaves;
  static constexpr int leaves = fused ? all_leaves : 3;
  static constexpr int stored = fused ? detail::region_stored<A, compute>() + detail::region_stored<B, compute>() +
                                            detail::region_stored<C, compute>()
                                      : 3;
  A a;
  B b;
  C c;

  void collect(detail::Sink& sink) const {
    const detail::Entry* const first = sink.entry;
    detail::collect_child<A, compute, fused>(a, sink);
    const detail::Entry* const second = sink.entry;
    detail::collect_child<B, compute, fused>(b, sink);
    detail::check_shared_names<typename A::shape, typename B::shape>(first, second, sink.entry);
    const detail::Entry* const third = sink.entry;
    detail::collect_child<C, compute, fused>(c, sink);
    using both = detail::broadcast_shape<typename A::shape, typename B::shape>;
    detail::check_shared_names<both, typename C::shape>(first, third, sink.entry);
  }
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

template <class X>
struct node_of { using type = X; };
template <class Type, class ShapeType, class Device, int Order>
struct node_of<Tensor<Type, ShapeType, Device, Order>> { using type = Leaf<Tensor<Type, ShapeType, Device, Order>>; };
template <number Number>
struct node_of<Number> { using type = literal_t<Number>; };
/// What stands for an operand in a tree: a leaf for a tensor, a literal for a number, a tree for itself.
template <class X>
using node_t = typename node_of<std::remove_cvref_t<X>>::type;

template <class X>
node_t<X> to_node(X&& x) {
  if constexpr (number<X>)
    return {{}, Constant(x)};
  else
    return node_t<X>(std::forward<X>(x));
}

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
  return Map<Op, detail::node_t<X>>{{}, detail::to_node(std::forward<X>(x))};
}
template <class Op, class X, class Y>
auto map_of(X&& x, Y&& y) {
  detail::check_broadcast<shape_t<detail::node_t<X>>, shape_t<detail::node_t<Y>>>();
  detail::check_dtype<Op, X, Y>();
  if constexpr (detail::divides_integers<Op, X, Y>) {
    auto divisor = detail::checked_divisor<Op>(std::forward<Y>(y));
    using right = detail::node_t<decltype(divisor)>;
    return Map<Op, detail::node_t<X>, right>{{}, detail::to_node(std::forward<X>(x)), detail::to_node(std::move(divisor))};
  } else return Map<Op, detail::node_t<X>, detail::node_t<Y>>{{}, detail::to_node(std::forward<X>(x)), detail::to_node(std::forward<Y>(y))};
}
template <class Op, class X, class Y, class Z>
auto map_of(X&& x, Y&& y, Z&& z) {
  detail::check_broadcast<shape_t<detail::node_t<X>>, shape_t<detail::node_t<Y>>>();
  using first = detail::broadcast_shape<shape_t<detail::node_t<X>>, shape_t<detail::node_t<Y>>>;
  detail::check_broadcast<first, shape_t<detail::node_t<Z>>>();
  return Map<Op, detail::node_t<X>, detail::node_t<Y>, detail::node_t<Z>>{
      {}, detail::to_node(std::forward<X>(x)), detail::to_node(std::forward<Y>(y)), detail::to_node(std::forward<Z>(z))};
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
