#include <tt/dispatch/any_map.hpp>  // arity_of
#include <tt/random.hpp>
#include <tt/registry.hpp>
#include <tt/tensor.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <limits>
#include <set>

using tt::Argument;
using tt::call;
using tt::registry::parse_schema;

using matrix = tt::Tensor<float, tt::Shape<2, 2>>;
using vector = tt::Tensor<float, tt::Shape<2>>;

TEST_CASE("registry: every op of the elementwise lists has a row, with a schema of as many operands", "[dispatch]") {
  const auto check = []<class Op>(Op) {
    INFO(Op::name);
    const tt::registry::Row* row = tt::registry::find(Op::name);
    REQUIRE(row);
    for (const auto& overload : row->overloads) {
      int operands = 0;
      for (const auto& p : overload.parameters) operands += !p.named_only && !p.has_default;
      CHECK(operands == tt::detail::arity_of<Op>);
    }
    CHECK(row->schema().starts_with(std::string(Op::name) + "("));
  };
  for_each_op(tt::ops::arithmetic{}, check);
  for_each_op(tt::ops::comparison{}, check);
  for_each_op(tt::ops::selection{}, check);
  for_each_op(tt::ops::exponential{}, check);
  for_each_op(tt::ops::hyperbolic{}, check);
  for_each_op(tt::ops::activation{}, check);
  for_each_op(tt::ops::logical{}, check);
  for_each_op(tt::ops::division{}, check);
}

TEST_CASE("registry: rows are in the order of their names, each once, and a schema is what it was parsed from",
          "[dispatch]") {
  const auto rows = tt::registry::rows();
  CHECK(rows.size() >= 70);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO(rows[i].name);
    if (i) CHECK(rows[i - 1].name < rows[i].name);
    CHECK(tt::registry::find(rows[i].name) == &rows[i]);
    std::set<std::string> texts;
    for (const auto& s : rows[i].overloads) {
      CHECK(texts.insert(s.text).second);
      CHECK(!s.returns.empty());
    }
  }
}

TEST_CASE("registry: an overload may follow the name, and what is not there is not implemented", "[dispatch]") {
  CHECK(tt::registry::find("add.Tensor") == tt::registry::find("add"));
  CHECK(tt::registry::find("softmax.with_dtype") == tt::registry::find("softmax"));
  CHECK(tt::registry::find("nn.functional.relu")->name == "nn.functional.relu");
  CHECK(tt::registry::find("nn.functional") == nullptr);
  CHECK(tt::registry::find("") == nullptr);
  CHECK_THROWS_AS(call("no_such_op", {1}), tt::not_implemented);
}

TEST_CASE("registry: positional and named arguments, defaults and numbers bind", "[dispatch]") {
  const matrix a{{1, 2, 3, 4}}, b{{10, 20, 30, 40}};
  const auto first = [](const Argument& y) { return y.tensor().as<float, tt::Shape<2, 2>>()(0, 0); };
  CHECK(first(call("add", {a, b})) == 11);
  CHECK(first(call("add", {a, b}, {{"alpha", 2}})) == 21);
  CHECK(first(call("add", {a}, {{"alpha", 0.5}, {"other", b}})) == 6);
  CHECK(first(call("add", {a, 2})) == 3);
  CHECK(first(call("rsub", {a, b}, {{"alpha", 3}})) == 7);
  CHECK(call("add", {1.5, 2}).tensor().item<float>() == 3.5f);
  CHECK(call("sum", {a}).tensor().item<float>() == 10);
  CHECK(call("sum", {a, 0}).tensor().sizes() == tt::dims{2});
  CHECK(call("sum", {a, {0, 1}, true}).tensor().sizes() == tt::dims{1, 1});
  CHECK(call("sum", {a, Argument()}, {{"dtype", tt::dtype::float64}}).tensor().dtype() == tt::dtype::float64);
  CHECK(call("flatten", {a}, {{"start_dim", -2}}).tensor().sizes() == tt::dims{4});
  const Argument both = call("max", {a, 1});
  CHECK(both.get<Argument::List>().at(1).tensor().dtype() == tt::dtype::int64);
}

TEST_CASE("registry: wrong arguments are errors that say which and why", "[dispatch]") {
  const matrix a{{1, 2, 3, 4}};
  const auto refuses = [](std::string_view op, const std::vector<Argument>& positional,
                          const std::vector<tt::NamedArgument>& named, const std::string& why) {
    INFO(op);
    try {
      call(op, positional, named);
      FAIL("it was not refused");
    } catch (const tt::not_implemented&) {
      FAIL("it must be an error, not a gap");
    } catch (const tt::Error& e) {
      CHECK_THAT(e.what(), Contains("tt::" + std::string(op)) && Contains(why));
    }
  };
  refuses("exp", {}, {}, "'self' is missing");
  refuses("exp", {a, a}, {}, "2 positional arguments are too many");
  refuses("exp", {2.0}, {}, "'self' must be Tensor, not float");
  refuses("exp", {Argument()}, {}, "'self' must be Tensor, not None");
  refuses("exp", {tt::AnyTensor()}, {}, "'self' must be Tensor");
  refuses("exp", {a}, {{"self", a}}, "'self' is given twice");
  refuses("exp", {a}, {{"out", a}}, "no parameter 'out'");
  refuses("sum", {a, 1.0}, {}, "'dim' must be int[1]?, not float");
  refuses("add", {a, a, 2}, {}, "too many");                        // alpha is named only
  refuses("add", {a, "2"}, {}, "'other' must be Scalar, not str");  // every overload is named
  refuses("maximum", {a, 2}, {}, "'other' must be Tensor, not int");
  refuses("sub", {a, true}, {}, "bool");
  refuses("transpose", {a, 0, 5}, {}, "axis 5");
  refuses("div", {a, a}, {{"rounding_mode", "ceil"}}, "not 'ceil'");
  refuses("logical_and", {a, 2}, {}, "'other' must be Tensor, not int");
  refuses("narrow", {a, 0, 1, 2}, {}, "more than an axis of 2 has");
}

TEST_CASE("registry: what an operation cannot do yet is not implemented, not wrong", "[dispatch]") {
  const matrix a{{1, 2, 3, 4}};
  CHECK_THROWS_AS(call("zeros", {{2, 2}}, {{"device", "cuda"}}), tt::not_implemented);
  CHECK_THROWS_AS(call("double", {a}, {{"memory_format", "sparse"}}), tt::not_implemented);
}

TEST_CASE("registry: casts lay channels last where that is asked for, on the tape", "[dispatch]") {
  auto x = tests::leaf<float, tt::Shape<2, 3, 2, 2>>({2, 3, 2, 2});
  const auto cast = [](const char* to, const tt::AnyTensor& t) {
    return call(to, {t}, {{"memory_format", "channels_last"}}).tensor();
  };
  const tt::AnyTensor y = cast("double", x);
  CHECK(tests::values(y) == tests::values(x));
  CHECK((y.stride(1) == 1 && y.stride(3) == 3 && y.stride(2) == 6 && y.stride(0) == 12));
  CHECK(cast("double", y).body() == y.body());    // it lies so already
  CHECK(cast("float", x).body() != x.body());     // the dtype is right, the format is not
  CHECK(cast("int", tests::scattered(x.detach())).stride(1) == 1);
  tt::detail::backward_from(y, tt::ones(tt::dtype::float64, {2, 3, 2, 2}), false);
  CHECK(tests::values(x.grad()) == std::vector<double>(24, 1));
  const tt::AnyTensor flat = tt::zeros(tt::dtype::float32, {2, 3, 2});
  CHECK_THROWS_WITH(cast("long", flat), Contains("tt::long") && Contains("[2, 3, 2]"));
}

TEST_CASE("registry: tensors with axes come before those without, and both before numbers, in promotion",
          "[dispatch]") {
  const auto ones = [](tt::dtype type, const tt::dims& size) { return tt::ones(type, size); };
  const auto sum = [](const Argument& x, const Argument& y) { return call("add", {x, y}).tensor().dtype(); };
  using tt::dtype;
  CHECK(sum(ones(dtype::float32, {2}), ones(dtype::float64, {})) == dtype::float32);
  CHECK(sum(ones(dtype::int64, {2}), ones(dtype::float64, {})) == dtype::float64);
  CHECK(sum(ones(dtype::uint8, {}), 1) == dtype::uint8);
  CHECK(sum(ones(dtype::uint8, {}), ones(dtype::int64, {})) == dtype::int64);
  CHECK(sum(ones(dtype::boolean, {2}), true) == dtype::boolean);
  CHECK(sum(ones(dtype::int64, {2}), 1.5) == dtype::float32);
  CHECK(sum(1, 2) == dtype::int64);
  const auto scaled = [&](dtype a, dtype b) {
    return call("add", {ones(a, {2}), ones(b, {2})}, {{"alpha", 3}}).tensor();
  };
  CHECK(scaled(dtype::boolean, dtype::boolean).dtype() == dtype::boolean);  // alpha has no say in it
  CHECK(scaled(dtype::uint8, dtype::boolean).dtype() == dtype::uint8);
  CHECK(scaled(dtype::float32, dtype::int64).dtype() == dtype::float32);
  CHECK(call("sum", {ones(dtype::int64, {300})}, {{"dtype", dtype::uint8}}).tensor().item<std::int64_t>() == 300 % 256);
}

TEST_CASE("registry: calls record on the tape, by what requires a gradient at run time", "[dispatch]") {
  tt::Variable<float, tt::Shape<2>> x{{1, 2}};
  const vector w{{3, 4}};
  x.requires_grad_();
  const tt::AnyTensor y = call("sum", {call("mul", {x, w})}).tensor();
  CHECK(y.requires_grad());
  tt::detail::backward_from(y, tt::detail::one_like(y), false);
  CHECK(x.grad()(0) == 3);
  CHECK(x.grad()(1) == 4);
  CHECK(!call("mul", {w, w}).tensor().requires_grad());
  CHECK(!call("gt", {x, 1}).tensor().requires_grad());
  const tt::no_grad guard;
  CHECK(!call("mul", {x, w}).tensor().requires_grad());
}

TEST_CASE("registry: a beta of 0 keeps what is not a number out of addmm, and gives it a gradient", "[dispatch]") {
  tt::Variable<float, tt::Shape<2>> x{{std::numeric_limits<float>::quiet_NaN(), 1}};
  x.requires_grad_();
  const matrix one{{1, 0, 0, 1}};
  const tt::AnyTensor y = call("addmm", {x, one, one}, {{"beta", 0}}).tensor();
  CHECK(y.as<float, tt::Shape<2, 2>, tt::cpu, 1>()(0, 0) == 1);
  tt::detail::backward_from(y, one, false);
  CHECK(x.grad()(0) == 0);
}

TEST_CASE("schema: names, types, defaults and the star are read", "[dispatch]") {
  const auto s = parse_schema(
      "op.Two(Tensor(a) self, int[2] size=[1, -1], *, Scalar alpha=1.5, str how='mean', bool? on=None) -> (Tensor, "
      "Tensor)");
  CHECK(s.name == "op.Two");
  CHECK(s.returns == "(Tensor, Tensor)");
  REQUIRE(s.parameters.size() == 5);
  CHECK(!s.parameters[0].has_default);
  CHECK(s.parameters[1].fallback.get<Argument::List>().at(1).get<std::int64_t>() == -1);
  CHECK((s.parameters[1].repeats && !s.parameters[1].named_only));
  CHECK(s.parameters[2].fallback.get<double>() == 1.5);
  CHECK(s.parameters[3].fallback.get<std::string>() == "mean");
  CHECK((s.parameters[4].named_only && s.parameters[4].optional && s.parameters[4].fallback.is_none()));
  CHECK(parse_schema("f() -> Tensor").parameters.empty());
}

TEST_CASE("schema: what is none is refused", "[dispatch]") {
  for (const char* text :
       {"", "f", "f(Tensor self)", "f(Tensor self -> Tensor", "f(self) -> Tensor", "f(Tenser self) -> Tensor",
        "f(int n=None) -> Tensor", "f(int n=1.5) -> Tensor", "f(bool on=1) -> Tensor"})
    CHECK_THROWS_AS(parse_schema(text), tt::Error);
}

TEST_CASE("registry: random numbers by name are those of the typed calls", "[dispatch]") {
  const auto call = [](const char* name, std::vector<tt::Argument> a, std::vector<tt::NamedArgument> named = {}) {
    tt::manual_seed(9);
    return tt::call(name, a, named).tensor();
  };
  CHECK(tests::same_bits(call("rand", {{3, 4}}), (tt::manual_seed(9), tt::rand<float, tt::Shape<3, 4>>())));
  CHECK(tests::same_bits(call("randint", {-2, 5, {6}}), (tt::manual_seed(9), tt::randint<tt::Shape<6>>(-2, 5))));
  CHECK(tests::same_bits(call("randperm", {7}), (tt::manual_seed(9), tt::randperm(7))));
  const tt::AnyTensor x = tt::ones<double, tt::Shape<5, 2>>();
  CHECK(call("randn_like", {x}).sizes() == x.sizes());
  CHECK(call("randn_like", {x}).dtype() == tt::dtype::float64);
  const std::vector<tt::NamedArgument> tracked{{"requires_grad", true}, {"dtype", tt::dtype::float32}};
  CHECK(call("randint", {0, 9, {2}}, tracked).requires_grad());
  CHECK(call("randperm", {4}, tracked).requires_grad());
  CHECK_THROWS_WITH(call("randint", {0, 9, {2}}, {{"requires_grad", true}}), Contains("int64"));
  CHECK(tests::same_bits(call("bernoulli", {x}), x));
  CHECK(call("multinomial", {x, 2}).sizes() == tt::dims{5, 2});
  CHECK(tests::same_bits(call("nn.functional.dropout", {x, 0.5, false}), x));
  CHECK_THROWS_WITH(call("nn.functional.dropout", {tt::arange(3)}), Contains("floating"));
}

TEST_CASE("registry: products of complex matrices, vectors and stacks, with typed gradients", "[dispatch]") {
  using tt::dyn;
  const auto check = []<class Number>(Number) {
    using rows = tt::Shape<dyn, dyn>;
    const auto x = tests::leaf<Number, rows>({3, 4}, -1, 1, 1), y = tests::leaf<Number, rows>({4, 2}, -1, 1, 2);
    const tt::Tensor want = tt::matmul(x, y);
    const auto g = tests::numbers<Number, rows>({3, 2}, -1, 1, 3);
    tt::backward(want, g);
    const tt::AnyTensor x_grad = x.grad(), y_grad = y.grad();
    x.set_grad({}), y.set_grad({});
    const tt::AnyTensor got = call("matmul", {x, y}).tensor();
    CHECK(tests::same_bits(got, static_cast<const tt::AnyTensor&>(want)));
    tt::backward(got.as<Number, rows, tt::cpu, 1>(), g);
    CHECK(tests::same_bits(x.grad(), x_grad));
    CHECK(tests::same_bits(y.grad(), y_grad));
    const auto v = tests::numbers<Number, tt::Shape<dyn>>({4});
    CHECK(tests::same_bits(call("mv", {x.detach(), v}).tensor(), static_cast<const tt::AnyTensor&>(tt::eval(tt::matmul(x.detach(), v)))));
    using stack = tt::Shape<dyn, dyn, dyn>;
    const auto a = tests::numbers<Number, stack>({2, 3, 4}), b = tests::numbers<Number, stack>({2, 4, 3});
    CHECK(tests::same_bits(call("bmm", {a, b}).tensor(), static_cast<const tt::AnyTensor&>(tt::eval(tt::bmm(a, b)))));
    CHECK_THROWS_AS(call("matmul", {x, v.detach(), x}), tt::Error);
  };
  check(std::complex<float>{});
  check(std::complex<double>{});
}

TEST_CASE("registry: cross-entropy of 16-bit scores is computed in float and rounded once", "[dispatch]") {
  const auto x = tests::numbers<float, tt::Shape<3, 4>>({3, 4}, -2, 2, 5);
  const tt::Tensor<std::int64_t, tt::Shape<3>> labels{0, 3, 1};
  const auto check = [&]<class Number>(Number) {
    const tt::AnyTensor scores = tt::eval(tt::to<Number>(x));
    const tt::AnyTensor got = call("nn.functional.cross_entropy", {scores, labels}).tensor();
    const tt::AnyTensor wide = tt::eval(tt::to<float>(tt::to<Number>(x)));
    const tt::AnyTensor want = call("nn.functional.cross_entropy", {wide, labels}).tensor();
    CHECK(got.dtype() == tt::dtype_of<Number>);
    CHECK(float(got.item<Number>()) == float(Number(want.item<float>())));
  };
  check(tt::half{});
  check(tt::bfloat16{});
}
