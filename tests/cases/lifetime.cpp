// Operations of the area lifetime: expressions and views that outlive what they were built from.
#include "typed.hpp"

namespace cases {

namespace {

using tt::AnyTensor;

/// -sum(correct * log(pred + eps)), returned as it is built.
template <class Vector>
auto neg_sum_log(const Vector& pred, const Vector& correct, double eps) {
  const auto shifted = pred + eps;
  const auto logarithm = tt::log(shifted);
  return -tt::sum(correct * logarithm);
}

Results neg_sum_log(const Call& c) {
  return with_floating(c.tensor("pred"), [&]<class Type>(Type) -> Results {
    const auto e = neg_sum_log(flat<Type>(c.tensor("pred")), flat<Type>(c.tensor("correct")), c.number("eps"));
    return {{"y", tt::eval(e)}};
  });
}

/// ones(m, k) times ones(k, n), transposed: the product is gone when the view is read.
auto ones_transposed(const Call& c) {
  using matrix = tt::Shape<tt::dyn, tt::dyn>;
  const auto a = tt::ones<float, matrix>({c.integer("m"), c.integer("k")});
  const auto b = tt::ones<float, matrix>({c.integer("k"), c.integer("n")});
  const tt::Tensor r = tt::matmul(a, b);
  return tt::transpose(r);
}

Results matmul_ones_transposed(const Call& c) {
  const auto e = ones_transposed(c);
  return {{"y", tt::eval(e)}};
}

}  // namespace

void add_lifetime(Adapters& table) {
  table.insert({{"neg_sum_log", neg_sum_log}, {"matmul_ones_transposed", matmul_ones_transposed}});
}

}  // namespace cases
