// Complex tensors against std::complex, and their gradients against differences along both axes of the plane.
#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../op_families.hpp"

using tt::dyn;
template <class Type>
using V = tt::Tensor<Type, tt::Shape<dyn>>;
using Z = std::complex<double>;

namespace {

template <class Real>
V<std::complex<Real>> plane(tt::index_t n, std::uint64_t seed) {
  V<std::complex<Real>> z(tt::dims{n});
  for (tt::index_t i = 0; i < n; ++i)
    z(i) = {tests::number<Real>(i, -1.5, 1.5, seed), tests::number<Real>(i, 0.2, 1.4, seed + 100)};
  return z;
}

template <class Real>
void compare(const tt::AnyTensor& got, const std::vector<std::complex<Real>>& want) {
  REQUIRE(got.dtype() == tt::dtype_of<std::complex<Real>>);
  const auto* p = reinterpret_cast<const std::complex<Real>*>(got.data_ptr());
  const Real unit = 8 * std::numeric_limits<Real>::epsilon();
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!(std::abs(p[i] - want[i]) <= unit * (1 + std::abs(want[i])))) FAIL("at " << i << " " << p[i] << " is not " << want[i]);
}

using Leaf = tt::Variable<Z, tt::Shape<dyn>>;
/// The same as a leaf that gathers gradients.
Leaf leaf(tt::index_t n, std::uint64_t seed) {
  Leaf z = plane<double>(n, seed);
  z.requires_grad_();
  return z;
}
template <class Function>
void check_gradient(const char* name, Function&& f) {
  INFO(name);
  CHECK(tt::gradcheck(f, leaf(5, 7)));
}

}  // namespace

TEST_CASE("complex: elementwise ops are std::complex's", "[ops]") {
  const auto run = []<class Real>(Real) {
    using C = std::complex<Real>;
    const auto a = plane<Real>(37, 1), b = plane<Real>(37, 2);
    const auto each = [&](auto&& f) {
      std::vector<C> out;
      for (tt::index_t i = 0; i < 37; ++i) out.push_back(f(a(i), b(i)));
      return out;
    };
    compare(tt::eval(a + b), each([](C x, C y) { return x + y; }));
    compare(tt::eval(a - b), each([](C x, C y) { return x - y; }));
    compare(tt::eval(a * b), each([](C x, C y) { return x * y; }));
    compare(tt::eval(a / b), each([](C x, C y) { return x / y; }));
    compare(tt::eval(-a), each([](C x, C) { return -x; }));
    compare(tt::eval(square(a)), each([](C x, C) { return x * x; }));
    compare(tt::eval(pow(a, b)), each([](C x, C y) { return std::pow(x, y); }));
    compare(tt::eval(exp(a)), each([](C x, C) { return std::exp(x); }));
    compare(tt::eval(log(a)), each([](C x, C) { return std::log(x); }));
    compare(tt::eval(sqrt(a)), each([](C x, C) { return std::sqrt(x); }));
    compare(tt::eval(tanh(a)), each([](C x, C) { return std::tanh(x); }));
    compare(tt::eval(conj(a)), each([](C x, C) { return std::conj(x); }));
    compare(tt::eval(a * C(0, 2) + 1), each([](C x, C) { return x * C(0, 2) + Real(1); }));
    compare(tt::eval(tests::scattered(a) * tests::scattered(b)), each([](C x, C y) { return x * y; }));
    compare(tt::eval(complex(real(a), imag(b))), each([](C x, C y) { return C(x.real(), y.imag()); }));
    compare(tt::eval(tt::where(a == b, a, b * 2)), each([](C, C y) { return y * Real(2); }));
    C total = 0;
    for (tt::index_t i = 0; i < 37; ++i) total += a(i);
    compare(tt::eval(tt::sum(a)), std::vector<C>{total});
    compare(tt::eval(tt::mean(a)), std::vector<C>{total / Real(37)});
    for (tt::index_t i = 0; i < 37; ++i) {
      CHECK(tt::eval(abs(a))(i) == std::abs(a(i)));
      CHECK(tt::eval(angle(a))(i) == std::arg(a(i)));
      CHECK(tt::eval(a == a)(i));
      CHECK_FALSE(tt::eval(a != a)(i));
    }
  };
  run(float{});
  run(double{});
}

TEST_CASE("complex: result types", "[ops]") {
  using F = std::complex<float>;
  static_assert(std::is_same_v<tt::value_t<decltype(V<F>() * V<double>())>, Z>);
  static_assert(std::is_same_v<tt::value_t<decltype(V<F>() * 2.)>, F>);
  static_assert(std::is_same_v<tt::value_t<decltype(V<double>() * F(0, 1))>, Z>);
  static_assert(std::is_same_v<tt::value_t<decltype(V<std::int64_t>() + Z(0, 1))>, F>);
  static_assert(std::is_same_v<tt::value_t<decltype(abs(V<Z>()))>, double>);
  static_assert(std::is_same_v<tt::value_t<decltype(real(V<F>()))>, float>);
  static_assert(std::is_same_v<tt::value_t<decltype(complex(V<float>(), V<float>()))>, F>);
  static_assert(std::is_same_v<tt::value_t<decltype(conj(V<float>()))>, float>);
  static_assert(!tests::accepts<tt::ops::relu>(tt::dtype::complex64) && !tests::accepts<tt::ops::lt>(tt::dtype::complex64) &&
                !tests::accepts<tt::ops::amax>(tt::dtype::complex128));
  CHECK(tt::to_string(V<F>({1}, std::array{F(1.5f, -2)})) == "tensor([1.5-2j], complex64)");
}

TEST_CASE("complex: gradients are d/dx + i d/dy of the loss, as PyTorch's", "[ops]") {
  const V<Z> other = plane<double>(5, 77);
  check_gradient("add", [&](const auto& z) { return z + other; });
  check_gradient("sub", [&](const auto& z) { return other - z; });
  check_gradient("mul", [&](const auto& z) { return z * other * z; });
  check_gradient("div", [&](const auto& z) { return z / other; });
  check_gradient("reciprocal", [&](const auto& z) { return other / z; });
  check_gradient("neg", [&](const auto& z) { return -z; });
  check_gradient("square", [&](const auto& z) { return square(z); });
  check_gradient("pow", [&](const auto& z) { return pow(z, other); });
  check_gradient("pow exponent", [&](const auto& z) { return pow(other, z); });
  check_gradient("exp", [&](const auto& z) { return exp(z); });
  check_gradient("log", [&](const auto& z) { return log(z); });
  check_gradient("sqrt", [&](const auto& z) { return sqrt(z); });
  check_gradient("tanh", [&](const auto& z) { return tanh(z); });
  check_gradient("sigmoid", [&](const auto& z) { return sigmoid(z); });
  check_gradient("conj", [&](const auto& z) { return conj(z) * z; });
  check_gradient("abs", [&](const auto& z) { return abs(z) * other; });
  check_gradient("real", [&](const auto& z) { return real(z) * other; });
  check_gradient("imag", [&](const auto& z) { return imag(z) * other; });
  check_gradient("angle", [&](const auto& z) { return angle(z) * other; });
  check_gradient("where", [&](const auto& z) { return tt::where(tt::eval(real(other)) > 0, z * z, z); });
  check_gradient("sum", [&](const auto& z) { return tt::sum(z * z) * z; });
  check_gradient("mean", [&](const auto& z) { return tt::mean(z) * other; });
  check_gradient("complex", [&](const auto& z) { return complex(imag(z), real(z) * imag(z)); });
  check_gradient("slice", [&](const auto& z) { return tt::sum(tt::slice<0>(z, 1, 4)) * other; });
}

TEST_CASE("complex: products of matrices, and their gradients on both sides and through transposes", "[ops]") {
  using M = tt::Tensor<Z, tt::Shape<dyn, dyn>>;
  const auto matrix = [](const auto& z, tt::index_t rows, tt::index_t columns) {
    return tt::reshape(z, {rows, columns});
  };
  const V<Z> w = plane<double>(6, 50), u = plane<double>(10, 60);
  const M right = matrix(w, 2, 3), left = matrix(w, 3, 2);
  const tt::Tensor y = tt::matmul(M(matrix(u, 5, 2)), right);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j)
      CHECK(std::abs(y(i, j) - (u(2 * i) * right(0, j) + u(2 * i + 1) * right(1, j))) < 1e-12);
  const auto check = [&](const char* name, const V<Z>& at, auto&& product) {
    INFO(name);
    Leaf z = tt::clone(at);
    z.requires_grad_();
    CHECK(tt::gradcheck(product, z));
  };
  check("left", u, [&](const auto& z) { return tt::matmul(matrix(z, 5, 2), right); });
  check("left, transposed", u, [&](const auto& z) { return tt::matmul(tt::transpose(matrix(z, 2, 5)), right); });
  check("left, times a transpose", u, [&](const auto& z) { return tt::matmul(matrix(z, 5, 2), tt::transpose(left)); });
  check("right", w, [&](const auto& z) { return tt::matmul(M(matrix(u, 5, 2)), matrix(z, 2, 3)); });
  check("right, transposed", w, [&](const auto& z) { return tt::matmul(M(matrix(u, 5, 2)), tt::transpose(matrix(z, 3, 2))); });
  check("stacks", w, [&](const auto& z) {
    return tt::sum<0>(tt::matmul(tt::reshape(u, {1, 5, 2}), tt::reshape(z, {1, 2, 3})));
  });
}

TEST_CASE("complex: a real leaf receives the real part of its gradient", "[ops]") {
  const V<Z> w = plane<double>(4, 3);
  auto x = tests::leaf<double, tt::Shape<dyn>>({4});
  backward(tt::sum(real(x * w)));
  for (tt::index_t i = 0; i < 4; ++i) CHECK(x.grad()(i) == w(i).real());
}

TEST_CASE("complex: conj, parts and abs of 0 and of NaN", "[ops]") {
  tt::Variable<Z, tt::Shape<dyn>> z = V<Z>({1}, std::array{Z(0, 0)});
  z.requires_grad_();
  backward(tt::sum(abs(z) + angle(z)));
  CHECK(z.grad()(0) == Z(0, 0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const V<Z> odd({2}, std::array{Z(nan, 1), Z(std::numeric_limits<double>::infinity(), nan)});
  CHECK(std::isnan(tt::eval(real(odd))(0)));
  CHECK(tt::eval(imag(odd))(0) == 1);
  CHECK(tt::eval(abs(odd))(1) == std::numeric_limits<double>::infinity());
  CHECK_FALSE(tt::eval(odd == odd)(0));
}
