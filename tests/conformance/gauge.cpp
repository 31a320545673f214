// Singular and eigenvectors: orthonormal, and the same product as the stored ones.
#include "compare.hpp"

#include <tt/tensor.hpp>

#include <cmath>

namespace conformance {

namespace {

/// The matrices of a stack, as doubles; a stack of vectors counts as one of rows.
struct Matrices {
  std::vector<double> value;
  tt::index_t count = 1, rows = 1, columns = 1;

  Matrices(const tt::AnyTensor& t, bool vectors) {
    tt::AnyTensor wide = tt::AnyTensor::empty(tt::dtype::float64, t.sizes());
    wide.copy_(t);
    const auto* p = reinterpret_cast<const double*>(wide.data_ptr());
    value.assign(p, p + t.numel());
    columns = t.sizes()[-1];
    rows = vectors ? 1 : t.sizes()[-2];
    for (int i = 0; i < t.rank() - (vectors ? 1 : 2); ++i) count *= t.sizes()[i];
  }
  double at(tt::index_t m, tt::index_t i, tt::index_t j) const {
    return value[std::size_t((m * rows + i) * columns + j)];
  }
};

/// The largest entry of V'V - 1, or of VV' - 1 where the vectors are rows.
double from_orthonormal(const Matrices& v, bool rows) {
  double worst = 0;
  const tt::index_t vectors = rows ? v.rows : v.columns, length = rows ? v.columns : v.rows;
  for (tt::index_t m = 0; m < v.count; ++m)
    for (tt::index_t i = 0; i < vectors; ++i)
      for (tt::index_t j = 0; j < vectors; ++j) {
        double dot = i == j ? -1 : 0;
        for (tt::index_t k = 0; k < length; ++k)
          dot += rows ? v.at(m, i, k) * v.at(m, j, k) : v.at(m, k, i) * v.at(m, k, j);
        worst = std::isnan(dot) ? HUGE_VAL : std::max(worst, std::abs(dot));
      }
  return worst;
}

/// left diag(values) right, entry by entry.
std::vector<double> product(const Matrices& left, const Matrices& values, const Matrices& right,
                            bool right_transposed) {
  std::vector<double> all;
  const tt::index_t columns = right_transposed ? right.rows : right.columns;
  for (tt::index_t m = 0; m < left.count; ++m)
    for (tt::index_t i = 0; i < left.rows; ++i)
      for (tt::index_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (tt::index_t k = 0; k < values.columns; ++k)
          sum += left.at(m, i, k) * values.at(m, 0, k) * (right_transposed ? right.at(m, j, k) : right.at(m, k, j));
        all.push_back(sum);
      }
  return all;
}

}  // namespace

std::string gauge_difference(const std::vector<tt::AnyTensor>& got, const std::vector<tt::AnyTensor>& want,
                             Tolerance tolerance) {
  if (got.size() != want.size() || (got.size() != 2 && got.size() != 3))
    return "the results are not those of eigh or svd";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].dtype() != want[i].dtype())
      return "result " + std::to_string(i) + " has another dtype than the stored one";
    if (!(got[i].sizes() == want[i].sizes()))
      return "result " + std::to_string(i) + " has other extents than the stored one";
  }
  const bool svd = got.size() == 3;
  const double bound = 8 * (tolerance.absolute + tolerance.relative);
  const auto products = [&](const std::vector<tt::AnyTensor>& r) {
    const Matrices values(r[svd ? 1 : 0], true), left(r[svd ? 0 : 1], false), right(r[svd ? 2 : 1], false);
    return product(left, values, right, !svd);
  };
  if (from_orthonormal(Matrices(got[svd ? 0 : 1], false), false) > bound) return "the vectors are not orthonormal";
  if (svd && from_orthonormal(Matrices(got[2], false), true) > bound) return "the right vectors are not orthonormal";
  const std::vector<double> a = products(got), b = products(want);
  double largest = 0;
  for (double x : b) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance.absolute + tolerance.relative * largest))
      return "the product of the results is another matrix";
  return "";
}

}  // namespace conformance
