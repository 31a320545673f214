// Kernels over rows: softmax, log_softmax and cross-entropy, both ways, held to formulas in double.
#include <tt/cuda/cross_entropy.hpp>

#include "cuda/device_test.hpp"

#include <limits>

using tt::gpu::softmax_kind, tt::index_t;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Lengths around the sizes of a warp and of a block; the last two are a block's. ThreadSanitizer sees one type.
template <class Number>
std::vector<index_t> lengths() {
  if (small_sizes_only) return std::is_same_v<Number, float> ? std::vector<index_t>{33, 1025} : std::vector<index_t>{};
  return {1, 2, 31, 32, 33, 257, 1024, 1025, 2500};
}

template <class Stored>
std::vector<Stored> scores(index_t n, double step) {
  std::vector<Stored> x;
  for (index_t i = 0; i < n; ++i) x.push_back(Stored(float(3 * std::sin(double(i) * step))));
  return x;
}
template <class Stored>
double tolerance() {
  if (std::is_same_v<Stored, double>) return 1e-13;
  return std::is_same_v<Stored, float> ? 2e-6 : std::is_same_v<Stored, tt::half> ? 1e-3 : 8e-3;
}
template <class Stored>
bool close(Stored got, double want) {
  const double x = double(got);
  if (std::isnan(want)) return std::isnan(x);
  return x == want || std::abs(x - want) <= tolerance<Stored>() * (1 + std::abs(want));
}

/// The logarithm of softmax of one row.
std::vector<double> log_softmax(std::vector<double> x) {
  double largest = -infinity, sum = 0;
  for (const double v : x) largest = v > largest || std::isnan(v) ? v : largest;
  for (const double v : x) sum += std::exp(v - largest);
  for (double& v : x) v = v - largest - std::log(sum);
  return x;
}
template <class Stored>
std::vector<double> row_of(const std::vector<Stored>& x, index_t row, index_t columns) {
  const auto first = x.begin() + row * columns;
  std::vector<double> out;
  for (auto p = first; p != first + columns; ++p) out.push_back(double(*p));
  return out;
}

template <softmax_kind Kind, class Stored>
void check_softmax(const std::vector<Stored>& x, index_t rows, index_t columns) {
  INFO("rows " << rows << ", columns " << columns);
  const DeviceArray<Stored> in(x), out(std::vector<Stored>(x.size()));
  tt::gpu::softmax_rows<Kind>(in.data(), out.data(), rows, columns, default_stream());
  const auto got = out.host();
  tt::gpu::softmax_rows<Kind>(in.data(), in.data(), rows, columns, default_stream());
  const auto in_place = in.host();
  for (index_t r = 0; r < rows; ++r) {
    const auto want = log_softmax(row_of(x, r, columns));
    for (index_t i = 0; i < columns; ++i) {
      const auto at = std::size_t(r * columns + i);
      const double value = Kind == softmax_kind::softmax ? std::exp(want[std::size_t(i)]) : want[std::size_t(i)];
      INFO("row " << r << ", column " << i << ": " << double(got[at]) << " for " << value);
      REQUIRE(close(got[at], value));
      REQUIRE((in_place[at] == got[at] || std::isnan(value)));
    }
  }
}

template <softmax_kind Kind, class Stored>
void check_backward(index_t rows, index_t columns, bool add) {
  constexpr bool log = Kind == softmax_kind::log_softmax;
  const index_t n = rows * columns;
  const auto x = scores<Stored>(n, 0.7), g = scores<Stored>(n, 0.3), before = scores<Stored>(n, 0.1);
  const DeviceArray<Stored> y(x), gradient(g), to(before);
  tt::gpu::softmax_rows<Kind>(y.data(), y.data(), rows, columns, default_stream());
  tt::gpu::softmax_rows_backward<Kind>(y.data(), gradient.data(), to.data(), add, rows, columns, default_stream());
  const auto out = y.host(), got = to.host();
  for (index_t r = 0; r < rows; ++r) {
    const auto v = row_of(out, r, columns), slope = row_of(g, r, columns);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += log ? slope[i] : slope[i] * v[i];
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto at = std::size_t(r * columns) + i;
      const double own = log ? slope[i] - std::exp(v[i]) * sum : v[i] * (slope[i] - sum);
      INFO("row " << r << ", column " << i << ": " << double(got[at]));
      const double want = own + (add ? double(before[at]) : 0);
      REQUIRE(std::abs(double(got[at]) - want) <= tolerance<Stored>() * (4 + std::abs(sum)));
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("softmax and log_softmax of rows", "[cuda]", float, double, tt::half, tt::bfloat16) {
  in_every_order([] {
    for (const index_t columns : lengths<TestType>()) {
      const index_t rows = small_sizes_only ? 2 : 9;
      const auto x = scores<TestType>(rows * columns, 0.7);
      check_softmax<softmax_kind::softmax>(x, rows, columns);
      check_softmax<softmax_kind::log_softmax>(x, rows, columns);
    }
    check_softmax<softmax_kind::softmax>(std::vector<TestType>(1), 0, 5);
    check_softmax<softmax_kind::softmax>(std::vector<TestType>(1), 5, 0);
  });
}

TEST_CASE("rows that overflow, are masked, or hold what is no number", "[cuda]") {
  const double rows[] = {1e4,       -1e4,      0,         -infinity, 1, 2, -infinity, -infinity, -infinity,
                         infinity,  1,         2,         no_number, 1, 2, 1,         no_number, -infinity};
  std::vector<float> x;
  for (const double v : rows) x.push_back(float(v));
  check_softmax<softmax_kind::softmax>(x, 6, 3);
  check_softmax<softmax_kind::log_softmax>(x, 6, 3);
}

TEMPLATE_TEST_CASE("derivatives of softmax and log_softmax, written and added", "[cuda]", float, double, tt::half) {
  in_every_order([] {
    for (const index_t columns : lengths<TestType>()) {
      const index_t rows = small_sizes_only ? 2 : 5;
      check_backward<softmax_kind::softmax, TestType>(rows, columns, false);
      check_backward<softmax_kind::log_softmax, TestType>(rows, columns, true);
    }
  });
}

TEST_CASE("fewer teams than rows", "[cuda]") {
  namespace kernels = tt::gpu::detail;
  constexpr auto kind = softmax_kind::softmax;
  in_every_order([] {
    const index_t rows = 5, columns = 70;
    const auto x = scores<double>(rows * columns, 0.7), g = scores<double>(rows * columns, 0.3);
    const DeviceArray<double> in(x), gradient(g), y(x), want(x), out(x), got(x);
    tt::gpu::softmax_rows<kind>(in.data(), y.data(), rows, columns, default_stream());
    tt::gpu::softmax_rows_backward<kind>(y.data(), gradient.data(), want.data(), false, rows, columns,
                                         default_stream());
    const auto check = [&]<class Team>(Team, unsigned threads) {
      tt::gpu::launch(kernels::softmax_kernel<Team, kind, double>, 1, threads, 0, nullptr, in.data(), out.data(), rows,
                      columns);
      tt::gpu::launch(kernels::softmax_backward_kernel<Team, kind, double>, 1, threads, 0, nullptr, out.data(),
                      gradient.data(), got.data(), false, rows, columns);
      const auto expected = want.host(), slopes = got.host();
      for (std::size_t i = 0; i < slopes.size(); ++i) REQUIRE(slopes[i] == Approx(expected[i]).margin(1e-14));
    };
    check(kernels::WarpTeam(), 64);
    check(kernels::BlockTeam(), 256);
  });
}

TEMPLATE_TEST_CASE("cross-entropy of rows and its derivative", "[cuda]", float, double) {
  using Number = TestType;
  in_every_order([] {
    for (const index_t classes : lengths<TestType>()) {
      const index_t rows = 5;
      const auto x = scores<Number>(rows * classes, 0.7), before = scores<Number>(rows * classes, 0.1);
      const std::vector<std::int64_t> labels{0, classes - 1, -100, classes / 2, classes};  // the last one is no class
      const std::vector<Number> g{1, 2, 3, 4, 5};
      const DeviceArray<Number> in(x), totals(std::vector<Number>(std::size_t(2 * rows))), loss(g), gradient(g);
      const DeviceArray<std::int64_t> label(labels);
      const DeviceArray<Number> scale(std::vector<Number>{Number(0.25)});
      tt::gpu::cross_entropy_rows(in.data(), label.data(), -100, totals.data(), loss.data(), rows, classes,
                                  default_stream());
      for (const index_t step : {0, 1}) {
        const bool add = step == 1;
        const DeviceArray<Number> slopes(before);
        tt::gpu::cross_entropy_rows_backward(in.data(), label.data(), -100, totals.data(), gradient.data(), step,
                                             scale.data(), slopes.data(), add, rows, classes, default_stream());
        const auto got = slopes.host(), losses = loss.host();
        for (index_t r = 0; r < rows; ++r) {
          const auto log_p = log_softmax(row_of(x, r, classes));
          const std::int64_t at = labels[std::size_t(r)];
          const bool ignored = at == -100, outside = at == classes;
          REQUIRE(close(losses[std::size_t(r)], ignored ? 0 : outside ? no_number : -log_p[std::size_t(at)]));
          for (index_t i = 0; i < classes; ++i) {
            const auto place = std::size_t(r * classes + i);
            const double factor = double(g[std::size_t(r * step)]) / 4;
            const double p = std::exp(log_p[std::size_t(i)]);
            const double slope = ignored ? 0 : outside ? no_number : (p - (i == at)) * factor;
            REQUIRE(close(got[place], slope + (add ? double(before[place]) : 0)));
          }
        }
      }
    }
  });
}
