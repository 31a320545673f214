// A tracked bias beside a product that is not: the product's kernels record nothing, so the sum must be a region by itself.
#include <tt/tensor.hpp>

#include "../catch.hpp"

using tt::Shape, tt::Tensor, tt::Variable;

TEST_CASE("a bias keeps its gradient when neither factor is tracked", "[autograd]") {
  const Tensor<float, Shape<2, 2>> x{{1, 2, 3, 4}};
  const Variable<float, Shape<2>> b{{1, 1}};
  b.requires_grad_();
  SECTION("with an activation") {
    tt::backward(sum(relu(matmul(x, x) + b)));
    CHECK(b.grad()(0) == 2);
    CHECK(b.grad()(1) == 2);
  }
  SECTION("without") {
    const Tensor h = matmul(x, x) + b;
    tt::backward(sum(h * h));
    CHECK(b.grad()(0) == 2 * (8 + 16));
    CHECK(b.grad()(1) == 2 * (11 + 23));
  }
  SECTION("and with a product that somebody else holds") {
    const auto product = matmul(x, x);
    const Tensor y = sigmoid(product + b);
    const Tensor plain = product;
    tt::backward(sum(y));
    CHECK(b.grad()(0) == Approx(y(0, 0) * (1 - y(0, 0)) + y(1, 0) * (1 - y(1, 0))));
    CHECK(plain(1, 1) == 22);
  }
}

TEST_CASE("a leaf whose value no slope reads may be changed before backward", "[autograd]") {
  const Variable<double, Shape<2>> x{{1, 2}};
  x.requires_grad_();
  const Tensor y = x + 1;
  const Tensor z = x * x;
  x.detach() += 1;
  tt::backward(sum(y));
  CHECK(x.grad()(0) == 1);
  CHECK_THROWS_WITH(tt::backward(sum(z)), Contains("changed in place"));
}

TEST_CASE("axes of one name have one extent", "[expr]") {
  constexpr auto batch = tt::dim("batch");
  const Tensor<float, Shape<batch>> p = tt::ones<float, Shape<batch>>({1}), q = tt::ones<float, Shape<batch>>({4});
  CHECK_THROWS_WITH(tt::eval(p * q), Contains("equal names are one extent"));
  CHECK_THROWS_AS(tt::eval(exp(p) + 2 * q), tt::Error);
  CHECK(tt::eval(q * 2 + q).numel() == 4);
}
