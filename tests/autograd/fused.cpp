// A fused region against the same ops one at a time: equal values (where nothing is contracted), and gradients equal up to
// rounding.
#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::same_bits;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;

namespace {

/// `now` evaluates where the other form stays a tree.
struct fused {
  template <class E> auto operator()(const E& e) const { return e; }
};
struct stepwise {
  template <class E> auto operator()(const E& e) const { return tt::eval(e); }
};

/// Forward bits and gradients of f(now, a, b, c) for both forms, over leaves of the given extents.
template <class Number, bool Exact = true, class Function>
void compare(const Function& f, const tt::dims& sa, const tt::dims& sb, const tt::dims& sc) {
  const auto run = [&](auto now, auto&& keep) {
    const auto a = leaf<Number, Matrix>(sa, 0.2, 2, 1), b = leaf<Number, Matrix>(sb, 0.2, 2, 2),
               c = leaf<Number, Matrix>(sc, 0.2, 2, 3);
    const tt::Tensor y = f(now, a, b, c);
    tt::backward(y, tests::numbers<Number, typename decltype(y)::shape>(y.sizes(), -1, 1, 4));
    keep(y, a.grad(), b.grad(), c.grad());
  };
  run(fused{}, [&](const auto& y, const auto& ga, const auto& gb, const auto& gc) {
    run(stepwise{}, [&](const auto& z, const auto& ha, const auto& hb, const auto& hc) {
      if (Exact && !tests::contracts) CHECK(same_bits(y, z));
      const auto close = [](const tt::AnyTensor& g, const tt::AnyTensor& h) {
        REQUIRE(g.defined() == h.defined());
        if (!g.defined()) return;
        REQUIRE(g.sizes() == h.sizes());
        const auto p = values(g), q = values(h);
        std::size_t wrong = 0;
        double largest = 1;
        for (double x : q) largest = std::max(largest, std::abs(x));
        const double tolerance = (std::is_same_v<Number, float> ? 1e-5 : 1e-13) * largest;
        for (std::size_t i = 0; i < p.size(); ++i) wrong += !(std::abs(p[i] - q[i]) <= tolerance);
        CHECK(wrong == 0);
      };
      close(y, z), close(ga, ha), close(gb, hb), close(gc, hc);
    });
  });
}

template <class Number, bool Exact = true, class Function>
void compare_shapes(const Function& f) {
  compare<Number, Exact>(f, {7, 9}, {7, 9}, {7, 9});        // all alike
  compare<Number, Exact>(f, {7, 9}, {1, 9}, {7, 1});        // a row and a column
  compare<Number, Exact>(f, {7, 1}, {1, 9}, {1, 1});        // an outer product and a scalar
  compare<Number, Exact>(f, {300, 40}, {1, 40}, {300, 1});  // several chunks
  compare<Number, Exact>(f, {3, 20000}, {3, 1}, {1, 20000});
  compare<Number, Exact>(f, {1, 1}, {1, 1}, {1, 1});
  compare<Number, Exact>(f, {0, 4}, {1, 4}, {0, 1});
}

}  // namespace

TEST_CASE("fused: chains, fans and repeated leaves", "[autograd]") {
  const auto each = [](auto f) {
    compare_shapes<float>(f);
    compare_shapes<double>(f);
  };
  each([](auto now, const auto& a, const auto& b, const auto& c) { return now(now(a * b) + c); });
  each([](auto now, const auto& a, const auto& b, const auto& c) {
    return now(tanh(now(now(a * b) + c))) / now(a + 1);
  });
  each([](auto now, const auto& a, const auto& b, const auto& c) {
    return now(now(exp(now(-a))) * now(b - c)) + now(a * a);
  });
  each([](auto now, const auto& a, const auto& b, const auto& c) {
    return now(tt::where(now(a > b), now(a * c), now(b / c))) - a;
  });
  each([](auto now, const auto& a, const auto& b, const auto&) { return now(a + b) + now(now(a + b) + a); });
  each([](auto now, const auto& a, const auto& b, const auto& c) {
    return now(tt::maximum(now(a * c), b)) * now(pow(c, 2));
  });
}

TEST_CASE("fused: reductions over a region", "[autograd]") {
  const auto each = [](auto f) {
    // Not bit for bit: a region is joined in shorter rows than a stored tensor.
    compare_shapes<double, false>(
        [&](auto now, const auto& a, const auto& b, const auto& c) { return f(now, now(now(a * b) + tanh(c))); });
  };
  each([](auto now, const auto& r) { return now(sum(r)); });
  each([](auto now, const auto& r) { return now(tt::sum<0>(r)); });
  each([](auto now, const auto& r) { return now(tt::sum<1>(r, tt::keepdim)) * r; });
}

TEST_CASE("fused: one leaf broadcast in several ways at once", "[autograd]") {
  const auto s = leaf<double, tt::Shape<>>({}, 0.5, 1), row = leaf<double, tt::Shape<>>({}, 1, 2, 7);
  const auto v = leaf<double, tt::Shape<3>>({3}, 0.5, 2);
  const auto m = leaf<double, tt::Shape<3, 3>>({3, 3}, 0.5, 2, 3);
  CHECK(gradcheck([](const auto& x, const auto& y) { return x * y + x; }, v, m));
  CHECK(gradcheck([](const auto& x) { return x * tt::reshape<3, 1>(x) + x; }, v));   // as a row and as a column
  CHECK(gradcheck([](const auto& x) { return exp(x) * tt::reshape<3, 1>(x) * tt::reshape<1, 3>(x); }, v));
  CHECK(gradcheck([](const auto& x) { return tt::select<0>(x, 1) * x + tt::transpose(x) * tt::select<1>(x, 2); }, m));
  CHECK(gradcheck([](const auto& x, const auto& y) { return x * y + y * y * x; }, s, v));
  CHECK(gradcheck([](const auto& x, const auto& y) { return sum(x * y) * x; }, s, m));
  CHECK(gradcheck([](const auto& x, const auto& y) { return x + y; }, s, row));
}

TEST_CASE("fused: x under two maps, and x and its transpose, in one region", "[autograd]") {
  for (tt::index_t n : {1, 3, 40, 200}) {
    const auto x = leaf<double, Matrix>({n, n}, 0.5, 2);
    tt::backward(sum(x * tt::transpose<0, 1>(x) * x));
    double wrong = 0;
    const auto g = x.grad();
    for (tt::index_t i = 0; i < n; ++i)
      for (tt::index_t j = 0; j < n; ++j) wrong += std::abs(g(i, j) - (2 * x(i, j) * x(j, i) + x(j, i) * x(j, i)));
    CHECK(wrong < 1e-8 * double(n * n));
  }
}

TEST_CASE("fused: leaves that are strided, or lie in memory of others", "[autograd]") {
  for (tt::index_t n : {1, 3, 8, 31}) {
    std::vector<double> memory(std::size_t(n * n), 0.5);   // ends where the tensor does
    const tt::AnyTensor plain = tests::numbers<double, Matrix>({n, n}, 0.5, 2);
    const tt::AnyTensor foreign = tt::AnyTensor::from_memory(tt::dtype::float64, {n, n}, memory.data());
    foreign.copy_(plain);
    list want;
    for (const tt::AnyTensor& t :
         {plain, tests::scattered(plain), foreign,
          tt::AnyTensor(tt::transpose<0, 1>(tt::clone(tt::transpose<0, 1>(tt::Matrix<double>(plain)))))}) {
      tt::Variable<double, Matrix> x(t.detach());
      x.requires_grad_();
      tt::backward(sum(x * exp(x)) + sum(tt::matmul(x, x)) + tt::amax(x) + sum(tt::softmax<1>(x) * x) +
                   tt::mean(tt::slice<0>(x, 0, 1)));
      if (want.empty()) want = values(x.grad());
      const auto got = values(x.grad());
      for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == Approx(want[i]));
    }
  }
}

TEST_CASE("fused: gradients over large broadcasts add up every chunk", "[autograd]") {
  const tt::index_t rows = 3000, columns = 70;
  const auto row = leaf<float, tt::Shape<1, dyn>>({1, columns}, 1, 1),
             column = leaf<float, tt::Shape<1, dyn>>({1, 1}, 1, 1);
  const auto m = tt::ones<float, Matrix>({rows, columns});
  tt::backward(sum(m * row * column));
  CHECK(values(row.grad()) == list(std::size_t(columns), double(rows)));
  CHECK(values(column.grad()) == list{double(rows * columns)});
}
