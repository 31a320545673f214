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

typedef std::uint64_t unsigned_vector __attribute__((vector_size(TT_VECTOR_BYTES)));

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
  friend TT_INLINE simd operator&(simd a, simd b) { return a.r & b.r; }  // of integers
  friend TT_INLINE simd operator|(simd a, simd b) { return a.r | b.r; }
  friend TT_INLINE simd operator^(simd a, simd b) { return a.r ^ b.r; }
  friend TT_INLINE simd operator~(simd a) { return ~a.r; }
  friend TT_INLINE simd operator-(simd a) {
    if constexpr (std::is_integral_v<Number>) return (vector)(-(unsigned_vector)a.r);  // the least integer stays
    else return -a.r;
  }

  TT_INLINE static simd from_mask(mask m) { return m ? vector{} + Number(1) : vector{}; }
  friend TT_INLINE simd less(simd a, simd b) { return from_mask(a.r < b.r); }
  friend TT_INLINE simd less_equal(simd a, simd b) { return from_mask(a.r <= b.r); }
  friend TT_INLINE simd equal(simd a, simd b) { return from_mask(a.r == b.r); }
  friend TT_INLINE simd choose(simd condition, simd a, simd b) { return condition.r != vector{} ? a.r : b.r; }
  friend TT_INLINE simd abs(simd a) { return a.r < vector{} ? (-a).r : a.r + vector{}; }
};

// Integers wrap: the sums and products are taken unsigned.
template <class Number> TT_INLINE simd<Number> plus(simd<Number> a, simd<Number> b) { return a + b; }
template <class Number> TT_INLINE simd<Number> minus(simd<Number> a, simd<Number> b) { return a - b; }
template <class Number> TT_INLINE simd<Number> times(simd<Number> a, simd<Number> b) { return a * b; }
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
template <class Number, class Function>
TT_INLINE simd<Number> each_lane(simd<Number> a, simd<Number> b, Function f) {
  Number x[simd<Number>::width], y[simd<Number>::width];
  a.store(x);
  b.store(y);
  for (int i = 0; i < simd<Number>::width; ++i) x[i] = f(x[i], y[i]);
  return simd<Number>::load(x);
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

/// Whether every lane of a comparison holds.
template <class Mask>
TT_INLINE bool all(Mask m) {
#if !defined(__SSE2__)
  for (std::size_t i = 0; i < sizeof m / sizeof m[0]; ++i)
    if (!m[i]) return false;
  return true;
#elif TT_VECTOR_BYTES == 64
  return _mm512_cmpneq_epi64_mask((__m512i)m, (__m512i)~Mask{}) == 0;
#elif TT_VECTOR_BYTES == 32
  return _mm256_testc_si256((__m256i)m, (__m256i)~Mask{});
#else
  return _mm_movemask_epi8((__m128i)m) == 0xffff;
#endif
}
/// Eigen's exp clamps its argument, which loses NaN, the two ends, the results below the normal numbers and (AVX-512) the
/// largest. Where a lane lies outside, those come as squares of exp(x / 2).
template <class Number>
TT_INLINE simd<Number> exp(simd<Number> x) {
  constexpr bool wide = sizeof(Number) == 8;
  constexpr Number low = wide ? Number(-745.133219101942) : Number(-103.972084), usual_low = wide ? Number(-708.3) : Number(-87.3);
  constexpr Number high = wide ? Number(709.782712893384) : Number(88.7228394), usual_high = wide ? Number(709.7) : Number(88.3);
  using vector = typename simd<Number>::vector;
  const auto usual = (x.r > usual_low) & (x.r < usual_high);
  const vector y = from_packet<Number>(Eigen::internal::pexp(to_packet(x))).r;
  if (all(usual)) [[likely]] return y;
  const vector root = from_packet<Number>(Eigen::internal::pexp(to_packet(simd<Number>(x.r * Number(0.5))))).r;
  const vector infinity = vector{} + std::numeric_limits<Number>::infinity();
  const vector ends = x.r > high ? infinity : x.r < low ? vector{} : usual ? y : root * root;
  return x.r == x.r ? ends : x.r;
}
/// Eigen's log takes what lies below the normal numbers for the least of them.
template <class Number>
TT_INLINE simd<Number> log(simd<Number> x) {
  using vector = typename simd<Number>::vector;
  const auto normal = x.r >= (std::numeric_limits<Number>::min)();
  const vector y = from_packet<Number>(Eigen::internal::plog(to_packet(x))).r;
  if (all(normal)) [[likely]] return y;
  const vector scaled = from_packet<Number>(Eigen::internal::plog(to_packet(simd<Number>(x.r * Number(0x1p64))))).r;
  return normal ? y : scaled - Number(44.361419555836499802702855773323);  // 64 log 2
}
/// The processor's square root: Eigen's for float is an estimate that makes NaN of infinity (EIGEN_FAST_MATH).
#if defined(__SSE2__)
#if TT_VECTOR_BYTES == 64
TT_INLINE simd<float> sqrt(simd<float> x) { return (simd<float>::vector)_mm512_sqrt_ps((__m512)x.r); }
TT_INLINE simd<double> sqrt(simd<double> x) { return (simd<double>::vector)_mm512_sqrt_pd((__m512d)x.r); }
#elif TT_VECTOR_BYTES == 32
TT_INLINE simd<float> sqrt(simd<float> x) { return (simd<float>::vector)_mm256_sqrt_ps((__m256)x.r); }
TT_INLINE simd<double> sqrt(simd<double> x) { return (simd<double>::vector)_mm256_sqrt_pd((__m256d)x.r); }
#else
TT_INLINE simd<float> sqrt(simd<float> x) { return (simd<float>::vector)_mm_sqrt_ps((__m128)x.r); }
TT_INLINE simd<double> sqrt(simd<double> x) { return (simd<double>::vector)_mm_sqrt_pd((__m128d)x.r); }
#endif
#else
template <class Number>
TT_INLINE simd<Number> sqrt(simd<Number> x) {
  return each_lane(x, [](Number v) { return std::sqrt(v); });
}
#endif
TT_INLINE simd<float> tanh(simd<float> x) {
  const auto y = from_packet<float>(Eigen::internal::ptanh(to_packet(x))).r;
  return x.r == x.r ? y : x.r;
}
TT_INLINE simd<double> tanh(simd<double> x) {
  return each_lane(x, [](double v) { return std::tanh(v); });
}
template <class Number>
TT_INLINE simd<Number> pow(simd<Number> base, simd<Number> exponent) {
  return each_lane(base, exponent, [](Number b, Number e) { return math::pow(b, e); });
}
template <class Number>
TT_INLINE simd<Number> trunc_divide(simd<Number> x, simd<Number> y) {
  return each_lane(x, y, [](Number a, Number b) { return math::trunc_divide(a, b); });
}
template <class Number>
TT_INLINE simd<Number> floor_divide(simd<Number> x, simd<Number> y) {
  return each_lane(x, y, [](Number a, Number b) { return math::floor_divide(a, b); });
}
template <class Number>
TT_INLINE simd<Number> fmod(simd<Number> x, simd<Number> y) {
  return each_lane(x, y, [](Number a, Number b) { return math::fmod(a, b); });
}
template <class Number>
TT_INLINE simd<Number> remainder(simd<Number> x, simd<Number> y) {
  return each_lane(x, y, [](Number a, Number b) { return math::remainder(a, b); });
}
template <class Number>
TT_INLINE simd<Number> atan2(simd<Number> y, simd<Number> x) {
  return each_lane(y, x, [](Number a, Number b) { return std::atan2(a, b); });
}
template <class Number>
TT_INLINE simd<Number> log2(simd<Number> x) {
  return each_lane(x, [](Number v) { return std::log2(v); });
}
template <class Number>
TT_INLINE simd<Number> sin(simd<Number> x) {
  return each_lane(x, [](Number v) { return std::sin(v); });
}
template <class Number>
TT_INLINE simd<Number> cos(simd<Number> x) {
  return each_lane(x, [](Number v) { return std::cos(v); });
}
template <class Number>
TT_INLINE simd<Number> floor(simd<Number> x) {
  return each_lane(x, [](Number v) { return math::floor(v); });
}
template <class Number>
TT_INLINE simd<Number> ceil(simd<Number> x) {
  return each_lane(x, [](Number v) { return math::ceil(v); });
}
template <class Number>
TT_INLINE simd<Number> trunc(simd<Number> x) {
  return each_lane(x, [](Number v) { return math::trunc(v); });
}
template <class Number>
TT_INLINE simd<Number> round(simd<Number> x) {
  return each_lane(x, [](Number v) { return math::round(v); });
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
