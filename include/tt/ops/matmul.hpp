// matmul: products of matrices and vectors; transpose(x) is free in it.
#pragma once
#include <tt/expr/contract.hpp>
#include <tt/ops/casts.hpp>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool inner_extents_differ = false;
template <class Operands>
inline constexpr bool dtypes_differ = false;
template <class Operands>
inline constexpr bool no_matrices = false;
template <class Operands>
inline constexpr bool stacks_do_not_broadcast = false;
template <class Operands>
inline constexpr bool wrong_ranks = false;
template <class X, class Y>
using got_shapes = operands<words_t<got, shape_t<X>>, words_t<got, shape_t<Y>>>;
}  // namespace error

namespace detail {

/// The result's extents. Leading axes of the left operand count as rows; those of a right one that is a stack of
/// matrices are broadcast with it.
template <class A, class B>
struct product_of_shapes {
  static constexpr bool column = B::rank == 1, batched = B::rank > 2;
  static constexpr dims stacks = [] {
    dims a = A::value, b = B::value;
    a.rank = (std::max)(a.rank - 2, 0), b.rank = (std::max)(b.rank - 2, 0);
    return broadcast(a, b);
  }();
  static constexpr bool stacks_fit = !batched || is_valid(stacks);
  static constexpr dims value = [] {
    dims d;
    if constexpr (batched) {
      d = repaired(stacks);
      if (A::rank > 1) d.push_back(A::value[-2]);
      d.push_back(B::value[-1]);
    } else {
      for (int i = 0; i + 1 < A::rank; ++i) d.push_back(A::value.extent[i]);
      if (!column) d.push_back(B::value[-1]);
    }
    return d;
  }();
  static constexpr index_t left = A::value[-1], right = B::value[column ? -1 : -2];
  static constexpr bool fit = !(is_named(left) && is_named(right) && left != right) && fits(left, right);
};

/// The operand without its transposition, where the kernel takes that as a flag.
template <bool Flag, class X>
decltype(auto) untransposed(const X& x) {
  if constexpr (Flag) return (x.of);
  else return (x);
}

/// Bit j: the last axis but j has one name in both shapes.
inline void check_stack_names(const dims& left, const dims& right, unsigned names) {
  for (int j = 2; j < left.rank && j < right.rank; ++j)
    if ((names >> j & 1) && left[-1 - j] != right[-1 - j])
      fail({"tt::matmul: equal names are one extent, but the operands are ", left, " and ", right});
}

inline void record_batched(const AnyTensor& out, const ContractBlock&, const Stacks&);  // autograd/batched.hpp
template <class Number, int Order>
void recorded_batched(Node&, RecordedRun&, const AnyTensor& gradient);  // autograd/second_order.hpp
template <class Number, int Order>
constexpr BatchedProduct make_batched_product() {
  BatchedProduct p{run_batched, nullptr, nullptr};
  if constexpr (Order > 0) p.record = record_batched;
  if constexpr (Order > 1) p.recorded = recorded_batched<Number, Order>;
  return p;
}
/// The number is named above order 1 only: below, nothing of it depends on that.
template <int Order, class Number = void>
inline constexpr BatchedProduct batched_product = make_batched_product<Number, Order>();

template <class A, class B>
consteval void check_matmul() {
  constexpr bool ranks = rank_of<A> >= 1 && rank_of<B> >= 1;
  static_assert(ranks || error::no_matrices<error::got_shapes<A, B>>, "tt::matmul: both operands must have an axis");
  static_assert(std::is_same_v<value_t<A>, value_t<B>> || error::dtypes_differ<error::operands<value_t<A>, value_t<B>>>,
                "tt::matmul: both operands must have one dtype: cast one with to<T>()");
  static_assert(!std::is_same_v<value_t<A>, bool> || error::wrong_dtype<error::operands<value_t<A>>>,
                "tt::matmul: bools have no products: cast them with to<T>()");
  if constexpr (ranks) {
    static_assert(product_of_shapes<shape_t<A>, shape_t<B>>::stacks_fit ||
                      error::stacks_do_not_broadcast<error::got_shapes<A, B>>,
                  "tt::matmul: the leading extents do not broadcast: each pair must be equal, or one of them 1");
    static_assert(
        product_of_shapes<shape_t<A>, shape_t<B>>::fit || error::inner_extents_differ<error::got_shapes<A, B>>,
        "tt::matmul: the inner extents differ: the last of the left operand must equal the last but one of the right");
  }
}

/// The product as a lazy block.
template <class X, class Y>
auto product(const X& x, const Y& y) {
  using shapes = product_of_shapes<shape_t<X>, shape_t<Y>>;
  using number = value_t<X>;
  constexpr int order = map_order(dtype_of<number>, join_orders(order_of<X>, order_of<Y>));
  using result = Contract<number, shape_from<shapes>, device_t<X>, order>;
  constexpr bool batched = shapes::batched;
  constexpr bool xt = is_transposed<X> && !batched, yt = is_transposed<Y>;  // flags of the kernel
  const auto& kernel = backend<device_t<X>>::template contract<number, xt, yt, (std::max)(order, 0)>();
  auto block = make_contract_block(&kernel, evaluate(untransposed<xt>(x)),
                                           evaluate(untransposed<yt>(y)));
  block->column = rank_of<Y> == 1;
  block->row = rank_of<X> == 1;
  if constexpr (batched) {
    constexpr unsigned names = shared_names(shape_t<X>::value, shape_t<Y>::value) & ~3u;
    if constexpr (names != 0) check_stack_names(block->left.sizes(), block->right.sizes(), names);
    block->batch = &batched_product<(std::max)(order, 0), std::conditional_t<(order > 1), number, void>>;
  }
  return result(std::move(block));
}

}  // namespace detail

/// [.., m, k] times [.., k, n], where leading axes broadcast; a vector on the left is a row, one on the right a column,
/// and that axis goes. What is narrower than the type that kernels
/// compute in is multiplied there and rounded (integers: wrapped) once.
/// https://pytorch.org/docs/stable/generated/torch.matmul.html
template <expression X, expression Y>
auto matmul(const X& x, const Y& y) {
  detail::check_matmul<X, Y>();
  using number = value_t<X>;
  using wide = std::conditional_t<std::is_same_v<number, bool>, bool, compute_t<number>>;
  if constexpr (!std::is_same_v<number, wide>) return to<number>(matmul(to<wide>(x), to<wide>(y)));
  else return detail::product(x, y);
}

namespace detail {
inline void check_bmm(const AnyTensor& left, const AnyTensor& right) {
  if (left.sizes()[0] != right.sizes()[0])
    fail({"tt::bmm: ", left.sizes(), " and ", right.sizes(), " are stacks of ", left.sizes()[0], " and ",
          right.sizes()[0], " matrices"});
}
template <int Left, int Right, class X, class Y>
consteval void check_ranks() {
  static_assert((rank_of<X> == Left && rank_of<Y> == Right) || error::wrong_ranks<error::got_shapes<X, Y>>,
                "tt: mm takes two matrices, mv a matrix and a vector, dot two vectors, bmm two stacks of matrices: "
                "matmul takes any");
}
}  // namespace detail

/// A matrix times a matrix, [m, k] times [k, n]. https://pytorch.org/docs/stable/generated/torch.mm.html
template <expression X, expression Y>
auto mm(const X& x, const Y& y) {
  detail::check_ranks<2, 2, X, Y>();
  return matmul(x, y);
}
/// A matrix times a vector, [m, k] times [k]. https://pytorch.org/docs/stable/generated/torch.mv.html
template <expression X, expression Y>
auto mv(const X& x, const Y& y) {
  detail::check_ranks<2, 1, X, Y>();
  return matmul(x, y);
}
/// The sum of products of two vectors. https://pytorch.org/docs/stable/generated/torch.dot.html
template <expression X, expression Y>
auto dot(const X& x, const Y& y) {
  detail::check_ranks<1, 1, X, Y>();
  return matmul(x, y);
}
/// As many matrices times as many, [b, m, k] times [b, k, n]: nothing is broadcast.
/// https://pytorch.org/docs/stable/generated/torch.bmm.html
template <expression X, expression Y>
auto bmm(const X& x, const Y& y) {
  detail::check_ranks<3, 3, X, Y>();
  constexpr index_t a = shape_t<X>::value.extent[0], b = shape_t<Y>::value.extent[0];
  static_assert(
      rank_of<X> != 3 || rank_of<Y> != 3 || fits(a, b) || error::stacks_do_not_broadcast<error::got_shapes<X, Y>>,
      "tt::bmm: both operands must have as many matrices");
  const auto left = eval(x);
  const auto right = eval(y);
  detail::check_bmm(left, right);
  return matmul(left, right);
}

}  // namespace tt
