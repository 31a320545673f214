// index_put: values at positions of the first axis, or where a mask is true.
#pragma once
#include <tt/core/convert.hpp>
#include <tt/core/math.hpp>
#include <tt/expr/index.hpp>
#include <tt/ops/indexing.hpp>

namespace tt {

namespace detail {
inline void record_put(const AnyTensor& out, const AnyTensor& x, const AnyTensor& values,
                       const Placement&);  // autograd/index_put.hpp

/// Integers wrap, 16-bit numbers are added as floats.
template <class Type>
void add_at(std::byte* to, const index_t* at, const std::byte* from, const index_t* which, index_t n) {
  auto* a = reinterpret_cast<Type*>(to);
  const auto* b = reinterpret_cast<const Type*>(from);
  for (index_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<Type>) a[at[i]] = Type(math::plus(loaded(a + at[i]), loaded(b + which[i])));
    else a[at[i]] = Type(a[at[i]] + b[which[i]]);
  }
}
}  // namespace detail

/// A copy of x in which x[index] is `values` (a number, or a tensor that broadcasts to x[index]), or with `accumulate`
/// has grown by them. Of several values for one place without accumulating the last one stays. Negative positions count
/// from the end. A mask stands for the positions where it is true, on as many axes of x as it has.
/// https://pytorch.org/docs/stable/generated/torch.index_put.html
template <expression X, expression Index, operand Value>
auto index_put(const X& x, const Index& index, const Value& values, bool accumulate = false,
               const place& where = place::current()) {
  static_assert(rank_of<X> >= 1, "tt::index_put: the tensor has no axis");
  if constexpr (!std::is_same_v<value_t<Index>, bool>) detail::check_index<Index>();
  const detail::Noted noted(where);
  if constexpr (number<Value>) {
    return index_put(x, index, Scalar<value_t<X>>({}, std::array{value_t<X>(values)}), accumulate, where);
  } else {
    static_assert(
        std::is_same_v<value_t<X>, value_t<Value>> || error::wrong_dtype<error::operands<value_t<X>, value_t<Value>>>,
        "tt::index_put: the values must have the dtype of the tensor: cast them with to<T>()");
    constexpr int order = join_orders(order_of<X>, order_of<Value>);
    const AnyTensor positions = evaluate(index);
    return Tensor<value_t<X>, shape_t<X>, device_t<X>, order>(detail::run_index_put(
        evaluate(x), {&positions, 1}, evaluate(values), accumulate ? detail::add_at<value_t<X>> : nullptr,
        order > 0 ? detail::record_put : nullptr));
  }
}

}  // namespace tt
