// Gradients of 16-bit floats that many elements add to: half stops counting at 2048, bfloat16 at 256, so they are added up
// in a wider type within an operation, and rounded once.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <tt/autograd.hpp>

using tests::values;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;

namespace {

constexpr tt::index_t many = 4096;

template <class Narrow, class ShapeType>
tt::Variable<Narrow, ShapeType> leaf(const tt::dims& size) {
  tt::Variable<Narrow, ShapeType> x = tt::ones<Narrow, ShapeType>(size);
  x.requires_grad_();
  return x;
}
template <class Narrow>
tt::Variable<Narrow, Vector> leaf(tt::index_t n) {
  return leaf<Narrow, Vector>(tt::dims{n});
}
/// y is made of all that x receives: its sum's gradient is one a use.
template <class X, class Y>
list received(const X& x, const Y& y) {
  backward(tt::sum(y));
  const list g = values(x.grad());
  x.set_grad({});
  return g;
}

}  // namespace

TEMPLATE_TEST_CASE("narrow sums: copies that repeat", "[autograd]", tt::half, tt::bfloat16) {
  const auto x = leaf<TestType>(2);
  CHECK(received(x, tt::repeat(x, {many})) == list{many, many});
  CHECK(received(x, tt::repeat_interleave(x, many)) == list{many, many});
  CHECK(received(x, tt::repeat_interleave(x, tt::Tensor<std::int64_t, tt::Shape<2>>{many, 3}, 0)) == list{many, 3});
  const auto row = leaf<TestType, Matrix>({1, 3});
  CHECK(received(row, tt::tile(row, {many, 1})) == list{many, many, many});

  const auto other = leaf<TestType>(1);
  std::vector<tt::Variable<TestType, Vector>> all;
  for (tt::index_t i = 0; i < many; ++i) all.push_back(i % 8 ? x : other);
  backward(tt::sum(tt::cat(all, 0)));
  CHECK(values(other.grad()) == list{many / 8});
  CHECK(values(x.grad()) == list{many - many / 8, many - many / 8});
}

TEMPLATE_TEST_CASE("narrow sums: positions that are taken more than once", "[autograd]", tt::half, tt::bfloat16) {
  const auto x = leaf<TestType>(3);
  tt::Tensor<std::int64_t, Vector> at = tt::zeros<std::int64_t, Vector>({many});
  at(0) = 2;
  CHECK(received(x, tt::gather<0>(x, at)) == list{many, 0, 1});  // 4095, rounded once
  CHECK(received(x, tt::index_select<0>(x, at)) == list{many, 0, 1});

  const auto value = leaf<TestType, tt::Shape<>>({});
  const tt::Tensor places = tt::arange<std::int64_t>(many);
  CHECK(received(value, tt::index_put(tt::zeros<TestType, Vector>({many}), places, value)) == list{many});
  const tt::Tensor<TestType, Vector> one = tt::zeros<TestType, Vector>({1});
  const tt::Tensor<std::int64_t, Vector> first = tt::zeros<std::int64_t, Vector>({many});
  CHECK(received(value, tt::index_put(one, first, value, true)) == list{many});
}

TEMPLATE_TEST_CASE("narrow sums: views that show an element many times", "[autograd]", tt::half, tt::bfloat16) {
  const auto one = leaf<TestType>(1);
  CHECK(received(one, tt::expand(one, {many})) == list{many});
  CHECK(received(one, tt::sum_to_size(tt::expand(one, {3, many}), {1, many})) == list{3 * many});
  const auto line = leaf<TestType>(2 * many - 1);
  CHECK(received(line, tt::unfold(line, 0, many))[std::size_t(many - 1)] == many);
  const auto two = leaf<TestType>(2);
  CHECK(received(two, tt::as_strided(two, {many, 2}, {0, 1}, 0)) == list{many, many});
  CHECK(received(line, tt::as_strided(line, {many, many}, {1, 1}, 0))[std::size_t(many - 1)] == many);
  const auto column = leaf<TestType, Matrix>({3, 1});
  CHECK(received(column, tt::diagonal(tt::expand(column, {many, 3, 1}), 0, 1, 2)) == list{many, 0, 0});
  CHECK(received(column, tt::select(tt::expand(column, {many, 3, 1}), 1, 1)) == list{0, many, 0});
}

TEMPLATE_TEST_CASE("narrow sums: operands that are broadcast", "[autograd]", tt::half, tt::bfloat16) {
  const auto row = leaf<TestType, Matrix>({1, 3}), column = leaf<TestType, Matrix>({many, 1});
  const auto scalar = leaf<TestType, tt::Shape<>>({});
  const tt::Tensor<TestType, Matrix> tall = tt::ones<TestType, Matrix>({many, 3});
  const tt::Tensor<TestType, Matrix> wide = tt::ones<TestType, Matrix>({3, many});
  const tt::Tensor<TestType, Vector> long_one = tt::ones<TestType, Vector>({many});
  CHECK(received(row, row * tall) == list{many, many, many});
  CHECK(received(row, row + tt::transpose<0, 1>(wide)) == list{many, many, many});
  CHECK(received(scalar, scalar * long_one) == list{many});
  CHECK(received(scalar, scalar * tt::ones<TestType, Matrix>({many, 1})) == list{many});
  CHECK(received(scalar, scalar * tt::ones<TestType, tt::Shape<dyn, dyn, dyn>>({many, 2, 1})) == list{2 * many});
  CHECK(received(column, column * tall) == list(std::size_t(many), 3));


  tt::Variable<TestType, Vector> written = tt::zeros<TestType, Vector>({many});
  written.copy_(scalar);
  CHECK(received(scalar, written) == list{many});

  const auto bias = leaf<TestType>(3);
  const tt::Tensor<TestType, Matrix> w = tt::ones<TestType, Matrix>({2, 3});
  CHECK(received(bias, tt::matmul(tt::ones<TestType, Matrix>({many, 2}), w) + bias) == list{many, many, many});
  const auto weight = leaf<TestType, Matrix>({1, 1});
  CHECK(received(weight, tt::matmul(tt::ones<TestType, Matrix>({many, 1}), weight)) == list{many});
  CHECK(received(weight, tt::matmul(tt::ones<TestType, tt::Shape<dyn, dyn, dyn>>({many, 1, 1}), weight)) == list{many});
}

TEMPLATE_TEST_CASE("narrow sums: extrema with many ties, and sums up to each place", "[autograd]", tt::half, tt::bfloat16) {
  const auto x = leaf<TestType>(many);
  CHECK(received(x, tt::amax(x)) == list(std::size_t(many), 1. / many));
  CHECK(received(x, tt::amin(x)) == list(std::size_t(many), 1. / many));
  CHECK(received(x, tt::cumsum<0>(x)).front() == many);   // the first element is in all sums
  CHECK(received(x, tt::cumprod<0>(x)).front() == many);
  tt::Variable<TestType, Vector> falls = tt::arange<TestType>(0, -double(many), -1);
  falls.requires_grad_();
  CHECK(received(falls, tt::cummax<0>(falls).first).front() == many);
}
