// The judge is judged: what is wrong in one place only must be found.
#include "compare.hpp"
#include "tensor_file.hpp"

#include <tt/tensor.hpp>

#include "../catch.hpp"

using namespace conformance;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

tt::AnyTensor doubles(const tt::dims& size, const std::vector<double>& values) {
  const tt::AnyTensor t = tt::AnyTensor::empty(tt::dtype::float64, size);
  std::copy(values.begin(), values.end(), reinterpret_cast<double*>(t.data_ptr()));
  return t;
}
tt::AnyTensor integers(const tt::dims& size, const std::vector<std::int64_t>& values) {
  const tt::AnyTensor t = tt::AnyTensor::empty(tt::dtype::int64, size);
  std::copy(values.begin(), values.end(), reinterpret_cast<std::int64_t*>(t.data_ptr()));
  return t;
}
std::string compared(const std::vector<double>& got, const std::vector<double>& want, const Rules& rules = {}) {
  return difference(doubles({tt::index_t(got.size())}, got), doubles({tt::index_t(want.size())}, want), rules);
}

TEST_CASE("compare: equal is equal, and one wrong element is named", "[conformance]") {
  CHECK(compared({1, 2, 3}, {1, 2, 3}) == "");
  CHECK_THAT(compared({1, 2, 3}, {1, 2.5, 3}), Contains("at [1] it is 2, not 2.5"));
  CHECK(compared({}, {}) == "");
}

TEST_CASE("compare: the tolerance is absolute plus relative to what is stored", "[conformance]") {
  const Rules rules{{0.1, 0.01}, false, false};
  CHECK(compared({11.009, -11.009}, {10, -10}, rules) == "");
  CHECK(compared({11.011}, {10}, rules) != "");
  CHECK(compared({0.009}, {0}, rules) == "");
  CHECK(compared({0.011}, {0}, rules) != "");
}

TEST_CASE("compare: dtype and extents count", "[conformance]") {
  CHECK_THAT(difference(integers({2}, {1, 2}), doubles({2}, {1, 2}), {}), Contains("the dtype is int64, not float64"));
  CHECK_THAT(difference(doubles({2, 1}, {1, 2}), doubles({2}, {1, 2}), {}), Contains("extents"));
  CHECK_THAT(difference(doubles({0, 2}, {}), doubles({2, 0}, {}), {}), Contains("extents"));
}

TEST_CASE("compare: NaN stands only where it is stored, and gradients stored as NaN are not compared",
          "[conformance]") {
  const Rules loose{{10, 10}, false, false};
  CHECK(compared({nan_value}, {nan_value}, loose) == "");
  CHECK(compared({nan_value}, {1}, loose) != "");
  CHECK(compared({1}, {nan_value}, loose) != "");
  CHECK(compared({1}, {nan_value}, {{}, true, false}) == "");
  CHECK(compared({nan_value}, {1}, {{10, 10}, true, false}) != "");
}

TEST_CASE("compare: infinities are equal with their sign, whatever the tolerance", "[conformance]") {
  const Rules loose{{10, 10}, false, false};
  CHECK(compared({infinity, -infinity}, {infinity, -infinity}) == "");
  CHECK(compared({infinity}, {-infinity}, loose) != "");
  CHECK(compared({1}, {infinity}, loose) != "");
  CHECK(compared({infinity}, {1e308}, loose) != "");
}

TEST_CASE("compare: the sign of zero counts where it is asked for", "[conformance]") {
  CHECK(compared({0.0}, {-0.0}) == "");
  CHECK(compared({0.0}, {-0.0}, {{}, false, true}) != "");
  CHECK(compared({-0.0}, {-0.0}, {{}, false, true}) == "");
}

TEST_CASE("compare: large integers differ in their last digit", "[conformance]") {
  CHECK(difference(integers({1}, {9007199254740993}), integers({1}, {9007199254740992}), {}) != "");
}

TEST_CASE("compare: a view is read where its elements are", "[conformance]") {
  const tt::AnyTensor values = doubles({2, 2}, {1, 2, 3, 4});
  const tt::AnyTensor view = laid_out(values, {1, 3}, 1, 6);
  CHECK(difference(view, values, {}) == "");
  CHECK(std::isnan(*reinterpret_cast<const double*>(view.storage()->data)));
  const tt::AnyTensor numbers = laid_out(integers({1}, {7}), {1}, 1, 2);
  CHECK(*reinterpret_cast<const std::int64_t*>(numbers.storage()->data) == 12);
  CHECK_THROWS_AS(laid_out(values, {1, 3}, 3, 6), unreadable);
}

TEST_CASE("compare: an index may be another one of an equal value", "[conformance]") {
  const tt::AnyTensor x = doubles({2, 3}, {5, 5, 1, nan_value, 2, nan_value});
  const auto along = [&](std::vector<std::int64_t> got) {
    return index_difference(integers({2}, got), integers({2}, {0, 0}), x, 1);
  };
  CHECK(along({1, 2}) == "");
  CHECK_THAT(along({2, 0}), Contains("selects another value"));
  CHECK_THAT(along({0, 1}), Contains("at [1]"));
  CHECK_THAT(along({3, 0}), Contains("outside"));
  CHECK_THAT(along({-1, 0}), Contains("outside"));
  const auto kept = [&](std::vector<std::int64_t> got) {
    return index_difference(integers({1, 3}, got), integers({1, 3}, {0, 0, 0}), x, 0);
  };
  CHECK(kept({0, 0, 0}) == "");
  CHECK(kept({0, 1, 0}) != "");
  CHECK(index_difference(integers({}, {1}), integers({}, {0}), x, std::nullopt) == "");
  CHECK(index_difference(integers({}, {2}), integers({}, {0}), x, std::nullopt) != "");
  CHECK(index_difference(doubles({}, {0}), integers({}, {0}), x, std::nullopt) != "");
}

TEST_CASE("compare: vectors are free in sign, not in length or direction", "[conformance]") {
  const double s = std::sqrt(0.5);
  const Tolerance tolerance{1e-8, 1e-9};
  const std::vector<tt::AnyTensor> want = {doubles({2}, {1, 3}), doubles({2, 2}, {s, s, -s, s})};
  const auto eigh = [&](std::vector<double> values, std::vector<double> vectors) {
    return gauge_difference({doubles({2}, values), doubles({2, 2}, vectors)}, want, tolerance);
  };
  CHECK(eigh({1, 3}, {s, s, -s, s}) == "");
  CHECK(eigh({1, 3}, {-s, s, s, s}) == "");
  CHECK_THAT(eigh({1, 3}, {s, s, s, s}), Contains("orthonormal"));
  CHECK_THAT(eigh({1, 3}, {s, s, nan_value, s}), Contains("orthonormal"));
  CHECK_THAT(eigh({3, 1}, {s, s, -s, s}), Contains("another matrix"));
  const std::vector<tt::AnyTensor> svd = {doubles({2, 2}, {1, 0, 0, 1}), doubles({2}, {2, 1}),
                                          doubles({2, 3}, {1, 0, 0, 0, 1, 0})};
  CHECK(gauge_difference({doubles({2, 2}, {-1, 0, 0, 1}), svd[1], doubles({2, 3}, {-1, 0, 0, 0, 1, 0})}, svd,
                         tolerance) == "");
  CHECK(gauge_difference({doubles({2, 2}, {-1, 0, 0, 1}), svd[1], svd[2]}, svd, tolerance) != "");
  CHECK(gauge_difference({svd[0], svd[1]}, svd, tolerance) != "");
}
