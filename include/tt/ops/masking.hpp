// masked_fill: one value wherever a mask is true.
#pragma once
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>

namespace tt {

namespace error {
template <class>
inline constexpr bool value_has_axes = false;
}

/// `value` where the mask is true, else x. A number, or a tensor without axes, in the dtype of x; mask and x broadcast.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill.html
template <expression X, expression Mask, operand Value>
auto masked_fill(const X& x, const Mask& mask, const Value& value) {
  if constexpr (number<Value>) {
    const Scalar<value_t<X>> element({}, std::array{detail::element_from<value_t<X>>(value)});
    return where(mask, element, x);
  } else {
    static_assert(
        rank_of<Value> == 0 || error::value_has_axes<error::operands<error::words_t<error::got, shape_t<Value>>>>,
        "tt::masked_fill: the value must be a number or a tensor without axes: where(mask, value, x) takes others");
    return where(mask, to<value_t<X>>(value), x);
  }
}
/// The same, written through.
template <class Type, class ShapeType, class Device, int Order, expression Mask, operand Value>
const Tensor<Type, ShapeType, Device, Order>& masked_fill_(const Tensor<Type, ShapeType, Device, Order>& x,
                                                           const Mask& mask, const Value& value,
                                                           const place& where = place::current()) {
  return x.copy_(masked_fill(x, mask, value), where);
}

}  // namespace tt
