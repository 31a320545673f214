// Tensors of every dtype, of ranks 0 to 5, with extents in the type, named and of run time: what each kind of operation
// is run through, and the numbers that a plain loop works with.
#pragma once
#include "catch.hpp"
#include "tensors.hpp"

#include <algorithm>
#include <cmath>

namespace tests {

/// The same extents, known at different times.
template <tt::index_t... Extent>
struct Extents {
  template <tt::index_t Number>
  static constexpr tt::index_t name = Number == 2 ? tt::dim("two") : Number == 3 ? tt::dim("three") : tt::dim("four");
  static constexpr int rank = int(sizeof...(Extent));
  using fixed = tt::Shape<Extent...>;
  using dynamic = tt::Shape<(void(Extent), tt::dyn)...>;
  using named = tt::Shape<name<Extent>...>;
  static tt::dims size() { return {Extent...}; }
};

/// f(Extents<..>{}) for each rank from Low to 5.
template <int Low = 0, class Function>
void each_rank(Function&& f) {
  if constexpr (Low <= 0) f(Extents<>{});
  if constexpr (Low <= 1) f(Extents<3>{});
  if constexpr (Low <= 2) f(Extents<3, 2>{});
  f(Extents<2, 3, 4>{});
  f(Extents<2, 3, 2, 4>{});
  f(Extents<2, 2, 3, 2, 4>{});
}

template <class... Type>
struct Types {
  static constexpr int count = int(sizeof...(Type));
  /// f(Type{}) for each.
  template <class Function>
  static void each(Function&& f) {
    (f(Type{}), ...);
  }
};
using Integers = Types<bool, std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Reals = Types<tt::half, tt::bfloat16, float, double>;
using Complexes = Types<std::complex<float>, std::complex<double>>;
using Stored = Types<std::uint16_t, std::uint32_t, std::uint64_t>;   // no operation computes with them
static_assert(Integers::count + Reals::count + Complexes::count + Stored::count == tt::dtype_count);

/// f(Type{}) for each dtype that operations compute with.
template <class Function>
void each_computed(Function&& f) {
  Integers::each(f);
  Reals::each(f);
  Complexes::each(f);
}

/// f(Type{}) for each dtype.
template <class Function>
void each_stored(Function&& f) {
  each_computed(f);
  Stored::each(f);
}

template <class Type>
constexpr bool is_complex = tt::is_complex(tt::dtype_of<Type>);
template <class Type>
constexpr bool is_whole = std::is_integral_v<Type>;

/// What a plain loop computes in: int64, or the next wider floating or complex type.
template <class Type>
using wide_t =
    std::conditional_t<is_whole<Type>, std::int64_t,
    std::conditional_t<std::is_same_v<Type, double>, long double,
    std::conditional_t<std::is_same_v<Type, std::complex<float>>, std::complex<double>,
    std::conditional_t<std::is_same_v<Type, std::complex<double>>, std::complex<long double>, double>>>>;

template <class Type>
wide_t<Type> widened(Type x) {
  if constexpr (is_complex<Type>) return {x.real(), x.imag()};
  else if constexpr (sizeof(Type) == 2 && !is_whole<Type>) return float(x);
  else return wide_t<Type>(x);
}

/// Elements drawn over the whole range of the small integers, so that they wrap, and between -3 and 3.
template <class Type>
tt::AnyTensor operand(const tt::dims& size, std::uint64_t seed) {
  const tt::AnyTensor t = tt::AnyTensor::empty(tt::dtype_of<Type>, size);
  const double range = is_whole<Type> ? 0x1p30 : 3;
  auto* p = reinterpret_cast<Type*>(t.data_ptr());
  for (tt::index_t i = 0; i < t.numel(); ++i) {
    if constexpr (is_complex<Type>)
      p[i] = {number<typename Type::value_type>(i, -3, 3, seed), number<typename Type::value_type>(i, -3, 3, seed + 9)};
    else if constexpr (std::is_same_v<Type, bool>) p[i] = number<bool>(i, -1, 1, seed);
    else if constexpr (is_whole<Type>) p[i] = Type(number<std::int64_t>(i, -range, range, seed));
    else p[i] = number<Type>(i, -3, 3, seed);
  }
  return t;
}

/// Row-major elements, for plain loops.
template <class Type>
std::vector<wide_t<Type>> wide(const tt::AnyTensor& t) {
  const tt::AnyTensor flat = t.packed();
  std::vector<wide_t<Type>> out;
  for (tt::index_t i = 0; i < flat.numel(); ++i)
    out.push_back(widened(reinterpret_cast<const Type*>(flat.data_ptr())[i]));
  return out;
}

/// Whether t holds these numbers as Types: integers wrap, others may differ by `steps` last places of 8, or of
/// themselves where they are larger.
template <class Type>
bool holds(const tt::AnyTensor& t, const std::vector<wide_t<Type>>& want, double steps = 2) {
  if (t.dtype() != tt::dtype_of<Type> || t.numel() != tt::index_t(want.size())) return false;
  const auto got = wide<Type>(t);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if constexpr (is_whole<Type>) {
      if (got[i] != widened(tt::detail::converted<Type>(want[i]))) return false;
    } else {
      using real = std::conditional_t<is_complex<Type>, decltype(std::abs(want[i])), wide_t<Type>>;
      constexpr tt::dtype of = tt::real_dtype(tt::dtype_of<Type>);
      constexpr real last = of == tt::dtype::bfloat16  ? real(0x1p-7)
                            : of == tt::dtype::float16 ? real(0x1p-10)
                            : of == tt::dtype::float32 ? real(0x1p-23)
                                                       : real(0x1p-52);
      const real size = (std::max)(real(8), real(std::abs(want[i])));
      if (!(std::abs(got[i] - want[i]) <= real(steps) * last * size)) return false;
    }
  }
  return true;
}

template <class Type>
void check_holds(const tt::AnyTensor& t, const std::vector<wide_t<Type>>& want, double steps = 2) {
  CHECK(holds<Type>(t, want, steps));
}

/// f(x.as<Type, ShapeType>()...), which must fit its type.
template <class Type, class ShapeType, class Function, class... Any>
tt::AnyTensor result(Function& f, const Any&... x) {
  const auto y = tt::eval(f(x.template as<Type, ShapeType>()...));
  if (!tt::fits(y.sizes(), tt::shape_t<decltype(y)>::value)) tt::fail("the result does not fit its type");
  return y;
}
inline void check_same(const tt::AnyTensor& fixed, const tt::AnyTensor& named, const tt::AnyTensor& dynamic) {
  CHECK(same_bits(fixed, dynamic));
  CHECK(same_bits(named, dynamic));
}

/// f of the tensors with run-time extents, after it gave the same bits for extents in the type and for named ones, and
/// each result fitted its type.
template <class Type, class Sizes, class Function, class... Any>
tt::AnyTensor alike(Function f, const Any&... x) {
  const tt::AnyTensor want = result<Type, typename Sizes::dynamic>(f, x...);
  check_same(result<Type, typename Sizes::fixed>(f, x...), result<Type, typename Sizes::named>(f, x...), want);
  return want;
}

}  // namespace tests
