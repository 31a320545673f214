// What docs/semantics.md says of Eigen. Eigen's assertions throw here, so that a test can see them.
#include <stdexcept>

#undef NDEBUG
#undef EIGEN_NO_DEBUG
#define eigen_assert(condition) \
  do { if (!(condition)) throw std::logic_error(#condition); } while (false)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <Eigen/Core>
#pragma GCC diagnostic pop

#include "../catch.hpp"

namespace {
using Eigen::VectorXf;
VectorXf of(std::initializer_list<float> elements) {
  VectorXf v(Eigen::Index(elements.size()));
  std::copy(elements.begin(), elements.end(), v.data());
  return v;
}
bool holds(const VectorXf& v, std::initializer_list<float> elements) {
  return std::equal(v.data(), v.data() + v.size(), elements.begin(), elements.end());
}

int products = 0;
/// The product of two elements, counted.
struct CountedProduct {
  float operator()(float a, float b) const { return ++products, a * b; }
};
}  // namespace

TEST_CASE("docs/semantics.md, Eigen 1 to 4: copies are values", "[interop]") {
  VectorXf a = of({1, 2, 3});
  VectorXf b = a;
  b += of({1, 1, 1});
  CHECK(holds(a, {1, 2, 3}));
  b = a;
  const Eigen::Ref<VectorXf> seen(a);
  a = (a.array() + 1).matrix();
  CHECK((holds(b, {1, 2, 3}) && holds(seen, {2, 3, 4})));
  a = b;
  a *= 2;
  CHECK(holds(b, {1, 2, 3}));
}

TEST_CASE("docs/semantics.md, Eigen 5 to 7: blocks write through, with a name too", "[interop]") {
  VectorXf a = of({1, 2, 3});
  a.head(2).setZero();
  CHECK(holds(a, {0, 0, 3}));
  a = of({1, 2, 3});
  auto s = a.head(2);
  s = VectorXf::Zero(2);
  CHECK(holds(a, {0, 0, 3}));
  VectorXf c = of({1, 2, 3, 4});
  c.segment(1, 3).segment(1, 1) *= 10;
  CHECK(holds(c, {1, 2, 30, 4}));
}

TEST_CASE("docs/semantics.md, Eigen 10 to 12: what is read while it is written changes", "[interop]") {
  VectorXf a = of({1, 2, 3, 4});
  a.tail(3) = a.head(3);
  CHECK_FALSE(holds(a, {1, 1, 2, 3}));
  Eigen::MatrixXf m(2, 2);
  m << 1, 2, 3, 4;
  CHECK_THROWS_AS(m += m.transpose(), std::logic_error);
  VectorXf b = of({1, 2, 3});
  b += b.head(1).replicate(3, 1);
  CHECK(holds(b, {2, 4, 5}));
}

TEST_CASE("docs/semantics.md, Eigen 15 to 17: an expression reads late and is computed wherever it is read", "[interop]") {
  VectorXf a = of({1, 2});
  const auto e = (a.array() + 1).matrix();
  a *= 10;
  CHECK(holds(VectorXf(e), {11, 21}));
  const VectorXf x = of({1, 2, 3, 4});
  const auto h = x.binaryExpr(x, CountedProduct());
  const VectorXf y = h + h, z = 2 * h;
  CHECK(products == 3 * 4);
  CHECK((holds(y, {2, 8, 18, 32}) && holds(z, {2, 8, 18, 32})));
  CHECK(of({1, 2}).sum() == 3);
}
