// & | ^ ~ of integers and bools; of bools they are and, or, exclusive or, not.
#pragma once
#include <tt/core/math.hpp>
#include <tt/ops/comparison.hpp>

namespace tt::ops {
struct bitwise_and;
struct bitwise_or;
struct bitwise_xor;
struct bitwise_not;
}  // namespace tt::ops

namespace tt {
template <class X, class Y>
requires operands<X, Y>
auto operator&(X&& x, Y&& y) { return map_of<ops::bitwise_and>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
requires operands<X, Y>
auto operator|(X&& x, Y&& y) { return map_of<ops::bitwise_or>(std::forward<X>(x), std::forward<Y>(y)); }
template <class X, class Y>
requires operands<X, Y>
auto operator^(X&& x, Y&& y) { return map_of<ops::bitwise_xor>(std::forward<X>(x), std::forward<Y>(y)); }
/// All bits turned; not of a bool.
template <expression X>
auto operator~(X&& x) {
  if constexpr (std::is_same_v<value_t<X>, bool>) return std::forward<X>(x) == false;
  else return map_of<ops::bitwise_not>(std::forward<X>(x));
}
/// Writes through, as the other operators with `=` do.
template <class Type, class ShapeType, class Device, int Order, operand E>
const Tensor<Type, ShapeType, Device, Order>& operator&=(const Tensor<Type, ShapeType, Device, Order>& x, const E& e) {
  return x.copy_(x & e, place::unknown());
}
template <class Type, class ShapeType, class Device, int Order, operand E>
const Tensor<Type, ShapeType, Device, Order>& operator|=(const Tensor<Type, ShapeType, Device, Order>& x, const E& e) {
  return x.copy_(x | e, place::unknown());
}
template <class Type, class ShapeType, class Device, int Order, operand E>
const Tensor<Type, ShapeType, Device, Order>& operator^=(const Tensor<Type, ShapeType, Device, Order>& x, const E& e) {
  return x.copy_(x ^ e, place::unknown());
}
}  // namespace tt

namespace tt::ops {

struct of_bits {
  static constexpr bool accepts(dtype t) { return is_integral(t); }
};

struct bitwise_and : of_bits {
  static constexpr std::string_view name = "bitwise_and", onnx = "BitwiseAnd";
  template <class V>
  TT_HD static V apply(V a, V b) {
    return a & b;
  }
};
struct bitwise_or : of_bits {
  static constexpr std::string_view name = "bitwise_or", onnx = "BitwiseOr";
  template <class V>
  TT_HD static V apply(V a, V b) {
    return a | b;
  }
};
struct bitwise_xor : of_bits {
  static constexpr std::string_view name = "bitwise_xor", onnx = "BitwiseXor";
  template <class V>
  TT_HD static V apply(V a, V b) {
    return a ^ b;
  }
};
/// Of bools it would leave other bytes than 0 and 1: those are compared with false instead.
struct bitwise_not {
  static constexpr std::string_view name = "bitwise_not", onnx = "BitwiseNot";
  static constexpr bool accepts(dtype t) { return is_integral(t) && t != dtype::boolean; }
  template <class V>
  TT_HD static V apply(V x) {
    return ~x;
  }
};

using bitwise = op_list<bitwise_and, bitwise_or, bitwise_xor, bitwise_not>;

}  // namespace tt::ops
