// simd<std::complex<Real>>: one complex number as a packet of one lane, by the standard library's functions.
#pragma once
#include <tt/cpu/simd.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

template <class Real>
struct simd<std::complex<Real>> {
  using Number = std::complex<Real>;
  static constexpr int width = 1;
  Number r;

  simd() = default;
  TT_INLINE explicit simd(Number x) : r(x) {}
  template <class Value>
    requires std::is_arithmetic_v<Value>
  TT_INLINE explicit simd(Value x) : r(Real(x)) {}
  TT_INLINE static simd load(const Number* p) { return simd(*p); }
  TT_INLINE void store(Number* p) const { *p = r; }

  friend TT_INLINE simd operator+(simd a, simd b) { return simd(a.r + b.r); }
  friend TT_INLINE simd operator-(simd a, simd b) { return simd(a.r - b.r); }
  friend TT_INLINE simd operator*(simd a, simd b) { return simd(a.r * b.r); }
  friend TT_INLINE simd operator/(simd a, simd b) { return simd(a.r / b.r); }
  friend TT_INLINE simd operator-(simd a) { return simd(-a.r); }
  friend TT_INLINE simd equal(simd a, simd b) { return simd(a.r == b.r ? 1 : 0); }
  friend TT_INLINE simd choose(simd condition, simd a, simd b) { return condition.r != Real(0) ? a : b; }
  friend TT_INLINE simd abs(simd a) { return simd(std::abs(a.r)); }
  friend TT_INLINE simd conj(simd a) { return simd(std::conj(a.r)); }
  friend TT_INLINE simd real(simd a) { return simd(a.r.real()); }
  friend TT_INLINE simd imag(simd a) { return simd(a.r.imag()); }
  friend TT_INLINE simd angle(simd a) { return simd(std::arg(a.r)); }
  /// i times a, exactly.
  friend TT_INLINE simd times_i(simd a) { return simd(Number(-a.r.imag(), a.r.real())); }
  friend TT_INLINE simd exp(simd a) { return simd(std::exp(a.r)); }
  friend TT_INLINE simd log(simd a) { return simd(std::log(a.r)); }
  friend TT_INLINE simd sqrt(simd a) { return simd(std::sqrt(a.r)); }
  friend TT_INLINE simd tanh(simd a) { return simd(std::tanh(a.r)); }
  friend TT_INLINE simd pow(simd a, simd b) { return simd(math::pow(a.r, b.r)); }
};

/// Backward sweeps carry the conjugates of complex gradients: the slope of a holomorphic function multiplies those as it
/// does a real gradient, so that one formula serves both. They are turned around where they enter and leave the registers.
template <class Number>
TT_INLINE simd<Number> swept(simd<Number> g) {
  if constexpr (is_complex(dtype_of<Number>)) return conj(g);
  else return g;
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
