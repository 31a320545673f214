// gather and index_select.
#pragma once
#include <tt/expr/index.hpp>
#include <tt/ops/parts.hpp>

namespace tt {

namespace detail {
inline void record_index(const AnyTensor& out, const AnyTensor& input, const Positions&,
                         std::string_view name);  // autograd/index.hpp
template <int Order>
inline constexpr RecordIndex index_record = Order > 0 ? record_index : nullptr;
template <class Index>
consteval void check_index() {
  static_assert((std::is_integral_v<value_t<Index>> && !std::is_same_v<value_t<Index>, bool>) ||
                    error::wrong_dtype<error::operands<value_t<Index>>>,
                "tt: the index must be int64 or uint8");
}
template <class X, class Index>
consteval void check_gather() {
  check_index<Index>();
  static_assert((std::max)(rank_of<X>, 1) == (std::max)(rank_of<Index>, 1),
                "tt::gather: the index must have as many axes as the input");
}
}  // namespace detail

/// out[i][j] = x[index[i][j]][j] for axis 0, x[i][index[i][j]] for axis 1, and so on. The index has the rank of x.
template <int Axis, expression X, expression Index>
auto gather(const X& x, const Index& index, const place& where = place::current()) {
  detail::check_gather<X, Index>();
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  return detail::view_of<X, shape_t<Index>>(
      detail::run_gather(evaluate(x), Axis, evaluate(index), detail::index_record<order_of<X>>));
}
template <expression X, expression Index>
auto gather(const X& x, int axis, const Index& index, const place& where = place::current()) {
  detail::check_gather<X, Index>();
  const detail::Noted noted(where);
  return detail::view_of<X, shape_t<Index>>(
      detail::run_gather(evaluate(x), axis, evaluate(index), detail::index_record<order_of<X>>));
}
/// The slices of x at the positions of a vector along one axis.
template <int Axis, expression X, expression Index>
auto index_select(const X& x, const Index& index, const place& where = place::current()) {
  detail::check_index<Index>();
  const detail::Noted noted(where);
  detail::check_axis<X, Axis>();
  using shape = shape_from<detail::with_extent<shape_t<X>, Axis, dyn>>;
  return detail::view_of<X, shape>(
      detail::run_index_select(evaluate(x), Axis, evaluate(index), detail::index_record<order_of<X>>));
}
template <expression X, expression Index>
auto index_select(const X& x, int axis, const Index& index, const place& where = place::current()) {
  detail::check_index<Index>();
  const detail::Noted noted(where);
  return detail::view_of<X, dynamic_shape<rank_of<X>>>(
      detail::run_index_select(evaluate(x), axis, evaluate(index), detail::index_record<order_of<X>>));
}

}  // namespace tt
