// Complex numbers in a kernel, in the words that formulas are written in: std::complex is not for devices. In memory
// they are std::complex's. Products and quotients are the plain ones, as PyTorch's on a device: infinite parts may give NaN
// where the host's library looks for the direction.
#pragma once
#include <tt/core/math.hpp>

namespace tt::gpu {

template <class Real>
struct Complex {
  Real re, im;

  Complex() = default;
  TT_HD constexpr Complex(Real real, Real imaginary) : re(real), im(imaginary) {}
  template <class Value>
    requires std::is_arithmetic_v<Value>
  TT_HD constexpr explicit Complex(Value x) : re(Real(x)), im(0) {}

  friend TT_HD Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend TT_HD Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend TT_HD Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend TT_HD Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Smith, Algorithm 116 (1962): no square of a part, which could overflow.
  friend TT_HD Complex operator/(Complex a, Complex b) {
    if (math::abs(b.re) >= math::abs(b.im)) {
      const Real ratio = b.im == 0 ? b.im : b.im / b.re, scale = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    const Real ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
  }

  friend TT_HD Complex plus(Complex a, Complex b) { return a + b; }
  friend TT_HD Complex minus(Complex a, Complex b) { return a - b; }
  friend TT_HD Complex times(Complex a, Complex b) { return a * b; }
  friend TT_HD Complex equal(Complex a, Complex b) { return Complex(a.re == b.re && a.im == b.im ? 1 : 0); }
  friend TT_HD Complex choose(Complex condition, Complex a, Complex b) {
    return condition.re != 0 || condition.im != 0 ? a : b;
  }

  friend TT_HD Complex conj(Complex a) { return {a.re, -a.im}; }
  friend TT_HD Complex real(Complex a) { return Complex(a.re); }
  friend TT_HD Complex imag(Complex a) { return Complex(a.im); }
  friend TT_HD Complex times_i(Complex a) { return {-a.im, a.re}; }
  friend TT_HD Complex abs(Complex a) { return Complex(std::hypot(a.re, a.im)); }
  friend TT_HD Complex angle(Complex a) { return Complex(std::atan2(a.im, a.re)); }

  friend TT_HD Complex exp(Complex a) {
    const Real size = std::exp(a.re);
    if (a.im == 0) return {size, a.im};  // an infinite size times sin 0
    return {size * std::cos(a.im), size * std::sin(a.im)};
  }
  friend TT_HD Complex log(Complex a) { return {std::log(std::hypot(a.re, a.im)), std::atan2(a.im, a.re)}; }
  /// The root of the larger part is taken, the other follows by division, so that nothing cancels.
  friend TT_HD Complex sqrt(Complex a) {
    const Real root = std::sqrt((std::hypot(a.re, a.im) + math::abs(a.re)) / 2);
    if (root == 0) return {root, a.im};
    const Real other = math::abs(a.im) / (2 * root);
    return a.re >= 0 ? Complex(root, std::copysign(other, a.im)) : Complex(other, std::copysign(root, a.im));
  }
  /// Kahan, Branch cuts for complex elementary functions (1987).
  friend TT_HD Complex tanh(Complex a) {
    if (math::abs(a.re) > Real(sizeof(Real) == 4 ? 10 : 20)) {
      const Real small = std::exp(-math::abs(a.re));
      return {std::copysign(Real(1), a.re), 4 * std::sin(a.im) * std::cos(a.im) * small * small};
    }
    const Real t = std::tan(a.im), b = 1 + t * t, s = std::sinh(a.re), r = std::sqrt(1 + s * s), scale = 1 + b * s * s;
    return {b * r * s / scale, t / scale};
  }
  friend TT_HD Complex pow(Complex a, Complex b) { return exp(b * log(a)); }
};

template <class Number>
inline constexpr bool is_complex_number = false;
template <class Real>
inline constexpr bool is_complex_number<Complex<Real>> = true;

/// What a kernel computes in where the CPU's computes in Number.
template <class Number>
struct device_number { using type = Number; };
template <class Real>
struct device_number<std::complex<Real>> { using type = Complex<Real>; };

/// The dtype of a number, or of a stored element, in a kernel.
template <class Stored>
inline constexpr dtype stored_dtype = dtype_of<Stored>;
template <class Real>
inline constexpr dtype stored_dtype<Complex<Real>> = complex_dtype(dtype_of<Real>);

}  // namespace tt::gpu
