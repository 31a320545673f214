// Complex numbers: their parts, conjugate and angle, and complex(real, imaginary).
#pragma once
#include <tt/core/math.hpp>
#include <tt/expr/map.hpp>
#include <tt/ops/arithmetic.hpp>

namespace tt::ops { struct conj; struct real; struct imag; struct angle; struct complex; }

namespace tt {

/// The conjugate. Of a real tensor, itself.
template <expression X>
auto conj(X&& x) {
  if constexpr (is_complex(dtype_of<value_t<X>>)) return map_of<ops::conj>(std::forward<X>(x));
  else return detail::node_t<X>(std::forward<X>(x));
}
/// The real part, of half the width. A copy, where PyTorch gives a view. Of a real tensor, itself.
template <expression X>
auto real(X&& x) {
  if constexpr (is_complex(dtype_of<value_t<X>>)) return map_of<ops::real>(std::forward<X>(x));
  else return detail::node_t<X>(std::forward<X>(x));
}
/// The imaginary part, of half the width. A copy, where PyTorch gives a view.
template <expression X> auto imag(X&& x) { return map_of<ops::imag>(std::forward<X>(x)); }
/// The angle in radians, in (-pi, pi].
template <expression X> auto angle(X&& x) { return map_of<ops::angle>(std::forward<X>(x)); }
/// real + imaginary i: float gives complex64, double complex128.
/// https://pytorch.org/docs/stable/generated/torch.complex.html
template <class X, class Y>
  requires operands<X, Y>
auto complex(X&& real, Y&& imaginary) {
  return map_of<ops::complex>(std::forward<X>(real), std::forward<Y>(imaginary));
}

}  // namespace tt

namespace tt::ops {

// Slopes are those that backward sweeps expect, which carry the conjugates of gradients (cpu/complex.hpp).

struct conj {
  static constexpr std::string_view name = "conj", onnx = "";
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return is_complex(t); }
  template <class V> TT_HD static V apply(V x) { using math::conj; return conj(x); }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V) { using math::conj; return conj(g); }
};

struct real {
  static constexpr std::string_view name = "real", onnx = "";
  static constexpr result_rule result = result_rule::real;
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return is_complex(t); }
  template <class V> TT_HD static V apply(V x) { using math::real; return real(x); }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V) { return g; }
};

struct imag {
  static constexpr std::string_view name = "imag", onnx = "";
  static constexpr result_rule result = result_rule::real;
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return is_complex(t); }
  template <class V> TT_HD static V apply(V x) { using math::imag; return imag(x); }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V) { using math::times_i; return -times_i(g); }
};

/// The slope at 0 is 0.
struct angle {
  static constexpr std::string_view name = "angle", onnx = "";
  static constexpr int flops = 40;
  static constexpr result_rule result = result_rule::real;
  static constexpr bool on_complex = true;
  static constexpr bool accepts(dtype t) { return is_complex(t); }
  template <class V> TT_HD static V apply(V x) { using math::angle; return angle(x); }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V x) {
    using math::choose, math::equal, math::times_i;
    return choose(equal(x, V(0)), V(0), -times_i(g) / x);
  }
};

struct complex {
  static constexpr std::string_view name = "complex", onnx = "";
  static constexpr result_rule result = result_rule::complex;
  static constexpr bool on_complex = true;
  static constexpr bool accepts_each = true;
  static constexpr bool accepts(dtype t) { return is_differentiable(t); }
  template <class V> TT_HD static V apply(V a, V b) { using math::times_i; return a + times_i(b); }
  template <int Operand, class V> TT_HD static V pullback(V g, V, V, V) {
    using math::times_i;
    if constexpr (Operand == 0) return g;
    else return times_i(g);
  }
};

using complex_parts = op_list<conj, real, imag, angle, complex>;

}  // namespace tt::ops
