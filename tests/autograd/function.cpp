// Functions with a backward of the user's own.
#include "../catch.hpp"
#include "vectors.hpp"

#include <tt/autograd.hpp>
#include <tt/autograd/gradcheck.hpp>

using tests::leaf;
using tests::values;
using tt::AnyTensor;
using tt::backward;
using tt::FunctionContext;
using Plain = tt::Tensor<double, Vector>;

namespace {

/// x^3, for every shape: forward returns an expression, backward too.
struct Cube : tt::Function<Cube> {
  static constexpr const char* name = "cube";
  template <class X>
  static auto forward(FunctionContext& context, const X& x) {
    context.save_for_backward(x);
    return x * x * x;
  }
  template <class G>
  static auto backward(FunctionContext& context, const G& g) {
    const auto x = context.saved<G>(0);
    return g * 3 * x * x;
  }
};

/// Two inputs, a number that is kept as a member, two outputs.
struct Mix : tt::Function<Mix> {
  static constexpr const char* name = "mix";
  double factor = 0;
  auto forward(FunctionContext& context, const Plain& a, double f, const Plain& b) {
    factor = f;
    context.save_for_backward(a, b);
    needs = {context.needs_input_grad(0), context.needs_input_grad(1), context.needs_input_grad(2)};
    return std::tuple(a * b, a + b * f);
  }
  auto backward(FunctionContext& context, const Plain& product, const Plain& sum) {
    const auto a = context.saved<Plain>(0), b = context.saved<Plain>(1);
    calls++;
    return std::tuple(product * b + sum, product * a + sum * factor);
  }
  static inline std::vector<bool> needs;
  static inline int calls = 0;
};

/// Over tensors whose types are known at run time only.
struct Swap : tt::Function<Swap> {
  static std::vector<AnyTensor> forward(FunctionContext&, const AnyTensor& a, const AnyTensor& b) { return {b, a}; }
  static std::vector<AnyTensor> backward(FunctionContext&, const std::vector<AnyTensor>& g) { return {g[1], g[0]}; }
};

/// The value and where it is; the second output has no gradient.
struct Largest : tt::Function<Largest> {
  static auto forward(FunctionContext& context, const Plain& x) {
    const tt::Tensor value = tt::amax(x);
    const tt::Tensor at = tt::argmax(x);
    const tt::Tensor rank = tt::to<double>(at);
    context.save_for_backward(at);
    context.mark_non_differentiable(rank);
    size = x.sizes();
    return std::tuple(value, at, rank);
  }
  static auto backward(FunctionContext& context, const tt::Scalar<double>& g, const tt::Scalar<std::int64_t>&, const tt::Scalar<double>& none) {
    CHECK(none.item() == 0);
    Plain out = tt::zeros<double, Vector>(size);
    out(context.saved(0).item<std::int64_t>()) = g.item();
    return out;
  }
  static inline tt::dims size;
};

/// Marks what it does not return; the output lies where that was.
struct MarksAnother : tt::Function<MarksAnother> {
  static Plain forward(FunctionContext& context, const Plain& x) {
    context.mark_non_differentiable(tt::eval(x * 2));
    return tt::eval(x * 3);
  }
  static auto backward(FunctionContext&, const Plain& g) { return g * 3; }
};

struct DoubleInPlace : tt::Function<DoubleInPlace> {
  static constexpr const char* name = "double_in_place";
  static Plain forward(FunctionContext& context, const Plain& x) {
    context.mark_dirty(x);
    x *= 2;
    return x;
  }
  static auto backward(FunctionContext&, const Plain& g) { return g * 2; }
};

struct Wrong : tt::Function<Wrong> {
  static constexpr const char* name = "wrong";
  static auto forward(FunctionContext&, const Plain& x, const Plain& y) { return x * y; }
  static std::vector<AnyTensor> backward(FunctionContext&, const Plain& g) {
    if (how == 0) return {g};
    if (how == 1) return {g, tt::zeros<double, Vector>({g.numel() + 1})};
    return {g, AnyTensor()};
  }
  static inline int how = 0;
};

struct SavesOutput : tt::Function<SavesOutput> {
  static constexpr const char* name = "saves_output";
  static auto forward(FunctionContext& context, const Plain& x) {
    const tt::Tensor y = exp(x);
    context.save_for_backward(y);
    return y;
  }
  static auto backward(FunctionContext& context, const Plain& g) { return g * context.saved<Plain>(0); }
};

}  // namespace

TEST_CASE("function: a mark is on the tensor that was marked, not on another in the memory that it left", "[autograd]") {
  const auto x = leaf<double, Vector>({3});
  for (int i = 0; i < 4; ++i) CHECK(MarksAnother::apply(x).requires_grad());
  backward(tt::sum(MarksAnother::apply(x)));
  CHECK(values(x.grad()) == std::vector<double>{3, 3, 3});
}

TEST_CASE("function: forward and backward of one input, of any shape, and in a fused expression", "[autograd]") {
  const Leaf x = leaf<double, Vector>({4});
  CHECK(tt::gradcheck([](const auto& a) { return Cube::apply(a); }, x));
  CHECK(tt::gradcheck([](const auto& a) { return tanh(Cube::apply(a * 2) + a) * 3; }, leaf<double, tt::Shape<2, 3>>({2, 3}, -1, 1)));
  const tt::Tensor y = Cube::apply(x);
  CHECK(std::is_same_v<decltype(Cube::apply(x)), Leaf>);
  CHECK(y.grad_fn().name() == "cube");
  CHECK(values(y)[0] == Approx(std::pow(x(0), 3)));
}

TEST_CASE("function: plain, frozen and unrecorded inputs give results without history", "[autograd]") {
  const Leaf x = ones(2);
  CHECK(std::is_same_v<decltype(Cube::apply(Plain())), Plain>);
  CHECK(values(Cube::apply(x.detach() * 2)) == list{8, 8});
  const tt::Tensor<double, Vector, tt::cpu, tt::frozen> frozen(x.detach());
  CHECK(decltype(Cube::apply(frozen))::order == tt::frozen);
  const tt::no_grad guard;
  CHECK_FALSE(Cube::apply(x).requires_grad());
}

TEST_CASE("function: several inputs and outputs, numbers in between, and what was not asked for is zero", "[autograd]") {
  const Leaf a = leaf<double, Vector>({3}), b = leaf<double, Vector>({3}, -3, 3, 2);
  CHECK(tt::gradcheck([](const auto& x, const auto& y) {
    const auto [product, sum] = Mix::apply(x, 3, y);
    return product * product + sum;
  }, a, b));
  const auto [product, sum] = Mix::apply(a, 2, b);
  CHECK(Mix::needs == std::vector<bool>{true, true, false});
  CHECK(product.grad_fn().name() == "mix");
  CHECK(product.grad_fn().next_functions().at(0) == sum.grad_fn().next_functions().at(0));
  Mix::calls = 0;
  backward(tt::sum(sum), tt::retain_graph);
  CHECK(values(a.grad()) == list{1, 1, 1});
  CHECK(values(b.grad()) == list{2, 2, 2});
  backward(tt::sum(sum) + tt::sum(product));   // both outputs, one call
  CHECK(Mix::calls == 2);
  CHECK(values(a.grad())[1] == Approx(2 + b(1)));
  CHECK_THROWS_WITH(backward(tt::sum(product)), Contains("freed"));
  const auto [only_a, other] = Mix::apply(a, 2, b.detach());
  CHECK(Mix::needs == std::vector<bool>{true, false, false});
  b.set_grad({});
  backward(tt::sum(only_a * other));
  CHECK_FALSE(b.grad().defined());
}

TEST_CASE("function: over tensors of run-time types", "[autograd]") {
  const Leaf a = ones(2), b = ones(3);
  const std::vector<AnyTensor> out = Swap::apply(AnyTensor(a), AnyTensor(b));
  REQUIRE(out.size() == 2);
  CHECK(out[0].sizes() == tt::dims{3});
  backward(tt::sum(tt::Variable<double, Vector>(out[0]) * 5));
  CHECK(values(b.grad()) == list{5, 5, 5});
  CHECK(values(a.grad()) == list{0, 0});
}

TEST_CASE("function: integer outputs and marked ones require no gradient", "[autograd]") {
  const Leaf x = leaf<double, Vector>({5});
  const auto [value, at, rank] = Largest::apply(x * 1.0);
  CHECK(std::is_same_v<decltype(at), const tt::Scalar<std::int64_t>>);
  CHECK((value.requires_grad() && !rank.requires_grad()));
  backward(value * 3 + rank);
  list want(5, 0);
  want[std::size_t(at.item())] = 3;
  CHECK(values(x.grad()) == want);
}

TEST_CASE("function: an input written in place becomes the output", "[autograd]") {
  const Leaf x = ones(2);
  const tt::Tensor h = x * 3;
  const tt::Tensor y = DoubleInPlace::apply(h);
  CHECK(values(h) == list{6, 6});
  CHECK(y.storage() == h.storage());
  CHECK(h.grad_fn() == y.grad_fn());   // h is y now
  backward(sum(h * 1.0));
  CHECK(values(x.grad()) == list{6, 6});
  CHECK_THROWS_WITH(DoubleInPlace::apply(x), Contains("double_in_place") && Contains("leaf"));
  const tt::Tensor before = x * 3, exponential = exp(before);
  DoubleInPlace::apply(exponential);
  CHECK_THROWS_WITH(backward(sum(exponential)), Contains("exp") && Contains("version"));
  const tt::no_grad guard;
  const tt::Tensor plain = x * 1.0;
  CHECK(DoubleInPlace::apply(plain).storage() == plain.storage());
}

TEST_CASE("function: faults are named", "[autograd]") {
  const Leaf x = ones(2), y = ones(2);
  const auto run = [&](int how) {
    Wrong::how = how;
    backward(sum(Wrong::apply(x, y)));
  };
  CHECK_THROWS_WITH(run(0), Contains("wrong") && Contains("1 gradients for 2"));
  CHECK_THROWS_WITH(run(1), Contains("input 1") && Contains("[3]") && Contains("[2]"));
  x.set_grad({}), y.set_grad({});
  run(2);
  CHECK(values(x.grad()) == list{1, 1});
  CHECK_FALSE(y.grad().defined());
  const tt::Tensor z = SavesOutput::apply(x);
  CHECK(tt::gradcheck([](const auto& a) { return SavesOutput::apply(a); }, x));
  z.detach() += 1;
  CHECK_THROWS_WITH(backward(sum(z)), Contains("saves_output") && Contains("version"));
  struct TooFar : tt::Function<TooFar> {
    static auto forward(FunctionContext& context, const Plain& a) { return context.saved(0), a * 1.0; }
  };
  CHECK_THROWS_AS(TooFar::apply(x.detach()), tt::IndexError);
  CHECK_THROWS(Cube::apply(Leaf()));
}

TEST_CASE("function: a saved output makes no cycle", "[autograd]") {
  const auto held = [] { return tests::values(tt::ones<double, Vector>({1})).size(); };
  (void)held;
  tt::detail::Ref<tt::Storage> storage;
  {
    const Leaf x = ones(2);
    storage = SavesOutput::apply(x).storage();
  }
  CHECK(storage->refs.value() == 1);
}

namespace {
/// y = x z in x, returned with z z.
struct TimesInPlace : tt::Function<TimesInPlace> {
  static constexpr const char* name = "times_in_place";
  static std::tuple<Plain, Plain> forward(FunctionContext& context, const Plain& x, const Plain& z) {
    context.save_for_backward(tt::Tensor(x * 1.0), z);
    context.mark_dirty(x);
    x *= z;
    return {x, tt::Tensor(z * z)};
  }
  static auto backward(FunctionContext& context, const Plain& of_x, const Plain& of_square) {
    const auto x = context.saved<Plain>(0), z = context.saved<Plain>(1);
    return std::tuple(tt::Tensor(of_x * z), tt::Tensor(of_x * x + of_square * z * 2));
  }
};
/// Says that it wrote into its input, and returns another tensor.
struct Hides : tt::Function<Hides> {
  static constexpr const char* name = "hides";
  static auto forward(FunctionContext& context, const Plain& x) {
    context.mark_dirty(x);
    return x * 2;
  }
  static auto backward(FunctionContext&, const Plain& g) { return g; }
};
}  // namespace

TEST_CASE("function: a view written in place gives its base the history of the write", "[autograd]") {
  const Leaf x = leaf<double, Vector>({4}), z = leaf<double, Vector>({2}, 1, 2, 3);
  const tt::Tensor h = x * 3;
  const auto v = tt::slice<0>(h, 1, 3), other = tt::slice<0>(h, 2, 4);
  const tt::Tensor y = DoubleInPlace::apply(v);
  CHECK(values(h) == list{3 * x(0), 6 * x(1), 6 * x(2), 3 * x(3)});
  CHECK((y.storage() == h.storage() && y.grad_fn() == v.grad_fn()));
  CHECK(h.grad_fn().name() == "copy_");
  CHECK(h.grad_fn().next_functions()[1].name() == "double_in_place");
  backward(sum(h), tt::retain_graph);
  CHECK(values(x.grad()) == list{3, 6, 6, 3});
  x.set_grad({});
  backward(sum(y), tt::retain_graph);
  CHECK(values(x.grad()) == list{0, 6, 6, 0});
  x.set_grad({});
  backward(sum(other));   // another view, of one element that was written and one that was not
  CHECK(values(x.grad()) == list{0, 0, 6, 3});

  const auto through = [](const auto& a, const auto& b) {
    const Leaf base = a * a;
    const auto part = tt::slice(base, 0, 0, 4, 2);
    const auto [product, square] = TimesInPlace::apply(part, b);
    return tt::sum(base * base) + tt::sum(product * square) + tt::sum(part);
  };
  CHECK(tt::gradcheck(through, x, z));

  // The view's base had no history: it has one now.
  const Leaf plain = tt::ones<double, Vector>({4});
  const auto part = tt::slice<0>(plain, 0, 2);
  TimesInPlace::apply(part, z);
  CHECK((plain.requires_grad() && part.requires_grad()));
  z.set_grad({});
  backward(sum(plain * 5));
  CHECK(values(z.grad()) == list{5, 5});
}

TEST_CASE("function: views that cannot be written in place are refused, and so is a write that is not returned", "[autograd]") {
  const Leaf x = ones(4);
  CHECK_THROWS_WITH(DoubleInPlace::apply(tt::slice<0>(x, 0, 2)), Contains("leaf of this view") && Contains("[4]"));
  const tt::Tensor h = x * 3;
  Leaf unrecorded;
  {
    const tt::no_grad guard;
    unrecorded = tt::slice<0>(h, 0, 2);
  }
  CHECK_THROWS_WITH(TimesInPlace::apply(unrecorded, ones(2)), Contains("made without recording"));
  CHECK_THROWS_WITH(Hides::apply(h), Contains("hides") && Contains("[4]") && Contains("did not return it"));
  const tt::no_grad guard;
  const auto v = tt::slice<0>(h, 0, 2);
  CHECK(DoubleInPlace::apply(v).storage() == h.storage());
}
