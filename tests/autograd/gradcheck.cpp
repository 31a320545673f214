#include <tt/autograd.hpp>
#include <tt/autograd/gradcheck.hpp>
#include <tt/tensor.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tt::dyn;
using Matrix = tt::Shape<dyn, dyn>;

// Ops with a slope that is wrong: by a factor, towards one operand, and at one element.
namespace wrong {
struct cube {
  static constexpr std::string_view name = "cube";
  template <class V> static V apply(V x) { return x * x * x; }
  static auto derivative(const auto& x) { return x * x; }
};
struct product {
  static constexpr std::string_view name = "product";
  template <class V> static V apply(V a, V b) { return a * b; }
  template <int Operand> static auto pullback(const auto& g, const auto&, const auto&, const auto& b) { return g * b; }
};
/// z w, whose gradient towards z is g conj(w).
template <bool Conjugates>
struct times : tt::Function<times<Conjugates>> {
  template <class X, class W>
  static auto forward(tt::FunctionContext& context, const X& z, const W& w) {
    context.save_for_backward(w);
    return z * w;
  }
  template <class G>
  static std::vector<tt::AnyTensor> backward(tt::FunctionContext& context, const G& g) {
    const auto w = context.saved<G>(0);
    if constexpr (Conjugates) return {tt::eval(g * tt::conj(w)), {}};
    else return {tt::eval(g * w), {}};
  }
};
}  // namespace wrong

TEST_CASE("gradcheck: accepts a right derivative of a scalar and of a tensor", "[autograd]") {
  const auto x = leaf<double, Matrix>({2, 3});
  const auto y = leaf<double, tt::Shape<3>>({3}, 1, 2, 5);
  CHECK(tt::gradcheck([](const auto& a) { return sum(a * a * a); }, x));
  CHECK(tt::gradcheck([](const auto& a, const auto& b) { return tanh(a) / b; }, x, y));
  CHECK(tt::gradcheck([](const auto& a) { return sum(a) * 2; }, x));
}

TEST_CASE("gradcheck: a wrong derivative is named with input, element and both values", "[autograd]") {
  tt::Variable<double, tt::Shape<2>> x{{0.0, 2.0}};   // at 0 the wrong slope is right
  x.requires_grad_();
  CHECK_THROWS_WITH(tt::gradcheck([](const auto& a) { return tt::map_of<wrong::cube>(a); }, x),
                    Contains("input 0, element [1]: backward gives ") && Contains(", central differences "));
  const auto a = leaf<double, Matrix>({2, 2}), b = leaf<double, Matrix>({2, 2}, 4, 5);
  const auto f = [](const auto& u, const auto& v) { return tt::map_of<wrong::product>(u, v); };
  CHECK_THROWS_WITH(tt::gradcheck(f, a, b), Contains("input 1, element [0, 0]"));
  CHECK(tt::gradcheck([&](const auto& u) { return f(u, b.detach()); }, a));   // b is no input, so nothing is wrong
}

TEST_CASE("gradcheck: an input that does not reach the result has the gradient 0", "[autograd]") {
  const auto x = leaf<double, tt::Shape<3>>({3});
  const auto unused = leaf<double, tt::Shape<2>>({2});
  CHECK(tt::gradcheck([](const auto& a, const auto&) { return exp(a); }, x, unused));
}

TEST_CASE("gradcheck: inputs keep their elements and gradients, and plain inputs are passed on", "[autograd]") {
  const auto x = leaf<double, tt::Shape<3>>({3});
  const auto before = tests::values(x);
  const tt::Tensor<std::int64_t, tt::Shape<2>> index{{2, 0}};
  CHECK(tt::gradcheck([](const auto& a, const auto& i) { return tt::gather<0>(a, i); }, x, index));
  CHECK(tests::values(x) == before);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("gradcheck: tolerances are options", "[autograd]") {
  const auto x = leaf<double, tt::Shape<3>>({3}, 1, 2);
  const auto f = [](const auto& a) { return tt::map_of<wrong::cube>(a); };
  CHECK(tt::gradcheck({.atol = 100}, f, x));
  CHECK(tt::gradcheck({.rtol = 2}, f, x));
  CHECK_FALSE(tt::gradcheck({.raise_exception = false}, f, x));
  CHECK_THROWS(tt::gradcheck({.eps = 1e-4}, f, x));
}

TEST_CASE("gradcheck: several results, each with weights of its own", "[autograd]") {
  const auto x = leaf<double, tt::Shape<3>>({3}, 1, 2);
  const auto y = leaf<double, Matrix>({2, 3}, 1, 2, 2);
  CHECK(tt::gradcheck([](const auto& a, const auto& b) { return std::tuple(tt::eval(a * b), sum(exp(b)), a.detach() * 2); }, x, y));
  CHECK_THROWS_WITH(tt::gradcheck([](const auto& a, const auto& b) { return std::tuple(tt::eval(a * 2), tt::map_of<wrong::product>(a, b)); }, x, y),
                    Contains("input 1, element [0, 0]"));
}

TEST_CASE("gradcheck: a result that was not recorded is an error, and the graph of an input is left alone", "[autograd]") {
  const auto x = leaf<double, tt::Shape<3>>({3}, 1, 2);
  const tt::Tensor inner = x * 2;
  CHECK(tt::gradcheck([](const auto& a) { return a * a; }, inner));   // a leaf of its own stands for it
  CHECK(inner.grad_fn().next_functions().size() == 1);
  CHECK_THROWS_WITH(tt::gradcheck([&](const auto& a) {
    const tt::no_grad off;
    return tt::eval(a * 2);
  }, x), Contains("no result depends"));
}

TEST_CASE("gradcheck: complex inputs and results, part by part", "[autograd]") {
  using Z = std::complex<double>;
  using Complex = tt::Variable<Z, tt::Shape<dyn>>;
  const auto complex_leaf = [](std::uint64_t seed) {
    Complex z = tt::complex(tests::numbers<double, tt::Shape<dyn>>({4}, 0.2, 1.5, seed),
                            tests::numbers<double, tt::Shape<dyn>>({4}, -1, 1, seed + 1));
    z.requires_grad_();
    return z;
  };
  const Complex z = complex_leaf(3), u = complex_leaf(9);
  const auto x = leaf<double, tt::Shape<dyn>>({4}, 1, 2);
  CHECK(tt::gradcheck([](const auto& a, const auto& b) { return a * b / (b + 2); }, z, u));
  const auto each = [](const auto& a) {
    return std::tuple(exp(a), log(a), sqrt(a), abs(a), tt::angle(a), conj(a), real(a), imag(a), sum(a));
  };
  CHECK(tt::gradcheck(each, z));
  const auto product = [](const auto& a, const auto& b) {
    return tt::matmul(tt::reshape<2, 2>(a), tt::transpose<0, 1>(tt::reshape<2, 2>(b)));
  };
  CHECK(tt::gradcheck(product, z, u));
  CHECK(tt::gradcheck([](const auto& a) { return tt::slice<0>(a, 1, 3) * tt::expand(tt::slice<0>(a, 0, 1), {2}); }, z));
  CHECK(tt::gradcheck([](const auto& a, const auto& r) { return a * r + tt::complex(r, r * r); }, z, x));
  CHECK(tt::gradcheck([](const auto& r) { return abs(tt::complex(r, r * 2)); }, x));
  const tt::Tensor<std::int64_t, tt::Shape<5>> at{0, 3, 3, 1, 0};
  CHECK(tt::gradcheck([](const auto& a, const auto& i) { return tt::gather<0>(a, i); }, z, at));

  const auto before = z(0);
  const auto w = u.detach();
  CHECK(tt::gradcheck([&](const auto& a) { return wrong::times<true>::apply(a, w); }, z));
  const auto unturned = [&](const auto& a) { return wrong::times<false>::apply(a, w); };
  CHECK_THROWS_WITH(tt::gradcheck(unturned, z),
                    Contains("input 0, element [0], real part: backward gives ") && Contains(", central differences "));
  CHECK_FALSE(tt::gradcheck({.raise_exception = false}, unturned, z));
  // Right along the real axis alone, as for a loss that does not see the other.
  const auto imaginary = [&](const auto& a) { return real(a) + imag(a.detach()) * 2; };
  CHECK_THROWS_WITH(tt::gradcheck(imaginary, z),
                    Contains("element [0], imaginary part: backward gives 0, central differences"));
  CHECK(z(0) == before);
  CHECK_FALSE(z.grad().defined());
}
