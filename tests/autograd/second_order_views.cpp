// Second derivatives through views and through what is written on the tape.
#include <tt/autograd/gradgradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using Vector = tt::Shape<tt::dyn>;
using Twice = tt::Tensor<double, Vector, tt::cpu, 2>;

namespace {
Twice leaf(std::uint64_t seed) {
  Twice x = tests::numbers<double, Vector>({4}, 0.5, 2, seed);
  x.requires_grad_();
  return x;
}
const Twice a0 = leaf(1), b0 = leaf(2);
}  // namespace

TEST_CASE("second order: views", "[autograd]") {
  CHECK(tt::gradgradcheck([](const auto& a, const auto& b) {
    const auto m = tt::unflatten<0, 2, 2>(a);
    return tt::diagonal<0>(m) * tt::select<1>(tt::mT(tt::view<2, 2>(b)) * m, 1) * tt::unfold<0, 2>(a);
  }, a0, b0));
  CHECK(tt::gradgradcheck([](const auto& a, const auto& b) {
    const auto [p, q] = tt::broadcast_tensors(tt::unsqueeze<1>(a), b);
    return p * q * p + tt::expand<4, -1>(tt::squeeze<0>(tt::unsqueeze<0>(b))) * tt::movedim<0, 1>(q * q);
  }, a0, b0));
}

TEST_CASE("second order: what is written, and what was there before", "[autograd]") {
  const auto check = [](auto write) {
    return tt::gradgradcheck([write](const auto& a, const auto& b) {
      const Twice y = a * a;
      write(y, b);
      return y * y * a;
    }, a0, b0);
  };
  CHECK(check([](const auto& y, const auto& b) { tt::slice<0>(y, 1, 3) *= tt::slice<0>(b, 0, 2); }));
  CHECK(check([](const auto& y, const auto& b) { y += b * b; }));
  CHECK(check([](const auto& y, const auto& b) { tt::select<0>(y, 2).copy_(exp(tt::select<0>(b, 1))); }));
  CHECK(check([](const auto& y, const auto& b) { y.copy_(b * b); }));
}

TEST_CASE("second order: through a copy into another dtype", "[autograd]") {
  const tt::Tensor<float, tt::Shape<3>, tt::cpu, 2> x{{1, 2, 3}};
  x.requires_grad_();
  const tt::Tensor<double, tt::Shape<3>, tt::cpu, 2> y = tt::zeros<double, tt::Shape<3>>();
  static_cast<const tt::AnyTensor&>(y).copy_(x);
  const auto first = tt::grad(tt::sum(y * y * y), x);
  CHECK(tests::values(first) == std::vector<double>{3, 12, 27});
  backward(tt::sum(first));
  CHECK(tests::values(x.grad()) == std::vector<double>{6, 12, 18});
}
