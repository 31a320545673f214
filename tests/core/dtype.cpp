#include <tt/core/dtype.hpp>

#include "../catch.hpp"

#include <string>
#include <type_traits>

using tt::dtype;
using tt::promote;

// ---- the five element types, each under its id, size and name ----

template <class Type, dtype Id, std::size_t Bytes>
consteval bool is() {
  return tt::element<Type> && tt::dtype_of<Type> == Id && std::is_same_v<tt::element_of<Id>, Type> &&
         tt::size_of(Id) == Bytes && sizeof(Type) == Bytes && tt::is_floating(Id) == std::is_floating_point_v<Type>;
}
static_assert(is<bool, dtype::boolean, 1>() && is<std::uint8_t, dtype::uint8, 1>() &&
              is<std::int64_t, dtype::int64, 8>());
static_assert(is<float, dtype::float32, 4>() && is<double, dtype::float64, 8>());
static_assert(!tt::element<int> && !tt::element<char> && !tt::element<long double> && !tt::element<const float> &&
              !tt::element<float&>);

static_assert(std::is_same_v<tt::compute_t<bool>, std::int64_t> &&
              std::is_same_v<tt::compute_t<std::uint8_t>, std::int64_t> &&
              std::is_same_v<tt::compute_t<std::int64_t>, std::int64_t> &&
              std::is_same_v<tt::compute_t<float>, float> && std::is_same_v<tt::compute_t<double>, double>);
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

static_assert(table(axes, axes, {"buifd", "uuifd", "iiifd", "ffffd", "ddddd"}));
static_assert(table(axes, no_axes, {"buifd", "uuufd", "iiifd", "fffff", "ddddd"}));
static_assert(table(no_axes, no_axes, {"buifd", "uuifd", "iiifd", "ffffd", "ddddd"}));
static_assert(table(axes, literal, {"bif", "uuf", "iif", "fff", "ddd"}, 3));   // True, 1, 1.0
static_assert(table(no_axes, literal, {"bif", "uuf", "iif", "fff", "ddd"}, 3));
}  // namespace

TEST_CASE("dtype: names go both ways, and an unknown name is its own kind of error", "[core]") {
  for (dtype t : all) CHECK(tt::dtype_named(tt::name_of(t)) == t);
  CHECK(tt::name_of(dtype::boolean) == "bool");
  CHECK(tt::name_of(dtype::float64) == "float64");
  CHECK_THROWS_AS(tt::dtype_named("float16"), tt::not_implemented);
  CHECK_THROWS_WITH(tt::dtype_named("flaot"), Contains("'flaot'"));
}

TEST_CASE("dtype: visit calls with the element type", "[core]") {
  for (dtype t : all)
    CHECK(tt::visit(t, []<class Type>(Type) { return tt::dtype_of<Type>; }) == t);
}

TEST_CASE("dtype: promotion is commutative, idempotent and associative among tensors", "[core]") {
  for (dtype a : all)
    for (dtype b : all) {
      CHECK(promote(a, b) == promote(b, a));
      CHECK(promote(a, a) == a);
      for (dtype c : all) CHECK(promote(promote(a, b), c) == promote(a, promote(b, c)));
    }
}
