#include <tt/core/dtype.hpp>

#include "../catch.hpp"

#include <string>
#include <type_traits>

using tt::dtype;
using tt::promote;

// ---- the element types, each under its id, size and name ----

template <class Type, dtype Id, std::size_t Bytes>
consteval bool is() {
  return tt::element<Type> && tt::dtype_of<Type> == Id && std::is_same_v<tt::element_of<Id>, Type> &&
         tt::size_of(Id) == Bytes && sizeof(Type) == Bytes && tt::is_integral(Id) == std::is_integral_v<Type>;
}
static_assert(is<bool, dtype::boolean, 1>() && is<std::uint8_t, dtype::uint8, 1>() &&
              is<std::int64_t, dtype::int64, 8>());
static_assert(is<float, dtype::float32, 4>() && is<double, dtype::float64, 8>());
static_assert(is<std::int8_t, dtype::int8, 1>() && is<std::int16_t, dtype::int16, 2>() && is<std::int32_t, dtype::int32, 4>());
static_assert(is<std::uint16_t, dtype::uint16, 2>() && is<std::uint32_t, dtype::uint32, 4>() &&
              is<std::uint64_t, dtype::uint64, 8>());
static_assert(is<tt::half, dtype::float16, 2>() && is<tt::bfloat16, dtype::bfloat16, 2>());
static_assert(is<std::complex<float>, dtype::complex64, 8>() && is<std::complex<double>, dtype::complex128, 16>());
static_assert(!tt::element<char> && !tt::element<long long> && !tt::element<long double> && !tt::element<const float> &&
              !tt::element<float&>);

static_assert(std::is_same_v<tt::compute_t<bool>, std::int64_t> &&
              std::is_same_v<tt::compute_t<std::uint8_t>, std::int64_t> &&
              std::is_same_v<tt::compute_t<std::int64_t>, std::int64_t> &&
              std::is_same_v<tt::compute_t<float>, float> && std::is_same_v<tt::compute_t<double>, double>);
static_assert(std::is_same_v<tt::compute_t<std::int8_t>, std::int64_t> && std::is_same_v<tt::compute_t<tt::half>, float> &&
              std::is_same_v<tt::compute_t<tt::bfloat16>, float> &&
              std::is_same_v<tt::compute_t<std::complex<float>>, std::complex<float>>);
static_assert(tt::accumulate_dtype(dtype::boolean) == dtype::int64 &&
              tt::accumulate_dtype(dtype::uint8) == dtype::int64 &&
              tt::accumulate_dtype(dtype::int64) == dtype::int64 &&
              tt::accumulate_dtype(dtype::float32) == dtype::float64);

// ---- promotion: torch.result_type of PyTorch 2.x, row and column in the order bool, uint8, int64, float32, float64 ----

namespace {
constexpr dtype all[] = {dtype::boolean, dtype::uint8, dtype::int64, dtype::float32, dtype::float64};

/// b, u, i, f, d: one letter a dtype.
constexpr dtype letter(char c) {
  return c == 'b'   ? dtype::boolean
         : c == 'u' ? dtype::uint8
         : c == 'i' ? dtype::int64
         : c == 'f' ? dtype::float32
                    : dtype::float64;
}
consteval bool table(tt::promotion_level row, tt::promotion_level column, const char* const (&result)[5],
                     int columns = 5) {
  constexpr dtype numbers[] = {dtype::boolean, dtype::int64, dtype::float32};
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < columns; ++b) {
      const tt::promotion_operand x{all[a], row}, y{columns == 5 ? all[b] : numbers[b], column};
      const dtype want = letter(result[a][b]);
      if (promote(x, y).type != want || promote(y, x).type != want) return false;
      if (promote(x, y).level != (row < column ? row : column)) return false;
    }
  return true;
}
constexpr auto axes = tt::promotion_level::axes, no_axes = tt::promotion_level::no_axes,
               literal = tt::promotion_level::literal;

// Neither holds the other's numbers: the next wider one.
static_assert(promote(dtype::uint8, dtype::int8) == dtype::int16 && promote(dtype::int8, dtype::int32) == dtype::int32);
static_assert(promote(dtype::float16, dtype::bfloat16) == dtype::float32 && promote(dtype::int64, dtype::float16) == dtype::float16);
static_assert(promote(dtype::float64, dtype::complex64) == dtype::complex128 &&
              promote(dtype::float16, dtype::complex64) == dtype::complex64);
static_assert(promote({dtype::float64, axes}, {dtype::complex64, literal}).type == dtype::complex128 &&
              promote({dtype::bfloat16, axes}, {dtype::float64, no_axes}).type == dtype::bfloat16 &&
              promote({dtype::int32, axes}, {dtype::complex64, literal}).type == dtype::complex64);

static_assert(table(axes, axes, {"buifd", "uuifd", "iiifd", "ffffd", "ddddd"}));
static_assert(table(axes, no_axes, {"buifd", "uuufd", "iiifd", "fffff", "ddddd"}));
static_assert(table(no_axes, no_axes, {"buifd", "uuifd", "iiifd", "ffffd", "ddddd"}));
static_assert(table(axes, literal, {"bif", "uuf", "iif", "fff", "ddd"}, 3));   // True, 1, 1.0
static_assert(table(no_axes, literal, {"bif", "uuf", "iif", "fff", "ddd"}, 3));
}  // namespace

TEST_CASE("dtype: names go both ways, and an unknown name is its own kind of error", "[core]") {
  for (int i = 0; i < tt::dtype_count; ++i) CHECK(tt::dtype_named(tt::name_of(dtype(i))) == dtype(i));
  CHECK(tt::name_of(dtype::boolean) == "bool");
  CHECK(tt::name_of(dtype::float64) == "float64");
  CHECK(tt::name_of(dtype::bfloat16) == "bfloat16");
  CHECK(tt::name_of(dtype::complex64) == "complex64");
  CHECK_THROWS_AS(tt::dtype_named("float8_e4m3fn"), tt::not_implemented);
  CHECK_THROWS_WITH(tt::dtype_named("flaot"), Contains("'flaot'"));
}

TEST_CASE("dtype: visit calls with the element type", "[core]") {
  for (int i = 0; i < tt::dtype_count; ++i)
    CHECK(tt::visit(dtype(i), []<class Type>(Type) { return tt::dtype_of<Type>; }) == dtype(i));
}

TEST_CASE("dtype: promotion is commutative and idempotent, and associative but for the 16-bit floats", "[core]") {
  const auto narrow = [](dtype t) { return t == dtype::float16 || t == dtype::bfloat16; };
  for (int i = 0; i < tt::dtype_count; ++i)
    for (int j = 0; j < tt::dtype_count; ++j) {
      const dtype a = dtype(i), b = dtype(j);
      CHECK(promote(a, b) == promote(b, a));
      CHECK(promote(a, a) == a);
      CHECK(tt::category_of(promote(a, b)) == (std::max)(tt::category_of(a), tt::category_of(b)));
      for (int k = 0; k < tt::dtype_count; ++k)
        if (const dtype c = dtype(k); !tt::is_storage_only(a) && !tt::is_storage_only(b) && !tt::is_storage_only(c) &&
                                      !narrow(a) && !narrow(b) && !narrow(c))
          CHECK(promote(promote(a, b), c) == promote(a, promote(b, c)));
    }
}
