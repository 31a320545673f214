// What lengths are made of: squares of absolute values, and a root.
#pragma once
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/exponential.hpp>

namespace tt {

namespace ops {
/// sqrt whose slope at 0 is 0: the gradient of a norm or a deviation that is 0.
struct root {
  static constexpr std::string_view name = "sqrt", onnx = "Sqrt";
  static constexpr result_rule result = result_rule::floating;
  template <class V> TT_HD static V apply(V x) { return sqrt::apply(x); }
  template <int Operand, class V> TT_HD static V pullback(const V& g, const V& y, const V&) {
    using math::choose, math::equal;
    return choose(equal(y, V(0)), V(0), g / (y + y));
  }
};
}  // namespace ops

namespace detail {
/// Of complex numbers the square of the absolute value, which is real.
template <expression E>
auto squared(E&& e) {
  if constexpr (is_complex(dtype_of<value_t<E>>)) return square(abs(std::forward<E>(e)));
  else return square(std::forward<E>(e));
}
}  // namespace detail

}  // namespace tt
