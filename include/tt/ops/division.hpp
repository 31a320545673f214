// Division that rounds, and what is left: floor_divide, trunc_divide, remainder, fmod. Integers divided by zero are
// refused, floats give infinity or NaN.
#pragma once
#include <tt/core/math.hpp>
#include <tt/ops/arithmetic.hpp>

namespace tt::ops { struct floor_divide; struct trunc_divide; struct remainder; struct fmod; }

namespace tt {

/// x / y rounded down. Integers stay integers. https://pytorch.org/docs/stable/generated/torch.floor_divide.html
template <class X, class Y>
  requires operands<X, Y>
auto floor_divide(X&& x, Y&& y) {
  return map_of<ops::floor_divide>(std::forward<X>(x), std::forward<Y>(y));
}
/// x / y rounded towards zero: PyTorch's div with rounding_mode="trunc".
template <class X, class Y>
  requires operands<X, Y>
auto trunc_divide(X&& x, Y&& y) {
  return map_of<ops::trunc_divide>(std::forward<X>(x), std::forward<Y>(y));
}
/// x - y * floor_divide(x, y), which has the sign of y. https://pytorch.org/docs/stable/generated/torch.remainder.html
template <class X, class Y>
  requires operands<X, Y>
auto remainder(X&& x, Y&& y) {
  return map_of<ops::remainder>(std::forward<X>(x), std::forward<Y>(y));
}
template <class X, class Y>
  requires operands<X, Y>
auto operator%(X&& x, Y&& y) {
  return map_of<ops::remainder>(std::forward<X>(x), std::forward<Y>(y));
}
/// x - y * trunc_divide(x, y), which has the sign of x. https://pytorch.org/docs/stable/generated/torch.fmod.html
template <class X, class Y>
  requires operands<X, Y>
auto fmod(X&& x, Y&& y) {
  return map_of<ops::fmod>(std::forward<X>(x), std::forward<Y>(y));
}

template <typed_tensor X, operand Y>
X floor_divide_(const X& x, const Y& y) {
  return x.template map_<ops::floor_divide>(y);
}
template <typed_tensor X, operand Y>
X trunc_divide_(const X& x, const Y& y) {
  return x.template map_<ops::trunc_divide>(y);
}
template <typed_tensor X, operand Y> X remainder_(const X& x, const Y& y) { return x.template map_<ops::remainder>(y); }
template <typed_tensor X, operand Y> X fmod_(const X& x, const Y& y) { return x.template map_<ops::fmod>(y); }

}  // namespace tt

namespace tt::ops {

/// What the four have in common. `refuses_zero`: an integer divisor of 0 is refused before a kernel runs, since kernels
/// also compute on what lies behind the last element.
struct rounding_division {
  static constexpr bool refuses_zero = true;
  static constexpr int flops = 40;
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
};
/// The quotient stands still but where it jumps.
struct whole_quotient : rounding_division {
  template <int> static constexpr unsigned reads = 0;
  template <int Operand, class V> TT_HD static V pullback(const V&, const V&, const V&, const V&) { return V(0); }
};

struct floor_divide : whole_quotient {
  static constexpr std::string_view name = "floor_divide", onnx = "Floor(Div)";
  template <class V> TT_HD static V apply(V a, V b) { using math::floor_divide; return floor_divide(a, b); }
};

struct trunc_divide : whole_quotient {
  static constexpr std::string_view name = "trunc_divide", onnx = "Trunc(Div)";
  template <class V> TT_HD static V apply(V a, V b) { using math::trunc_divide; return trunc_divide(a, b); }
};

struct remainder : rounding_division {
  static constexpr std::string_view name = "remainder", onnx = "Mod";
  static constexpr unsigned passes = 0b01;
  template <int> static constexpr unsigned reads = 0b11;
  template <class V> TT_HD static V apply(V a, V b) { using math::remainder; return remainder(a, b); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto& a, const auto& b) {
    using math::floor_divide;
    return -g * floor_divide(a, b);
  }
};

struct fmod : rounding_division {
  static constexpr std::string_view name = "fmod", onnx = "Mod";
  static constexpr unsigned passes = 0b01;
  template <int> static constexpr unsigned reads = 0b11;
  template <class V> TT_HD static V apply(V a, V b) { using math::fmod; return fmod(a, b); }
  template <int Operand> TT_HD static auto pullback(const auto& g, const auto&, const auto& a, const auto& b) {
    using math::trunc_divide;
    return -g * trunc_divide(a, b);
  }
};

using division = op_list<floor_divide, trunc_divide, remainder, fmod>;

}  // namespace tt::ops
