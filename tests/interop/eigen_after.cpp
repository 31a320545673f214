// <tt/tensor.hpp> includes parts of Eigen; whoever includes all of it later gets all of it.
#include <tt/tensor.hpp>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <Eigen/Dense>
#include <Eigen/Sparse>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "../catch.hpp"
#include "../tensors.hpp"

#include <sstream>

TEST_CASE("eigen: included after tt, it is whole", "[interop]") {
  const auto x = tests::numbers<double, tt::Shape<4, 4>>({4, 4});
  const auto y = tests::numbers<double, tt::Shape<4, 4>>({4, 4}, -3, 3, 2);
  using matrix = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
  const Eigen::Map<const matrix> a(x.data()), b(y.data());
  const tt::Tensor z = matmul(x, y);
  CHECK(Eigen::Map<const matrix>(z.data()).isApprox(a * b));

  const matrix regular = a * a.transpose() + matrix::Identity();
  CHECK((regular.inverse() * regular).isIdentity(1e-9));
  CHECK(regular.ldlt().solve(b).isApprox(regular.partialPivLu().solve(b), 1e-9));
  CHECK(((a.array().exp() - a.array().exp().log().exp()).abs() < 1e-12).all());

  Eigen::MatrixXcf c = Eigen::MatrixXcf::Constant(3, 3, std::complex<float>(0, 1));
  CHECK((c * c)(0, 0) == std::complex<float>(-3, 0));

  Eigen::SparseMatrix<double> sparse(4, 4);
  sparse.insert(1, 2) = 5;
  CHECK((sparse * Eigen::Vector4d::Ones())(1) == 5);

  std::ostringstream text;
  text << Eigen::Vector2i(1, 2).transpose();
  CHECK(text.str() == "1 2");
}
