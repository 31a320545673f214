// floor, ceil, trunc, round. Integers stay what they are; the slope is 0 everywhere.
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>

namespace tt::ops {
struct floor;
struct ceil;
struct trunc;
struct round;
}  // namespace tt::ops

namespace tt {
template <expression X>
auto floor(X&& x) {
  return map_of<ops::floor>(std::forward<X>(x));
}
template <expression X>
auto ceil(X&& x) {
  return map_of<ops::ceil>(std::forward<X>(x));
}
/// Towards zero.
template <expression X>
auto trunc(X&& x) {
  return map_of<ops::trunc>(std::forward<X>(x));
}
/// To the nearest whole number, halves to the even one.
template <expression X>
auto round(X&& x) {
  return map_of<ops::round>(std::forward<X>(x));
}

template <typed_tensor X> X floor_(const X& x) { return x.template map_<ops::floor>(); }
template <typed_tensor X> X ceil_(const X& x) { return x.template map_<ops::ceil>(); }
template <typed_tensor X> X trunc_(const X& x) { return x.template map_<ops::trunc>(); }
template <typed_tensor X> X round_(const X& x) { return x.template map_<ops::round>(); }
}  // namespace tt

namespace tt::ops {

/// What the four have in common.
struct to_whole {
  static constexpr bool accepts(dtype t) { return t != dtype::boolean; }
  template <int>
  static constexpr unsigned reads = 0;
  template <int Operand, class V>
  TT_HD static V pullback(const V&, const V&, const V&) {
    return V(0);
  }
};

struct floor : to_whole {
  static constexpr std::string_view name = "floor", onnx = "Floor";
  template <class V>
  TT_HD static V apply(V x) {
    using math::floor;
    return floor(x);
  }
};
struct ceil : to_whole {
  static constexpr std::string_view name = "ceil", onnx = "Ceil";
  template <class V>
  TT_HD static V apply(V x) {
    using math::ceil;
    return ceil(x);
  }
};
struct trunc : to_whole {
  static constexpr std::string_view name = "trunc", onnx = "Trunc";
  template <class V>
  TT_HD static V apply(V x) {
    using math::trunc;
    return trunc(x);
  }
};
struct round : to_whole {
  static constexpr std::string_view name = "round", onnx = "Round";
  template <class V>
  TT_HD static V apply(V x) {
    using math::round;
    return round(x);
  }
};

using rounding = op_list<floor, ceil, trunc, round>;

}  // namespace tt::ops
