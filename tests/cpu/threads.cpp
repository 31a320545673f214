// Results do not depend on how many threads computed them, bit for bit.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <functional>

using tests::leaf;
using tests::numbers;
using tt::AnyTensor;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;

namespace {

/// What f computes with one thread, and that two and three give the same bits.
void check(const char* what, const std::function<std::vector<AnyTensor>()>& f) {
  INFO(what);
  tt::set_num_threads(1);
  const auto want = f();
  for (int threads : {2, 3, 7}) {
    tt::set_num_threads(threads);
    const auto got = f();
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO(threads << " threads, result " << i);
      CHECK(tests::same_bits(got[i], want[i]));
    }
  }
  tt::set_num_threads(0);
}

/// f of fresh leaves of these extents: its value and the gradients of both.
template <class Number, class Left, class Right, class Function>
void check_gradients(const char* what, const tt::dims& left, const tt::dims& right, Function f) {
  check(what, [&] {
    const auto a = leaf<Number, Left>(left, -1, 1, 1);
    const auto b = leaf<Number, Right>(right, -1, 1, 2);
    const tt::Tensor y = f(a, b);
    tt::backward(y, numbers<Number, typename decltype(y)::shape>(y.sizes(), -1, 1, 3));
    return std::vector<AnyTensor>{AnyTensor(y).detach(), a.grad(), b.grad()};
  });
}

}  // namespace

TEST_CASE("threads: elementwise regions, forward and back, over long rows and many rows", "[cpu]") {
  const auto region = [](const auto& x, const auto& y) { return tanh(x * y) + exp(x) / (y * y + 1); };
  check_gradients<float, Vector, Vector>("vector", {400001}, {400001}, region);
  check_gradients<double, Matrix, Matrix>("row broadcast", {3000, 130}, {1, 130}, region);
  check_gradients<float, Matrix, Matrix>("column broadcast", {130, 3001}, {130, 1}, region);
  check_gradients<float, Matrix, Matrix>("outer product", {700, 1}, {1, 900}, region);
  check_gradients<float, Matrix, Matrix>("scalar", {500, 500}, {1, 1}, region);
  check_gradients<float, Matrix, Matrix>("transposed", {701, 301}, {301, 701}, [&](const auto& x, const auto& y) {
    return region(x, tt::transpose<0, 1>(y));
  });
  check_gradients<double, Vector, Vector>("stepped", {900000}, {300000}, [&](const auto& x, const auto& y) {
    return region(tt::slice<0>(x, 0, 900000, 3), y);
  });
}

TEST_CASE("threads: sums over every axis, of tensors and of regions", "[cpu]") {
  const auto each = [](const char* what, auto reduce) {
    check_gradients<float, Cube, Cube>(what, {61, 47, 129}, {1, 47, 1},
                                       [&](const auto& x, const auto& y) { return reduce(x * y + y); });
    check_gradients<float, Cube, Cube>(what, {3, 5, 40001}, {3, 1, 1},
                                       [&](const auto& x, const auto& y) { return reduce(x * y); });
    check_gradients<double, Cube, Cube>(what, {40001, 5, 3}, {1, 1, 3},
                                        [&](const auto& x, const auto& y) { return reduce(tt::eval(x + y)); });
  };
  each("all", [](const auto& x) { return sum(x); });
  each("0", [](const auto& x) { return tt::sum<0>(x); });
  each("1", [](const auto& x) { return tt::mean<1>(x); });
  each("2", [](const auto& x) { return tt::sum<2>(x); });
  each("0, 1", [](const auto& x) { return tt::mean<0, 1>(x); });
  each("0, 2", [](const auto& x) { return tt::sum<0, 2>(x); });
  each("1, 2", [](const auto& x) { return tt::sum<1, 2>(x); });
  each("amax", [](const auto& x) { return tt::amax<0, 2>(x); });
}

TEST_CASE("threads: products, split along rows and columns, with bias gradients", "[cpu]") {
  const auto mm = [](const auto& x, const auto& y) { return tt::matmul(x, y); };
  check_gradients<float, Matrix, Matrix>("square", {600, 512}, {512, 600}, mm);
  check_gradients<float, Matrix, Matrix>("tall", {5000, 64}, {64, 48}, mm);
  check_gradients<double, Matrix, Matrix>("wide", {33, 300}, {300, 4001}, mm);
  check_gradients<float, Matrix, Matrix>("deep", {40, 20000}, {20000, 30}, mm);
  check_gradients<float, Matrix, Vector>("matrix and vector", {3000, 2000}, {2000}, mm);
  check_gradients<float, Matrix, Matrix>("transposed", {700, 400}, {500, 700}, [](const auto& x, const auto& y) {
    return tt::matmul(tt::transpose(x), tt::transpose(y));
  });
  check_gradients<float, Cube, Cube>("stacks", {12, 200, 96}, {12, 96, 150}, mm);
  const auto twice = [](const auto& x, const auto& y) {
    return tt::matmul(x, tt::matmul(tt::transpose(x), tt::matmul(x, y)));
  };
  check_gradients<float, Cube, Matrix>("a stack and its transpose", {40, 70, 64}, {64, 30}, twice);
  check_gradients<double, Matrix, Cube>("one matrix and a stack", {300, 200}, {9, 200, 310}, mm);
  check("int64", [] {
    return std::vector<AnyTensor>{
        tt::Tensor(tt::matmul(numbers<std::int64_t, Matrix>({300, 200}), numbers<std::int64_t, Matrix>({200, 300})))};
  });
  const auto x = numbers<float, Matrix>({4000, 96}, -1, 1, 9);
  check_gradients<float, Matrix, Vector>("bias and relu", {96, 200}, {200},
                                         [&](const auto& w, const auto& b) { return relu(tt::matmul(x, w) + b); });
}

TEST_CASE("threads: softmax, cross-entropy and indexing", "[cpu]") {
  check_gradients<float, Matrix, Matrix>("softmax", {3000, 100}, {3000, 1}, [](const auto& x, const auto& y) {
    return tt::softmax<1>(x * y) + tt::log_softmax<0>(x);
  });
  const auto labels = numbers<std::int64_t, Vector>({5000}, 0, 100, 5);
  check_gradients<float, Matrix, Matrix>("cross_entropy", {5000, 100}, {1, 100}, [&](const auto& x, const auto& y) {
    return tt::cross_entropy(x + y, labels);
  });
  const auto rows = numbers<std::int64_t, Vector>({50000}, 0, 1000, 5);
  check_gradients<float, Matrix, Matrix>("index_select", {1000, 20}, {1, 20}, [&](const auto& x, const auto& y) {
    return tt::index_select<0>(x * y, rows);
  });
}

TEST_CASE("threads: a whole training step gives the same parameters", "[cpu]") {
  check("network", [] {
    const auto w = leaf<float, Matrix>({200, 150}, -0.1, 0.1, 1), v = leaf<float, Matrix>({10, 200}, -0.1, 0.1, 2);
    const auto b = leaf<float, Vector>({200}, -0.1, 0.1, 3);
    const auto x = numbers<float, Matrix>({1500, 150}, -1, 1, 4);
    const auto labels = numbers<std::int64_t, Vector>({1500}, 0, 10, 5);
    for (int step = 0; step < 3; ++step) {
      const tt::Tensor h = relu(tt::matmul(x, tt::transpose(w)) + b);
      tt::backward(tt::cross_entropy(tt::matmul(h, tt::transpose(v)), labels));
      w.detach() -= w.grad() * 0.5;
      v.detach() -= v.grad() * 0.5;
      b.detach() -= b.grad() * 0.5;
    }
    return std::vector<AnyTensor>{w.detach(), v.detach(), b.detach()};
  });
}
