// matmul: products of matrices and vectors; transpose(x) is free in it.
#pragma once
#include <tt/expr/contract.hpp>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool inner_extents_differ = false;
template <class Operands>
inline constexpr bool dtypes_differ = false;
template <class Operands>
inline constexpr bool no_matrices = false;
}  // namespace error

namespace detail {

/// The result's extents. Leading axes of the left operand count as rows.
template <class A, class B>
struct product_of_shapes {
  static constexpr bool column = B::rank == 1;
  static constexpr dims value = [] {
    dims d;
    for (int i = 0; i + 1 < A::rank; ++i) d.push_back(A::value.extent[i]);
    if (!column) d.push_back(B::value[-1]);
    return d;
  }();
  static constexpr index_t left = A::value[-1], right = B::value[column ? -1 : -2];
  static constexpr bool fit = !(is_named(left) && is_named(right) && left != right) && fits(left, right);
};

template <class X>
decltype(auto) untransposed(const X& x) {
  if constexpr (is_transposed<X>) return (x.of);
  else return (x);
}

template <class A, class B>
consteval void check_matmul() {
  constexpr bool ranks = rank_of<A> >= 1 && (rank_of<B> == 1 || rank_of<B> == 2);
  static_assert(ranks || error::no_matrices<error::operands<error::words_t<error::got, shape_t<A>>, error::words_t<error::got, shape_t<B>>>>,
                "tt::matmul: the left operand must have an axis, the right one or two");
  static_assert(std::is_same_v<value_t<A>, value_t<B>> || error::dtypes_differ<error::operands<value_t<A>, value_t<B>>>,
                "tt::matmul: both operands must have one dtype: cast one with to<T>()");
  static_assert(!std::is_same_v<value_t<A>, bool> || error::wrong_dtype<error::operands<value_t<A>>>,
                "tt::matmul: bools have no products: cast them with to<T>()");
  if constexpr (ranks)
    static_assert(product_of_shapes<shape_t<A>, shape_t<B>>::fit ||
                      error::inner_extents_differ<error::operands<error::words_t<error::got, shape_t<A>>, error::words_t<error::got, shape_t<B>>>>,
                  "tt::matmul: the inner extents differ: the last of the left operand must equal the last but one of the right");
}

}  // namespace detail

/// [.., m, k] times [k, n], [.., m, k] times [k], [k] times [k, n], [k] times [k]. Floats, doubles and int64.
/// https://pytorch.org/docs/stable/generated/torch.matmul.html
template <expression X, expression Y>
auto matmul(const X& x, const Y& y) {
  detail::check_matmul<X, Y>();
  using shapes = detail::product_of_shapes<shape_t<X>, shape_t<Y>>;
  using number = value_t<X>;
  constexpr int order = detail::map_order(dtype_of<number>, join_orders(order_of<X>, order_of<Y>));
  using result = Contract<number, shape_from<shapes>, device_t<X>, order>;
  constexpr bool xt = detail::is_transposed<X>, yt = detail::is_transposed<Y>;  // flags of the kernel, no copies
  const auto& kernel = backend<device_t<X>>::template contract<number, xt, yt, (order > 0)>();
  auto block = detail::make_contract_block(&kernel, evaluate(detail::untransposed(x)), evaluate(detail::untransposed(y)));
  block->column = rank_of<Y> == 1;
  block->row = rank_of<X> == 1;
  return result(std::move(block));
}

}  // namespace tt
