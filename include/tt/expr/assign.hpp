// Assignments as values: into(x) = e says what fuse() is to write and where.
#pragma once
#include <tt/expr/map.hpp>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool assigned_extents_do_not_fit = false;
}  // namespace error

/// An expression and the tensor whose elements it becomes. It holds both, and does nothing by itself.
template <class TensorType, class E>
struct Assignment {
  using target = TensorType;
  using source = E;
  TensorType to;
  E from;
};

namespace detail {
template <class Candidate>
inline constexpr bool is_assignment = false;
template <class TensorType, class E>
inline constexpr bool is_assignment<Assignment<TensorType, E>> = true;

template <class From, class To>
struct assigned_of {
  static constexpr dims joined = broadcast(From::value, To::value);
  static constexpr bool fits = is_valid(joined) && stores(joined, To::value);
};
}  // namespace detail

/// The left side of an assignment in fuse().
template <class TensorType>
class Into {
 public:
  explicit Into(const TensorType& to) : to_(to) {}
  Into(const Into&) = delete;
  Into& operator=(const Into&) = delete;

  template <operand E>
  auto operator=(E&& e) const {
    using node = detail::node_t<E>;
    static_assert(category_of(dtype_of<value_t<node>>) <= category_of(dtype_of<value_t<TensorType>>),
                  "tt: the result is of a higher category than the tensor that is written: cast it with to<T>()");
    static_assert(detail::assigned_of<shape_t<node>, shape_t<TensorType>>::fits ||
                      error::assigned_extents_do_not_fit<error::operands<error::words_t<error::got, shape_t<node>>,
                                                                         error::words_t<error::got, shape_t<TensorType>>>>,
                  "tt: the extents of the expression do not fit the tensor that is written");
    return Assignment<TensorType, node>{to_, detail::to_node(std::forward<E>(e))};
  }
  template <operand E> auto operator+=(E&& e) const { return *this = to_ + std::forward<E>(e); }
  template <operand E> auto operator-=(E&& e) const { return *this = to_ - std::forward<E>(e); }
  template <operand E> auto operator*=(E&& e) const { return *this = to_ * std::forward<E>(e); }
  template <operand E> auto operator/=(E&& e) const { return *this = to_ / std::forward<E>(e); }

 private:
  const TensorType& to_;
};

/// `into(x) = e`, `into(x) += e`, ... inside fuse().
template <typed_tensor TensorType>
Into<std::remove_cvref_t<TensorType>> into(const TensorType& to) {
  return Into<std::remove_cvref_t<TensorType>>(to);
}

}  // namespace tt
