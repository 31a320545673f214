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

/// square(sin(data * c)) of a member and a local number.
template <class Type>
struct Signal {
  tt::Vector<Type> data;
  auto shaped(double scale) const {
    const Type c = Type(scale);
    return tt::square(tt::sin(data * c));
  }
};

Results square_sin_scaled(const Call& c) {
  return with_floating(c.tensor("data"), [&]<class Type>(Type) -> Results {
    const auto e = Signal<Type>{flat<Type>(c.tensor("data"))}.shaped(c.number("scale"));
    return {{"y", shaped_as(c.tensor("data"), tt::eval(e))}};
  });
}

/// Of an expression that nobody keeps.
template <class E>
auto plus_constant(const E& e, double constant) {
  return tt::logsumexp(e + constant);
}

Results logsumexp_plus_constant(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    return {{"y", tt::eval(plus_constant(flat<Type>(c.tensor("x")), c.number("c")))}};
  });
}

/// where(t < 0, floor(t), t) of a local t.
template <class E>
auto divided(E&& e, double by) {
  const auto t = std::forward<E>(e) / by;
  return tt::where(t < 0, tt::floor(t), t);
}

Results arange_divide(const Call& c) {
  const auto e = divided(tt::arange<double>(double(c.integer("n"))), double(c.integer("by")));
  return {{"y", tt::eval(e)}};
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
  table.insert({{"arange_divide", arange_divide},
                {"logsumexp_plus_constant", logsumexp_plus_constant},
                {"matmul_ones_transposed", matmul_ones_transposed},
                {"neg_sum_log", neg_sum_log},
                {"square_sin_scaled", square_sin_scaled}});
}

}  // namespace cases
