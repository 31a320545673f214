#include <tt/eigen.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::numbers;
using tests::values;
using tt::dyn;
using tt::Shape;
using list = std::vector<double>;

template <class E>
using shape = tt::shape_t<E>;
static_assert(std::is_same_v<shape<decltype(tt::from_eigen(Eigen::Matrix<float, 2, 3>{}))>, Shape<2, 3>>);
static_assert(std::is_same_v<shape<decltype(tt::from_eigen(Eigen::VectorXd{}))>, Shape<dyn>>);
static_assert(std::is_same_v<shape<decltype(tt::from_eigen(Eigen::Matrix<float, 1, 3>{}))>, Shape<1, 3>>);

TEST_CASE("eigen: a tensor's elements as a Map, of any layout", "[interop]") {
  const auto x = numbers<float, Shape<3, 4>>({3, 4});
  auto m = tt::as_eigen(x);
  static_assert(decltype(m)::RowsAtCompileTime == 3 && decltype(m)::ColsAtCompileTime == 4);
  CHECK((m.rows() == 3 && m.cols() == 4));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) CHECK(m(i, j) == x(i, j));
  m(1, 2) = 9;
  CHECK(x(1, 2) == 9);
  const tt::Tensor turned = tt::transpose<0, 1>(x);
  const tt::Tensor part = tt::slice<1>(x, 1, 4, 2);
  CHECK(tt::as_eigen(turned) == m.transpose());
  CHECK((tt::as_eigen(part).col(1) == m.col(3)));
  const tt::Tensor column = tt::select<1>(x, 2);
  CHECK(tt::as_eigen(column) == m.col(2));
  CHECK(tt::as_eigen(tt::reshape<12, 1>(x)).norm() == Approx(m.norm()));
  CHECK(values(tt::from_eigen(tt::as_eigen(x) * tt::as_eigen(turned))) == values(tt::from_eigen(m * m.transpose())));
  CHECK_THROWS_AS(tt::as_eigen(tt::Matrix<float>()), tt::Error);
  CHECK(tt::as_eigen(tt::zeros<double, Shape<dyn, 2>>({0, 2})).size() == 0);
}

TEST_CASE("eigen: a tensor over a matrix's coefficients writes them", "[interop]") {
  Eigen::MatrixXd m(2, 3);  // column-major
  m << 1, 2, 3, 4, 5, 6;
  const auto t = tt::wrap_eigen(m);
  static_assert(std::is_same_v<shape<decltype(t)>, Shape<dyn, dyn>>);
  CHECK(values(t) == list{1, 2, 3, 4, 5, 6});
  CHECK(t.data() == m.data());
  t *= 10;
  CHECK(m(1, 0) == 40);
  tt::slice<0>(t, 0, 1) = 0;
  CHECK((m(0, 2) == 0 && m(1, 2) == 60));
  auto block = m.block(0, 1, 2, 2);
  CHECK(values(tt::wrap_eigen(block)) == list{0, 0, 50, 60});
  Eigen::Vector3f v(1, 2, 3);
  static_assert(std::is_same_v<shape<decltype(tt::wrap_eigen(v))>, Shape<3>>);
  CHECK(values(tt::wrap_eigen(v) + 1) == list{2, 3, 4});
}

TEST_CASE("eigen: expressions are copied, arrays too", "[interop]") {
  Eigen::MatrixXf a(2, 2);
  a << 1, 2, 3, 4;
  const auto t = tt::from_eigen(a + a);
  a.setZero();
  CHECK(values(t) == list{2, 4, 6, 8});
  CHECK(values(tt::from_eigen(Eigen::ArrayXXd::Constant(1, 2, 3))) == list{3, 3});
  CHECK(tt::from_eigen(Eigen::MatrixXf(0, 3)).sizes() == tt::dims{0, 3});
}
