// The driver of elementwise regions under shapes, strides, dtypes and broadcasting drawn at random, against plain loops.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tt::AnyTensor;
using tt::dims;
using tt::index_t;
using Four = tt::dynamic_shape<4>;

namespace {

/// Random choices of one case.
struct Draw {
  tt::Generator generator;
  explicit Draw(std::uint64_t seed) : generator(seed) {}
  index_t below(index_t n) { return index_t(generator.below(std::uint64_t(n))); }
  index_t one_of(std::initializer_list<index_t> list) { return list.begin()[below(index_t(list.size()))]; }
};

dims random_space(Draw& draw) {
  dims size;
  for (int i = 0; i < 4; ++i) size.push_back(draw.one_of({1, 1, 2, 3, 5, 16, 17}));
  if (draw.below(3) == 0) size[int(draw.below(4))] = draw.one_of({0, 255, 257, 600});
  return size;
}
/// The space with some axes broadcast.
dims random_part(Draw& draw, dims space) {
  for (int i = 0; i < 4; ++i)
    if (draw.below(3) == 0) space[i] = 1;
  return space;
}
/// Elements in any memory order of the axes, with gaps between them now and then.
AnyTensor random_layout(Draw& draw, const AnyTensor& x) {
  int order[] = {0, 1, 2, 3};
  for (int i = 3; i > 0; --i) std::swap(order[i], order[draw.below(i + 1)]);
  if (draw.below(2) == 0) std::sort(order, order + 4);
  index_t stride[4], unit = draw.one_of({1, 1, 2, 3});
  for (int i = 3; i >= 0; --i) {
    stride[order[i]] = unit;
    unit *= std::max<index_t>(x.size(order[i]), 1) + (draw.below(4) == 0 ? 1 : 0);
  }
  const index_t offset = draw.below(3);
  const AnyTensor wide = AnyTensor::empty(x.dtype(), {unit + offset});
  const AnyTensor view = wide.with_layout(x.sizes(), stride, offset);
  view.copy_(x);
  return view;
}
template <class Number>
tt::Tensor<Number, Four> random_operand(Draw& draw, const dims& space, std::uint64_t seed) {
  const dims size = random_part(draw, space);
  return tt::Tensor<Number, Four>(random_layout(draw, tests::numbers<Number, Four>(size, 0.25, 4, seed)));
}

/// f(i, j, k, l) over a space, in order.
template <class Function>
void each_index(const dims& space, Function&& f) {
  for (index_t i = 0; i < space[0]; ++i)
    for (index_t j = 0; j < space[1]; ++j)
      for (index_t k = 0; k < space[2]; ++k)
        for (index_t l = 0; l < space[3]; ++l) f(i, j, k, l);
}
template <class Number>
Number& at(const tt::Tensor<Number, Four>& t, index_t i, index_t j, index_t k, index_t l) {
  return t(t.size(0) == 1 ? 0 : i, t.size(1) == 1 ? 0 : j, t.size(2) == 1 ? 0 : k, t.size(3) == 1 ? 0 : l);
}

/// a * b + a of three dtypes, written into a fresh tensor and into a strided one.
template <class Left, class Right>
void check_forward(std::uint64_t seed) {
  Draw draw(seed);
  const dims space = random_space(draw);
  const auto a = random_operand<Left>(draw, space, 1);
  const auto b = random_operand<Right>(draw, space, 2);
  const tt::Tensor y = a * b + a;
  using Value = tt::value_t<decltype(y)>;
  INFO("case " << seed << ": " << tt::to_string(a.sizes()) << ", " << tt::to_string(b.sizes()));
  const dims both = tt::broadcast(a.sizes(), b.sizes());
  REQUIRE(y.sizes() == both);
  const tt::Tensor<Value, Four> into(random_layout(draw, AnyTensor::empty(tt::dtype_of<Value>, both)));
  into.copy_(a * b + a);
  int wrong = 0;
  each_index(both, [&](index_t i, index_t j, index_t k, index_t l) {
    const Value p = Value(at(a, i, j, k, l)), q = Value(at(b, i, j, k, l));
    const Value product = Value(p * q), want = Value(product + p);
    wrong += y(i, j, k, l) != want;
    wrong += into(i, j, k, l) != want;
  });
  CHECK(wrong == 0);
}

/// Sums along axes that are drawn at random (none: all stay), with extent 1 left.
template <class E>
auto sum_over(const E& e, tt::detail::AxisSet axes) {
  using node = tt::detail::node_t<E>;
  return tt::Reduce<tt::ops::sum, node, Four>(tt::detail::to_node(e), axes, true);
}

/// The gradients of a * b + exp(a), or of its sum over some axes, under an arbitrary incoming one.
void check_backward(std::uint64_t seed) {
  Draw draw(seed);
  const dims space = random_space(draw);
  const auto tracked = [&](std::uint64_t s) {
    tt::Variable<double, Four> x = random_operand<double>(draw, space, s);
    x.requires_grad_();
    return x;
  };
  const auto a = tracked(1), b = tracked(2);
  const auto e = a * b + exp(a);
  const auto axes = tt::detail::AxisSet(draw.below(2) * draw.below(16));
  const tt::Tensor<double, Four> plain = a.detach() * b.detach();
  const tt::Variable<double, Four> y = axes ? tt::eval(sum_over(e, axes)) : tt::Variable<double, Four>(e);
  const auto g = tests::numbers<double, Four>(y.sizes(), -1, 1, 3);
  tt::backward(y, g);
  INFO("case " << seed << ": " << tt::to_string(a.sizes()) << ", " << tt::to_string(b.sizes()));
  const auto da = tt::zeros<double, Four>(a.sizes()), db = tt::zeros<double, Four>(b.sizes());
  const tt::Tensor<double, Four> pa = a.detach(), pb = b.detach();
  each_index(plain.sizes(), [&](index_t i, index_t j, index_t k, index_t l) {
    const double p = at(pa, i, j, k, l), q = at(pb, i, j, k, l), r = at(g, i, j, k, l);
    at(da, i, j, k, l) += r * (q + std::exp(p));
    at(db, i, j, k, l) += r * p;
  });
  const auto close = [](const tt::AnyTensor& got, const tt::AnyTensor& want) {
    const auto p = tests::values(got), q = tests::values(want);
    REQUIRE(p.size() == q.size());
    int wrong = 0;
    for (std::size_t i = 0; i < p.size(); ++i) wrong += !(std::abs(p[i] - q[i]) <= 1e-9 * (1 + std::abs(q[i])));
    CHECK(wrong == 0);
  };
  close(a.grad(), da);
  close(b.grad(), db);
}

/// Sums over axes drawn at random.
void check_sum(std::uint64_t seed) {
  Draw draw(seed);
  const auto x = random_operand<float>(draw, random_space(draw), 1);
  const auto axes = tt::detail::AxisSet(draw.below(15) + 1);
  const tt::Tensor y = sum_over(x, axes);
  const auto want = tt::zeros<double, Four>(y.sizes());
  each_index(x.sizes(), [&](index_t i, index_t j, index_t k, index_t l) { at(want, i, j, k, l) += x(i, j, k, l); });
  INFO("case " << seed << ": " << tt::to_string(x.sizes()) << " over " << axes);
  int wrong = 0;
  each_index(y.sizes(), [&](index_t i, index_t j, index_t k, index_t l) {
    wrong += !(std::abs(y(i, j, k, l) - want(i, j, k, l)) <= 1e-5 * (1 + want(i, j, k, l)));
  });
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("region: forward over random shapes, strides, dtypes and broadcasting", "[cpu]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    check_forward<float, float>(seed);
    check_forward<float, double>(seed);
    check_forward<std::int64_t, std::uint8_t>(seed);
    check_forward<std::uint8_t, std::uint8_t>(seed);
    check_forward<bool, double>(seed);
  }
}
TEST_CASE("region: backward over random shapes, strides and broadcasting", "[cpu]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) check_backward(seed);
}
TEST_CASE("region: sums over random axes of random layouts", "[cpu]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) check_sum(seed);
}
