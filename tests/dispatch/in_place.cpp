// Functions that end in _: each elementwise op into its first operand, under types and by name.
#include <tt/autograd/grad_fn.hpp>
#include <tt/dispatch/any_map.hpp>
#include <tt/registry.hpp>

#include "../catch.hpp"
#include "../op_families.hpp"

using tests::leaf;
using tests::numbers;
using tests::values;
using tt::AnyTensor;
using tt::Argument;
using tt::call;
using tt::dtype;
using list = std::vector<double>;
using Vector = tt::Shape<tt::dyn>;

TEST_CASE("in place: every elementwise op but where gives what it gives elsewhere, into the same elements", "[dispatch]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (tests::arity<Op> < 3) {
      INFO(Op::name);
      const auto a = tests::operand_of<Op, double, Vector>({7}, 0), b = tests::operand_of<Op, double, Vector>({7}, 1);
      const tt::Tensor want = tests::call<Op>(a, b, b);
      const auto typed = tt::clone(a), named = tt::clone(a);
      const unsigned version = typed.version();
      if constexpr (tests::arity<Op> == 1) typed.template map_<Op>();
      else typed.template map_<Op>(b);
      CHECK(tests::same_bits(typed, tt::to<double>(want)));
      CHECK(typed.version() > version);
      const std::vector<Argument> arguments = tests::arity<Op> == 1 ? std::vector<Argument>{named} : std::vector<Argument>{named, b};
      const AnyTensor same = call(std::string(Op::name) + "_", arguments).tensor();
      CHECK(same.body() == named.body());
      CHECK(tests::same_bits(named, typed));
    }
  });
}

TEST_CASE("in place: the functions under their names", "[dispatch]") {
  const tt::Vector<float> x{1, 4, 9};
  CHECK(values(tt::sqrt_(x)) == list{1, 2, 3});
  CHECK(values(tt::neg_(x)) == list{-1, -2, -3});
  CHECK(values(tt::abs_(x)) == list{1, 2, 3});
  CHECK(values(tt::square_(x)) == list{1, 4, 9});
  CHECK(values(tt::pow_(x, 2)) == list{1, 16, 81});
  CHECK(values(x.sub_(16).add_(1).mul_(2).div_(4)) == list{-7, 0.5, 33});
  CHECK(values(tt::relu_(x)) == list{0, 0.5, 33});
  CHECK(values(tt::sqrt_(tt::square_(tt::slice<0>(x, 0, 2)))) == list{0, 0.5});
  CHECK(values(x) == list{0, 0.5, 33});
  CHECK(values(x.zero_()) == list{0, 0, 0});
  CHECK(values(tt::log_(tt::exp_(x))) == list{0, 0, 0});
  CHECK(values(tt::sigmoid_(x)) == list{0.5, 0.5, 0.5});
  CHECK(values(tt::tanh_(x.fill_(0))) == list{0, 0, 0});
  CHECK(values(x.map_<tt::ops::maximum>(2)) == list{2, 2, 2});
}

TEST_CASE("in place: through views, and of a tensor with itself", "[dispatch]") {
  const tt::Matrix<double> m{{1, 2}, {3, 4}};
  tt::transpose<0, 1>(m).mul_(tt::Vector<double>{10, 100});    // columns of the transposed, so rows of m
  CHECK(values(m) == list{10, 20, 300, 400});
  m.add_(tt::transpose<0, 1>(m));
  CHECK(values(m) == list{20, 320, 320, 800});
  call("sub_", {tt::select<0>(m, 0), tt::select<0>(m, 1)});
  CHECK(values(m) == list{-300, -480, 320, 800});
  call("add_", {m, m}, {{"alpha", -1}});
  CHECK(values(m) == list{0, 0, 0, 0});
}

TEST_CASE("in place: a result is written into any dtype of its category or a higher one", "[dispatch]") {
  const auto ones = [](dtype type) { return tt::ones(type, {2}); };
  const AnyTensor bytes = ones(dtype::uint8);
  call("mul_", {bytes, 300});
  CHECK(values(bytes) == list{300 % 256, 300 % 256});
  const AnyTensor half = ones(dtype::float16);
  call("add_", {half, ones(dtype::float64)});
  CHECK((half.dtype() == dtype::float16 && values(half) == list{2, 2}));
  CHECK_THROWS_WITH(call("div_", {bytes, 2}), Contains("tt::div_.Scalar") && Contains("float32") && Contains("uint8"));
  CHECK_THROWS_WITH(call("exp_", {bytes}), Contains("tt::exp_") && Contains("uint8"));
  CHECK_THROWS_WITH(call("add_", {bytes, 1.5}), Contains("uint8"));
  CHECK_THROWS_WITH(call("abs_", {ones(dtype::complex64)}), Contains("real"));
  CHECK(values(bytes) == list{44, 44});                  // what was refused wrote nothing
  const AnyTensor flags = ones(dtype::boolean);
  CHECK_THROWS_AS(call("add_", {flags, 1}), tt::Error);
  CHECK(values(call("eq_", {half, 2}).tensor()) == list{1, 1});
}

TEST_CASE("in place: extents never grow, expanded views are not written, numbers have no place", "[dispatch]") {
  const tt::Vector<float> x{1, 2};
  CHECK_THROWS_WITH(call("add_", {x, tt::ones<float, tt::Shape<3, 2>>()}), Contains("[3, 2]") && Contains("[2]"));
  CHECK_THROWS_WITH(x.add_(tt::Matrix<float>{{1, 2}, {3, 4}}), Contains("[2, 2]"));
  CHECK_THROWS_WITH(call("neg_", {tt::expand<3, 2>(x)}), Contains("read-only"));
  CHECK_THROWS_WITH(tt::neg_(tt::expand<3, 2>(x)), Contains("read-only"));
  CHECK_THROWS_AS(call("add_", {1, 2}), tt::Error);
  CHECK_THROWS_AS(call("where_", {x, x, x}), tt::not_implemented);
  CHECK(values(x) == list{1, 2});
}

TEST_CASE("in place: copy_, fill_ and zero_ by name convert what they are given", "[dispatch]") {
  const AnyTensor n = tt::ones(dtype::int64, {2, 2});
  call("copy_", {n, tt::Vector<float>{1.75f, -2.5f}});
  CHECK(values(n) == list{1, -2, 1, -2});
  CHECK(values(call("fill_", {n, 3.9}).tensor()) == list{3, 3, 3, 3});
  CHECK(values(call("fill_", {n, tt::Scalar<double>{7}}).tensor()) == list{7, 7, 7, 7});
  CHECK_THROWS_WITH(call("fill_", {n, tt::Vector<double>{7}}), Contains("without axes"));
  CHECK(values(call("zero_", {n}).tensor()) == list{0, 0, 0, 0});
}

TEST_CASE("in place: recorded, gradients are those of the op elsewhere", "[dispatch]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (tests::arity<Op> < 3 && !tests::compares<Op>) {
      INFO(Op::name);
      const auto a = leaf<double, Vector>({5}, 0.5, 2), b = leaf<double, Vector>({5}, 0.5, 2, 9);
      const auto gradients = [&](auto f) {
        a.set_grad({}), b.set_grad({});
        tt::backward(tt::sum(tt::Variable<double, Vector>(f()) * tt::Vector<double>{1, 2, 3, 4, 5}));
        return std::pair(values(a.grad()), b.grad().defined() ? values(b.grad()) : list{});
      };
      const auto want = gradients([&] { return tests::call<Op>(a * 1, b * 1, b); });
      CHECK(gradients([&] {
        const tt::Tensor y = a * 1;
        if constexpr (tests::arity<Op> == 1) y.template map_<Op>();
        else y.template map_<Op>(b * 1);
        return y;
      }) == want);
      CHECK(gradients([&] {
        const tt::Tensor y = a * 1, z = b * 1;
        call(std::string(Op::name) + "_", tests::arity<Op> == 1 ? std::vector<Argument>{y} : std::vector<Argument>{y, z});
        return y;
      }) == want);
    }
  });
}

TEST_CASE("in place: a leaf that requires a gradient is written without recording only", "[dispatch]") {
  const auto w = leaf<double, Vector>({2}, 1, 2);
  CHECK_THROWS_WITH(tt::exp_(w), Contains("a leaf"));
  CHECK_THROWS_WITH(call("mul_", {w, 2}), Contains("a leaf"));
  const list before = values(w);
  const tt::no_grad guard;
  call("mul_", {w, 2});
  CHECK(values(w) == list{2 * before[0], 2 * before[1]});
  CHECK((w.requires_grad() && w.is_leaf()));
}

// One behaviour, however copy_ is called: on types, on AnyTensor, by name.
TEST_CASE("in place: copy_ records, converts, broadcasts and refuses alike in its three forms", "[dispatch]") {
  using Plain = tt::Tensor<double, Vector>;
  using Leaf = tt::Variable<double, Vector>;
  using Copy = void (*)(const Leaf& to, const tt::Variable<float, Vector>& from);
  const Copy forms[] = {[](const Leaf& to, const tt::Variable<float, Vector>& from) { to.copy_(from); },
                        [](const Leaf& to, const tt::Variable<float, Vector>& from) { AnyTensor(to).copy_(from); },
                        [](const Leaf& to, const tt::Variable<float, Vector>& from) { call("copy_", {to, from}); }};
  for (const Copy copy : forms) {
    const auto x = leaf<double, Vector>({4});
    const auto z = leaf<float, Vector>({1}, 1, 2, 5);
    const Leaf y = x * 2;
    const Leaf part = tt::slice<0>(y, 1, 3);
    copy(part, z);   // of another dtype, broadcast
    CHECK(values(y) == list{2 * x(0), z(0), z(0), 2 * x(3)});
    CHECK(y.grad_fn().name() == "copy_");
    tt::backward(tt::sum(y * Plain{1, 10, 100, 1000}));
    CHECK(values(x.grad()) == list{2, 0, 0, 2000});
    CHECK(z.grad().dtype() == dtype::float32);
    CHECK(values(z.grad()) == list{110});

    const Leaf without = tt::zeros<double, Vector>({2});
    copy(without, z);
    CHECK(without.requires_grad());
    const Leaf turned = tt::Variable<double, Vector>(tests::scattered(Plain{1, 2}));
    copy(turned, z);
    z.set_grad({});
    tt::backward(tt::sum(turned * Plain{3, 4}));
    CHECK(values(z.grad()) == list{7});

    const list before = values(x);
    CHECK_THROWS_WITH(copy(x, z), Contains("a leaf") && Contains("[4]"));
    CHECK_THROWS_WITH(copy(tt::slice<0>(x, 0, 2), z), Contains("the leaf of this view"));
    CHECK_THROWS_WITH(copy(y, leaf<float, Vector>({3})), Contains("tt::copy_: the extents [3] do not fit into [4]"));
    CHECK_THROWS_WITH(copy(tt::slice<0>(y, 0, 2), leaf<float, Vector>({3})),
                      Contains("tt::copy_: the extents [3] do not fit into [2]"));
    CHECK_THROWS_WITH(copy(tt::expand(tt::slice<0>(y, 0, 1), {4}), z), Contains("read-only"));
    CHECK_THROWS(copy(Leaf(), z));
    CHECK(values(x) == before);
    const tt::no_grad guard;
    copy(x, z);
    CHECK(values(x) == list(4, z(0)));
    CHECK((x.is_leaf() && x.requires_grad()));
  }
}

TEST_CASE("in place: copy_ of a tracked tensor into integers, and between real and complex", "[dispatch]") {
  const auto x = leaf<double, Vector>({2}, 1, 9);
  const AnyTensor whole = tt::zeros(dtype::int64, {2});
  whole.copy_(x);
  CHECK_FALSE(whole.requires_grad());
  CHECK(values(whole) == list{std::trunc(x(0)), std::trunc(x(1))});
  using Complex = std::complex<double>;
  const tt::Variable<Complex, Vector> c = tt::zeros<Complex, Vector>({2});
  static_cast<const AnyTensor&>(c).copy_(x);
  tt::backward(tt::sum(tt::real(c * Complex(3, 5))));
  CHECK(values(x.grad()) == list{3, 3});
  const tt::Variable<Complex, Vector> leaf_c = tt::Vector<Complex>{{1, 2}, {3, 4}};
  leaf_c.requires_grad_();
  const tt::Variable<double, Vector> r = tt::zeros<double, Vector>({2});
  static_cast<const AnyTensor&>(r).copy_(leaf_c);
  tt::backward(tt::sum(r * 2));
  CHECK(tests::same_bits(leaf_c.grad(), tt::Vector<Complex>{{2, 0}, {2, 0}}));
}

TEST_CASE("in place: what lies under two storages is read before it is written", "[dispatch]") {
  std::vector<float> memory(1000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = float(i);
  const auto at = [&](std::size_t first) {
    return tt::Vector<float>(tt::AnyTensor::from_memory(tt::dtype::float32, {999}, memory.data() + first));
  };
  const auto a = at(0), b = at(1);
  b.copy_(a + 0.f);
  for (std::size_t i = 1; i < memory.size(); ++i)
    if (memory[i] != float(i - 1)) FAIL("at " << i);
  a.copy_(b);
  for (std::size_t i = 0; i < 999; ++i)
    if (memory[i] != float(i)) FAIL("back, at " << i);
}
