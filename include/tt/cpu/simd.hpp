// simd<T>: one native vector of float, double or int64, with the words op formulas are written in.
// Vector extensions of the compiler for arithmetic, Eigen's packet functions for exp, log and tanh.
#pragma once
#include <tt/core/math.hpp>
#include <tt/cpu/eigen.hpp>

#include <cstring>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

// Spelled out for each type: g++ 12 takes a vector_size that depends on T for T itself when it compares signatures.
template <class T_> struct vector_of;
template <> struct vector_of<float> {
  typedef float type __attribute__((vector_size(TT_VECTOR_BYTES)));
  typedef std::int32_t mask __attribute__((vector_size(TT_VECTOR_BYTES)));
};
template <> struct vector_of<double> {
  typedef double type __attribute__((vector_size(TT_VECTOR_BYTES)));
  typedef std::int64_t mask __attribute__((vector_size(TT_VECTOR_BYTES)));
};
template <> struct vector_of<std::int64_t> {
  typedef std::int64_t type __attribute__((vector_size(TT_VECTOR_BYTES)));
  typedef std::int64_t mask __attribute__((vector_size(TT_VECTOR_BYTES)));
};

/// One register: g++ keeps larger aggregates in memory and lowers wider vectors to scalar code.
template <class Number>
struct simd {
  using vector = typename vector_of<Number>::type;
  using mask = typename vector_of<Number>::mask;
  static constexpr int width = TT_VECTOR_BYTES / int(sizeof(Number));
  vector r;

  simd() = default;
  TT_INLINE simd(vector x) : r(x) {}
  TT_INLINE explicit simd(Number x) : r(vector{} + x) {}
  TT_INLINE static simd load(const Number* p) {
    simd x;
    std::memcpy(&x.r, p, sizeof x.r);
    return x;
  }
  TT_INLINE void store(Number* p) const { std::memcpy(p, &r, sizeof r); }

  friend TT_INLINE simd operator+(simd a, simd b) { return a.r + b.r; }
  friend TT_INLINE simd operator-(simd a, simd b) { return a.r - b.r; }
  friend TT_INLINE simd operator*(simd a, simd b) { return a.r * b.r; }
  friend TT_INLINE simd operator/(simd a, simd b) { return a.r / b.r; }
  friend TT_INLINE simd operator-(simd a) { return -a.r; }

  TT_INLINE static simd from_mask(mask m) { return m ? vector{} + Number(1) : vector{}; }
  friend TT_INLINE simd less(simd a, simd b) { return from_mask(a.r < b.r); }
  friend TT_INLINE simd less_equal(simd a, simd b) { return from_mask(a.r <= b.r); }
  friend TT_INLINE simd equal(simd a, simd b) { return from_mask(a.r == b.r); }
  friend TT_INLINE simd choose(simd condition, simd a, simd b) { return condition.r != vector{} ? a.r : b.r; }
  friend TT_INLINE simd abs(simd a) { return a.r < vector{} ? -a.r : a.r + vector{}; }
};

// Integers wrap: the sums and products are taken unsigned.
template <class Number> TT_INLINE simd<Number> plus(simd<Number> a, simd<Number> b) { return a + b; }
template <class Number> TT_INLINE simd<Number> minus(simd<Number> a, simd<Number> b) { return a - b; }
template <class Number> TT_INLINE simd<Number> times(simd<Number> a, simd<Number> b) { return a * b; }
typedef std::uint64_t unsigned_vector __attribute__((vector_size(TT_VECTOR_BYTES)));
TT_INLINE simd<std::int64_t> plus(simd<std::int64_t> a, simd<std::int64_t> b) {
  return (simd<std::int64_t>::vector)((unsigned_vector)a.r + (unsigned_vector)b.r);
}
TT_INLINE simd<std::int64_t> minus(simd<std::int64_t> a, simd<std::int64_t> b) {
  return (simd<std::int64_t>::vector)((unsigned_vector)a.r - (unsigned_vector)b.r);
}
TT_INLINE simd<std::int64_t> times(simd<std::int64_t> a, simd<std::int64_t> b) {
  return (simd<std::int64_t>::vector)((unsigned_vector)a.r * (unsigned_vector)b.r);
}

/// f of each lane, where no vector form exists.
template <class Number, class Function>
TT_INLINE simd<Number> each_lane(simd<Number> a, Function f) {
  Number lane[simd<Number>::width];
  a.store(lane);
  for (Number& x : lane) x = f(x);
  return simd<Number>::load(lane);
}
template <class Number>
using packet = typename Eigen::internal::packet_traits<Number>::type;
/// Eigen's packet is as wide as ours under the same flags.
template <class Number>
TT_INLINE packet<Number> to_packet(simd<Number> a) {
  static_assert(sizeof(packet<Number>) == sizeof a.r, "tt: Eigen's vectors have another width than tt's; build both with the same flags");
  packet<Number> p;
  std::memcpy(&p, &a.r, sizeof p);
  return p;
}
template <class Number>
TT_INLINE simd<Number> from_packet(packet<Number> p) {
  simd<Number> a;
  std::memcpy(&a.r, &p, sizeof a.r);
  return a;
}

/// Eigen's exp clamps its argument, which loses NaN and the two ends.
template <class Number>
TT_INLINE simd<Number> exp(simd<Number> x) {
  constexpr Number high = sizeof(Number) == 4 ? Number(88.7228394) : Number(709.782712893384);
  constexpr Number low = sizeof(Number) == 4 ? Number(-103.972084) : Number(-745.133219101942);
  using vector = typename simd<Number>::vector;
  const vector y = from_packet<Number>(Eigen::internal::pexp(to_packet(x))).r;
  const vector ends = x.r > high ? vector{} + std::numeric_limits<Number>::infinity() : x.r < low ? vector{} : y;
  return x.r == x.r ? ends : x.r;
}
template <class Number>
TT_INLINE simd<Number> log(simd<Number> x) {
  return from_packet<Number>(Eigen::internal::plog(to_packet(x)));
}
template <class Number>
TT_INLINE simd<Number> sqrt(simd<Number> x) {
  return from_packet<Number>(Eigen::internal::psqrt(to_packet(x)));
}
TT_INLINE simd<float> tanh(simd<float> x) {
  const auto y = from_packet<float>(Eigen::internal::ptanh(to_packet(x))).r;
  return x.r == x.r ? y : x.r;
}
TT_INLINE simd<double> tanh(simd<double> x) {
  return each_lane(x, [](double v) { return std::tanh(v); });
}
template <class Number>
TT_INLINE simd<Number> pow(simd<Number> base, simd<Number> exponent) {
  Number b[simd<Number>::width], e[simd<Number>::width];
  base.store(b);
  exponent.store(e);
  for (int i = 0; i < simd<Number>::width; ++i) b[i] = math::pow(b[i], e[i]);
  return simd<Number>::load(b);
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
