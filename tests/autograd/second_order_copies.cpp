// Second derivatives through copies that rearrange and through products of stacks of matrices.
#include <tt/autograd/gradgradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using Cube = tt::Shape<tt::dyn, tt::dyn, tt::dyn>;
using tt::gradgradcheck;

namespace {
template <class ShapeType>
auto leaf(const tt::dims& size, std::uint64_t seed) {
  tt::Tensor<double, ShapeType, tt::cpu, 2> x = tests::numbers<double, ShapeType>(size, 0.5, 2, seed);
  x.requires_grad_();
  return x;
}
const auto a0 = leaf<Matrix>({2, 3}, 1), b0 = leaf<Matrix>({2, 3}, 2);
}  // namespace

TEST_CASE("second order: joined, reordered and repeated elements", "[autograd]") {
  CHECK(gradgradcheck(
      [](const auto& a, const auto& b) {
        const tt::Tensor joined = tt::cat<0>(a * a, b, a);
        return joined * joined * tt::roll(joined, {1, 1}, {0, 1});
      },
      a0, b0));
  CHECK(gradgradcheck(
      [](const auto& a, const auto& b) {
        return tt::flip<1>(a * b) * tt::rot90<2>(b) * tt::tile<2, 1>(tt::Tensor(tt::slice<0>(a, 0, 1)));
      },
      a0, b0));
  CHECK(gradgradcheck(
      [](const auto& a, const auto& b) { return tt::repeat_interleave<0, 2>(a * a) * tt::repeat<2, 1>(b * b); }, a0,
      b0));
  CHECK(gradgradcheck(
      [](const auto& a, const auto& b) { return tt::stack<1>(a, b) * tt::expand<2, 2, 3>(tt::unsqueeze<1>(a * b)); },
      a0, b0));
}

TEST_CASE("second order: diagonals and triangles", "[autograd]") {
  CHECK(gradgradcheck(
      [](const auto& a, const auto& b) {
        return tt::tril(a * a) * tt::triu(b, -1) + tt::sum(tt::diag(a, 1)) * tt::sum(tt::diag_embed<1>(b * b));
      },
      a0, b0));
}

TEST_CASE("second order: products of stacks, broadcast and of a vector", "[autograd]") {
  const auto x = leaf<Cube>({2, 2, 3}, 3), y = leaf<Cube>({2, 3, 2}, 4), one = leaf<Cube>({1, 3, 2}, 5);
  const auto v = leaf<tt::Shape<tt::dyn>>({3}, 6);
  const auto mm = [](const auto& p, const auto& q) { return tt::eval(tt::matmul(p, q)); };
  CHECK(gradgradcheck(mm, x, y));
  CHECK(gradgradcheck(mm, x, one));
  CHECK(gradgradcheck(mm, a0, y));
  CHECK(gradgradcheck(mm, v, y));
  CHECK(gradgradcheck(
      [&](const auto& p, const auto& q) {
        const auto product = tt::bmm(p * p, q);
        return tt::eval(product * product);
      },
      x, y));
}
