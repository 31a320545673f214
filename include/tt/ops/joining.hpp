// Several tensors into one: cat, stack, hstack, vstack; and meshgrid, which lays several vectors over a common grid.
#pragma once
#include <tt/expr/move.hpp>
#include <tt/ops/casts.hpp>
#include <tt/ops/views.hpp>

#include <tuple>
#include <vector>

namespace tt {

namespace detail {

inline void record_move(const AnyTensor& out, std::span<const AnyTensor> inputs, const MoveList&,
                        const char* name);  // autograd/move.hpp
template <int Order>
inline constexpr RecordMove move_record = Order > 0 ? record_move : nullptr;

template <class... X>
inline constexpr dtype common_dtype = [] {
  dtype t = dtype(0);
  ((t = promote(t, dtype_of<value_t<X>>)), ...);
  return t;
}();
template <class... X>
inline constexpr int common_order = [] {
  int order = 0;
  ((order = join_orders(order, order_of<X>)), ...);
  return order;
}();
template <class First, class...>
struct first_of {
  using type = First;
};
template <class... X>
using first_t = typename first_of<X...>::type;

template <class... X>
consteval void check_axes() {
  static_assert(((rank_of<X> > 0) && ...), "tt::cat: tensors without axes cannot be joined: stack() gives them one");
}

/// The operands in one dtype.
template <class Type, class... X>
struct Converted {
  AnyTensor list[sizeof...(X)];
  explicit Converted(const X&... x) : list{to<Type>(x)...} {}
};

/// A list of tensors of one type, as vectors, arrays and spans are.
template <class List>
concept tensor_list = !expression<List> && requires(const List& list) {
  { list.size() } -> std::convertible_to<std::size_t>;
  requires expression<decltype(list.data()[0])>;
};
template <class List>
using listed_t = std::remove_cvref_t<decltype(std::declval<const List&>().data()[0])>;
template <class List>
std::vector<AnyTensor> evaluated(const List& list) {
  std::vector<AnyTensor> out;
  for (std::size_t i = 0; i < list.size(); ++i) out.push_back(evaluate(list.data()[i]));
  return out;
}
/// An initializer list with the members of a span.
template <class Type>
std::span<const Type> as_span(std::initializer_list<Type> list) {
  return {list.begin(), list.size()};
}

template <class ShapeType, int Axis, bool New>
struct listed_of {
  static constexpr dims value = [] {
    dims out, each = ShapeType::value;
    const int rank = each.rank + New, axis = repaired_axis(Axis, rank);
    for (int i = 0; i < rank; ++i) out.push_back(i == axis ? dyn : each.extent[New ? i - (i > axis) : i]);
    return out;
  }();
};

template <class ShapeType, int Rank>
struct at_least_of {
  static constexpr dims value = [] {
    dims out;
    while (out.rank + ShapeType::rank < Rank) out.push_back(1);
    for (index_t e : ShapeType::value) out.push_back(e);
    return out;
  }();
};
template <int Rank, class X>
auto at_least(const X& x) {
  if constexpr (rank_of<X> >= Rank) return eval(x);
  else
    return view_of<X, shape_from<at_least_of<shape_t<X>, Rank>>>(at_least(evaluate(x), Rank, view_record<order_of<X>>));
}

template <int Axis, class... X>
auto cat_named(const char* name, const X&... x) {
  using shapes = joined_of<false, Axis, shape_t<X>...>;
  constexpr int order = map_order(common_dtype<X...>, common_order<X...>);
  using type = tt::element_of<common_dtype<X...>>;
  using result = Tensor<type, shape_from<shapes>, device_t<first_t<X...>>, order>;
  const Converted<type, X...> inputs(x...);
  return result(run_cat(name, inputs.list, Axis, move_record<order>));
}

}  // namespace detail

/// Tensors one after another along an axis; dtypes are promoted. A vector without elements fits everywhere.
/// https://pytorch.org/docs/stable/generated/torch.cat.html
template <int Axis = 0, expression... X>
requires(sizeof...(X) > 0) auto cat(const X&... x) {
  detail::check_axes<X...>();
  (detail::check_axis<X, Axis>(), ...);
  detail::check_fit<detail::joined_of<false, Axis, shape_t<X>...>, X...>();
  return detail::cat_named<Axis>("cat", x...);
}
template <int Axis, detail::tensor_list List>
auto cat(const List& list, const place& where = place::current()) {
  using X = detail::listed_t<List>;
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  using result = detail::view_of<X, shape_from<detail::listed_of<shape_t<X>, Axis, false>>>;
  return result(detail::run_cat("cat", detail::evaluated(list), Axis, detail::move_record<order_of<X>>));
}
/// A vector, array, span or braced list of tensors of one type, along an axis known at run time.
template <detail::tensor_list List>
auto cat(const List& list, int axis = 0, const place& where = place::current()) {
  using X = detail::listed_t<List>;
  const detail::Noted noted(where);
  using result = detail::view_of<X, dynamic_shape<rank_of<X>>>;
  return result(detail::run_cat("cat", detail::evaluated(list), axis, detail::move_record<order_of<X>>));
}
template <class Type, class ShapeType, class Device, int Order>
auto cat(std::initializer_list<Tensor<Type, ShapeType, Device, Order>> list, int axis = 0,
         const place& where = place::current()) {
  return cat(detail::as_span(list), axis, where);
}

/// Tensors of equal extents along a new axis. https://pytorch.org/docs/stable/generated/torch.stack.html
template <int Axis = 0, expression... X>
requires(sizeof...(X) > 0) auto stack(const X&... x) {
  using shapes = detail::joined_of<true, Axis, shape_t<X>...>;
  detail::check_fit<shapes, X...>();
  (void)detail::static_axes<rank_of<detail::first_t<X...>> + 1, Axis>();
  constexpr int order = detail::map_order(detail::common_dtype<X...>, detail::common_order<X...>);
  using type = tt::element_of<detail::common_dtype<X...>>;
  using result = Tensor<type, shape_from<shapes>, device_t<detail::first_t<X...>>, order>;
  const detail::Converted<type, X...> inputs(x...);
  return result(detail::run_stack("stack", inputs.list, Axis, detail::move_record<order>));
}
template <int Axis, detail::tensor_list List>
auto stack(const List& list, const place& where = place::current()) {
  using X = detail::listed_t<List>;
  const detail::Noted noted(where);
  (void)detail::static_axes<rank_of<X> + 1, Axis>();
  using result = detail::view_of<X, shape_from<detail::listed_of<shape_t<X>, Axis, true>>>;
  return result(detail::run_stack("stack", detail::evaluated(list), Axis, detail::move_record<order_of<X>>));
}
template <detail::tensor_list List>
auto stack(const List& list, int axis = 0, const place& where = place::current()) {
  using X = detail::listed_t<List>;
  const detail::Noted noted(where);
  using result = detail::view_of<X, dynamic_shape<rank_of<X> + 1>>;
  return result(detail::run_stack("stack", detail::evaluated(list), axis, detail::move_record<order_of<X>>));
}
template <class Type, class ShapeType, class Device, int Order>
auto stack(std::initializer_list<Tensor<Type, ShapeType, Device, Order>> list, int axis = 0,
           const place& where = place::current()) {
  return stack(detail::as_span(list), axis, where);
}

/// Side by side: along axis 1, vectors along their only axis.
template <expression... X>
requires(sizeof...(X) > 0) auto hstack(const X&... x) {
  constexpr int axis = rank_of<detail::first_t<X...>> <= 1 ? 0 : 1;
  detail::check_fit<detail::joined_of<false, axis, shape_from<detail::at_least_of<shape_t<X>, 1>>...>, X...>();
  return detail::cat_named<axis>("hstack", detail::at_least<1>(x)...);
}
/// One above the other: along axis 0, vectors as rows.
template <expression... X>
requires(sizeof...(X) > 0) auto vstack(const X&... x) {
  detail::check_fit<detail::joined_of<false, 0, shape_from<detail::at_least_of<shape_t<X>, 2>>...>, X...>();
  return detail::cat_named<0>("vstack", detail::at_least<2>(x)...);
}

/// Which way a grid's first two axes lie: as in matrices, or as in pictures.
enum class indexing : std::uint8_t { ij, xy };

namespace detail {
/// The extents of all vectors, of which the first two change places for xy.
template <indexing How, class... ShapeType>
struct grid_of {
  static constexpr dims value = [] {
    dims d;
    ((d.push_back(ShapeType::rank ? ShapeType::value[0] : 1)), ...);
    if (How == indexing::xy && d.rank > 1) std::swap(d.extent[0], d.extent[1]);
    return d;
  }();
};
inline AnyTensor grid_view(const AnyTensor& x, const dims& grid, int axis, RecordView record);  // dispatch/grid.hpp
}  // namespace detail

/// Vectors v0, v1, .. over their grid: result k holds vk[ik] at (i0, i1, ..). Read-only views, as a tuple. A tensor
/// without axes counts as a vector of one element. https://pytorch.org/docs/stable/generated/torch.meshgrid.html
template <indexing How = indexing::ij, expression... X>
requires(sizeof...(X) > 0) auto meshgrid(const X&... x) {
  static_assert(((rank_of<X> <= 1) && ...), "tt::meshgrid: every operand must be a vector");
  static_assert((std::is_same_v<value_t<X>, value_t<detail::first_t<X...>>> && ...),
                "tt::meshgrid: the operands must have one dtype: cast them with to<T>()");
  using shape = shape_from<detail::grid_of<How, shape_t<X>...>>;
  const AnyTensor list[] = {evaluate(x)...};
  dims grid;
  for (const AnyTensor& one : list) grid.push_back(one.numel());
  const bool turned = How == indexing::xy && grid.rank > 1;
  if (turned) std::swap(grid.extent[0], grid.extent[1]);
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return std::tuple<detail::view_of<X, shape>...>(detail::view_of<X, shape>(detail::grid_view(
        list[At], grid, turned && At < 2 ? 1 - int(At) : int(At), detail::view_record<order_of<X>>))...);
  }
  (std::index_sequence_for<X...>{});
}

}  // namespace tt
