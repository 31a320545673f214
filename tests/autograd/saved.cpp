// What the tape keeps: only what backward reads, in the form that the user wants, or nothing that can be computed again.
#include "../catch.hpp"
#include "../op_families.hpp"

#include <tt/autograd.hpp>
#include <tt/autograd/gradcheck.hpp>

#include <memory>

using tests::leaf;
using tests::numbers;
using tests::values;
using tt::AnyTensor;
using tt::backward;
using Vector = tt::Shape<tt::dyn>;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using Leaf = tt::Variable<double, Vector>;
using list = std::vector<double>;

namespace {

/// The gradient that operand Which of Op receives, from an op's words.
template <class Op, int Which>
double pulled(double g, double y, double a, double b, double c) {
  if constexpr (tests::arity<Op> == 1) return tt::prog::pull<Op, Which>(g, y, a);
  else if constexpr (tests::arity<Op> == 2) return tt::prog::pull<Op, Which>(g, y, a, b);
  else return tt::prog::pull<Op, Which>(g, y, a, b, c);
}
template <class Op, int Which>
void check_reads() {
  constexpr unsigned reads = tt::prog::operand_reads<Op, Which>;
  const double nan = std::nan("");
  INFO(Op::name << ", operand " << Which);
  for (double a : {0., 0.7}) {
    const double b = 1.3, c = 0.4, y = double(tests::scalar_call<Op>(a, b, c));
    const double right = pulled<Op, Which>(2., y, a, b, c);
    const bool all = reads == ~0u;
    CHECK((all || pulled<Op, Which>(2., reads ? y : nan, reads & 1 ? a : nan, reads & 2 ? b : nan, reads & 4 ? c : nan) == right));
  }
}

}  // namespace

TEST_CASE("saved: what an op says that its slopes read is all they read", "[autograd]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (!tests::compares<Op>) {
      if constexpr (tt::detail::has_condition<Op>) check_reads<Op, 1>(), check_reads<Op, 2>();
      else {
        check_reads<Op, 0>();
        if constexpr (tests::arity<Op> > 1) check_reads<Op, 1>();
      }
    }
  });
}

TEST_CASE("saved: operands that backward does not read may be written to", "[autograd]") {
  const Leaf x = leaf<double, Vector>({3}, 0.5, 2);
  const auto y = numbers<double, Vector>({3}, 0.5, 2);
  const auto legal = [&](auto f, double slope) {
    x.set_grad({});
    const tt::Tensor out = f();
    x.detach() += 1, y += 1;
    backward(sum(out));
    CHECK(values(x.grad()) == list(3, slope));
  };
  legal([&] { return x * 2; }, 2);
  legal([&] { return -(x - y) * 3 + y; }, -3);
  legal([&] { return x / 4; }, 0.25);
  legal([&] { return sum(x * 2 - y); }, 2);
  legal([&] { return tt::mean(x) * 3; }, 1);
  legal([&] { return tt::where(tt::clone(y) > -100, x, y); }, 1);
  const tt::Tensor product = x * y;
  y += 1;
  CHECK_THROWS_WITH(backward(sum(product)), Contains("mul") && Contains("[3]") && Contains("version"));
}

TEST_CASE("saved: an operation alone is undone from its output; within a region from its operands", "[autograd]") {
  const Leaf x = leaf<double, Vector>({3}, 0.5, 2);
  const auto forbidden = [&](const char* name, auto f) {
    const tt::Tensor y = f(x);
    x.detach() += 1;                       // the operand is free
    y.detach().zero_();
    CHECK_THROWS_WITH(backward(sum(y)), Contains(name) && Contains("[3]") && Contains("at version 1") && Contains("saved at version 0"));
  };
  forbidden("sigmoid", [](const auto& a) { return sigmoid(a); });
  forbidden("tanh", [](const auto& a) { return tanh(a); });
  forbidden("exp", [](const auto& a) { return exp(a); });
  forbidden("relu", [](const auto& a) { return relu(a); });
  const tt::Tensor y = exp(x * 2);         // the operand is read, the output is free
  y.detach().zero_();
  x.set_grad({});
  backward(sum(y));
  CHECK(values(x.grad())[0] == Approx(2 * std::exp(2 * x(0))));
  const tt::Tensor total = sum(exp(x));    // a sum's region is not stored at all
  x.set_grad({});
  backward(total);
  CHECK(values(x.grad())[0] == Approx(std::exp(x(0))));
  CHECK(tt::gradcheck([](const auto& a) { return tanh(a); }, leaf<double, Matrix>({3, 5})));
  CHECK(tt::gradcheck([](const auto& a) { return sigmoid(tt::transpose(a)); }, leaf<double, Matrix>({3, 5})));
}

namespace {

/// Whether a function's gradients survive that everything saved is packed as a copy.
template <class Function, class... X>
void check_packed(const char* what, const Function& f, const X&... x) {
  INFO(what);
  backward(f(x...));
  std::vector<list> want{values(x.grad())...};
  (x.set_grad({}), ...);
  int packed = 0, unpacked = 0;
  tt::AnyTensor loss;
  {
    const tt::saved_tensors_hooks hooks(
        [&](const AnyTensor& t) { return ++packed, tests::scattered(t); },
        [&](const AnyTensor& t) { return ++unpacked, t; });
    loss = tt::eval(f(x...));
  }
  CHECK(packed > 0);
  CHECK(unpacked == 0);
  const tt::Variable<double, tt::Shape<>> y(loss);
  backward(y, tt::retain_graph);
  CHECK(unpacked == packed);
  backward(y);
  CHECK(unpacked == 2 * packed);
  std::size_t i = 0;
  const auto compare = [&](const AnyTensor& g) {
    const list got = values(g);
    for (std::size_t j = 0; j < got.size(); ++j) CHECK(got[j] == Approx(2 * want[i][j]).margin(1e-12));
    ++i;
  };
  (compare(x.grad()), ...);
  (x.set_grad({}), ...);
}

}  // namespace

TEST_CASE("saved: packed and unpacked by every kind of node", "[autograd]") {
  const auto a = leaf<double, Matrix>({3, 4}, 0.5, 2), b = leaf<double, Matrix>({3, 4}, 1, 2, 2);
  const auto row = leaf<double, Vector>({4}, 0.5, 2, 3);
  const auto column = leaf<double, Matrix>({3, 1}, 0.5, 2, 4);
  const tt::Tensor<std::int64_t, Vector> labels{tt::AnyTensor(tt::zeros<std::int64_t, Vector>({3}))};
  check_packed("a flat region", [](const auto& x, const auto& y) { return sum(tt::eval(x * y / (x + y))); }, a, b);
  check_packed("a broadcast region", [](const auto& x, const auto& r, const auto& c) { return sum(tt::eval(x * r * c)); }, a, row, column);
  check_packed("a sum", [](const auto& x, const auto& r) { return sum(exp(x * r)); }, a, row);
  check_packed("an output", [](const auto& x) { return sum(tt::eval(tanh(x))); }, a);
  check_packed("an extremum", [](const auto& x) { return sum(tt::amax<1>(x)); }, a);
  check_packed("products", [](const auto& x, const auto& y) {
    return sum(tt::eval(tt::matmul(x, tt::transpose(y)))) + sum(tt::eval(tt::matmul(tt::transpose(x), y)));
  }, a, b);
  check_packed("products of stacks", [](const auto& x, const auto& r) {
    const tt::Tensor stack = tt::reshape<3, 2, 2>(x);
    return sum(tt::eval(tt::matmul(stack, tt::transpose(stack)))) +
           sum(tt::eval(tt::matmul(tt::reshape<2, 2>(r), stack)));
  }, a, row);
  check_packed("an activated product", [](const auto& x, const auto& r, const auto& y) {
    return sum(tt::eval(relu(tt::matmul(tt::transpose(x), y) + r)));
  }, a, row, b);
  check_packed("an activation of a known product", [](const auto& x, const auto& y) {
    const auto product = tt::matmul(x, tt::transpose(y));
    const tt::Tensor known = product;
    return sum(tt::eval(tanh(product))) + sum(known);
  }, a, b);
  check_packed("cross-entropy", [&](const auto& x) { return tt::cross_entropy(x, labels); }, a);
}

TEST_CASE("saved: what pack returns is kept, and what unpack returns is judged", "[autograd]") {
  const Leaf x = leaf<double, Vector>({4}, 0.5, 2);
  std::vector<tt::dims> seen;
  const auto recorded = [&](auto pack, auto unpack, auto f) {
    const tt::saved_tensors_hooks hooks(pack, unpack);
    return tt::eval(f());
  };
  const auto to_float = [&](const AnyTensor& t) {   // half the memory
    seen.push_back(t.sizes());
    return tt::Tensor<float, Vector>(tt::to<float>(tt::Tensor<double, Vector>(t)));
  };
  const auto to_double = [](const tt::Tensor<float, Vector>& t) { return AnyTensor(tt::eval(tt::to<double>(t))); };
  backward(sum(recorded(to_float, to_double, [&] { return x * x; })));
  CHECK(seen == std::vector<tt::dims>{{4}, {4}});
  CHECK(values(x.grad())[2] == Approx(2 * x(2)).epsilon(1e-6));
  CHECK(values(x.grad())[2] != 2 * x(2));
  const auto wrong = recorded([](const AnyTensor&) { return 0; }, [](int) { return AnyTensor(tt::ones<double, Vector>({3})); },
                              [&] { return exp(x * 2); });
  CHECK_THROWS_WITH(backward(sum(wrong)), Contains("[4]") && Contains("unpack"));
  const auto thrown = recorded([](const AnyTensor&) { return 0; }, [](int) -> AnyTensor { throw std::runtime_error("lost"); },
                               [&] { return exp(x * 2); });
  CHECK_THROWS_WITH(backward(sum(thrown)), Contains("lost"));
  const auto counted = std::make_shared<int>(0);
  {
    const auto dropped = recorded([&](const AnyTensor&) { return counted; }, [](const std::shared_ptr<int>&) { return AnyTensor(); },
                                  [&] { return exp(x * 2); });
    CHECK(counted.use_count() == 2);
  }
  CHECK(counted.use_count() == 1);
  const tt::Tensor after = x * x;   // the guard is over
  CHECK(seen.size() == 2);
}

TEST_CASE("anomaly: the operation that makes a NaN in backward is named with its place", "[autograd]") {
  const Leaf x{tt::AnyTensor(tt::zeros<double, Vector>({2}))};
  x.requires_grad_();
  const auto root = [](const auto& a) { return sqrt(a * a); };   // 0 * inf
  backward(sum(root(x)));
  CHECK(std::isnan(x.grad()(0)));
  const auto run = [&](bool recorded, bool run_back) {
    tt::AnyTensor loss;
    {
      const tt::detect_anomaly guard(recorded);
      const tt::Tensor inner = root(x);
      loss = tt::eval(sum(inner * 2));
    }
    const tt::detect_anomaly guard(run_back);
    backward(tt::Variable<double, tt::Shape<>>(loss));
  };
  x.set_grad({});
  CHECK_THROWS_WITH(run(true, true), Contains("sqrt (of mul)") && Contains("saved.cpp"));
  CHECK_THROWS_WITH(run(false, true), Contains("sqrt (of mul)") && !Contains("recorded at"));
  CHECK_FALSE(x.grad().defined());
  run(true, false);
  CHECK(std::isnan(x.grad()(0)));
  const tt::detect_anomaly guard;
  CHECK_THROWS_WITH(backward(sum(tt::where(x > 1, x, sqrt(x * x)))), Contains("sum (of where") && Contains("sqrt"));
  const Leaf written = x * 1;
  written.copy_(root(x));
  const std::string copied = "saved.cpp:" + std::to_string(__LINE__ - 1);
  CHECK_THROWS_WITH(backward(sum(written)), Contains("sqrt (of mul)") && Contains(copied));
  const Leaf part = x * 1;
  tt::slice<0>(part, 0, 1).add_(tt::slice<0>(root(x), 0, 1));
  CHECK_THROWS_WITH(backward(sum(part)), Contains("sqrt") && Contains("saved.cpp:" + std::to_string(__LINE__ - 1)));
  const Leaf filled = x * 1;
  filled.copy_(x * 2);
  const Leaf seed{tt::AnyTensor(tt::full<double, Vector>({2}, std::numeric_limits<double>::quiet_NaN()))};
  const std::string place = "saved.cpp:" + std::to_string(__LINE__ - 2);
  CHECK_THROWS_WITH(backward(filled, seed.detach()), Contains("backward of copy_ gave NaN") && Contains(place));
  const Leaf y = leaf<double, Vector>({2}, 0.5, 1);
  backward(sum(log(y)) + sum(tt::eval(exp(y))));   // nothing to say
  CHECK(y.grad()(0) == Approx(1 / y(0) + std::exp(y(0))));
}

TEST_CASE("checkpoint: the same gradients, parameters and random numbers, and less memory", "[autograd]") {
  const auto w = leaf<double, Matrix>({64, 64}, -0.2, 0.2, 5);
  const auto x = leaf<double, Matrix>({64, 64}, -1, 1);
  int runs = 0;
  const auto block = [&](const auto& a) {
    ++runs;
    tt::Variable<double, Matrix> h = a;
    for (int i = 0; i < 8; ++i) {
      const tt::Tensor noise = tt::rand<double, Matrix>({64, 64});
      h = tanh(tt::matmul(h, w)) * noise;
    }
    return h;
  };
  const auto kept = [&](auto f) {   // bytes in use once f has run forward
    const auto before = tt::memory_allocated();
    const tt::Tensor y = f();
    const auto after = tt::memory_allocated();
    backward(sum(y * y));
    return after - before;
  };
  tt::manual_seed(3);
  const std::ptrdiff_t all = kept([&] { return block(x); });
  const list want_x = values(x.grad()), want_w = values(w.grad());
  const std::uint64_t drawn = tt::default_generator().offset();
  x.set_grad({}), w.set_grad({});
  tt::manual_seed(3);
  runs = 0;
  const std::ptrdiff_t few = kept([&] { return tt::checkpoint(block, x); });
  CHECK(runs == 2);
  CHECK(tt::default_generator().offset() == drawn);   // running again drew nothing from the stream
  CHECK(values(x.grad()) == want_x);
  CHECK(values(w.grad()) == want_w);
  const std::ptrdiff_t matrix = 64 * 64 * 8;
  CHECK(all >= 16 * matrix);                          // of each step a product and the noise
  CHECK(few < 3 * matrix);                            // the result, and what the nodes themselves take
}

TEST_CASE("checkpoint: expressions, several arguments, twice over one graph, within another, and unrecorded", "[autograd]") {
  const Leaf a = leaf<double, Vector>({3}), b = leaf<double, Vector>({3}, 1, 2, 2);
  int runs = 0;
  const auto f = [&](const auto& x, const auto& y, double s) { return ++runs, exp(x * s) / y; };
  CHECK(tt::gradcheck([&](const auto& x, const auto& y) { return tt::checkpoint(f, x, y, 0.5) * 2; }, a, b));
  CHECK(tt::gradcheck([&](const auto& x) {
    return tt::checkpoint([&](const auto& u) { return tt::checkpoint([](const auto& v) { return tt::eval(exp(v * v)); }, tt::eval(u * u)) * u; }, x);
  }, leaf<double, Vector>({3}, -0.9, 0.9)));
  const tt::Tensor y = tt::checkpoint(f, a, b, 2.);
  runs = 0;
  backward(sum(y), tt::retain_graph);
  const list once = values(a.grad());
  backward(sum(y));
  CHECK(runs == 2);
  CHECK(values(a.grad())[1] == Approx(2 * once[1]));
  {
    const tt::no_grad guard;
    runs = 0;
    CHECK_FALSE(tt::checkpoint(f, a, b, 1.).requires_grad());
    CHECK(runs == 1);
  }
  int calls = 0;
  const tt::Tensor unsteady = tt::checkpoint([&](const auto& x) { return ++calls > 1 ? tt::eval(x * 1.0) : tt::eval(exp(x * x)); }, a);
  CHECK_THROWS_WITH(backward(sum(unsteady)), Contains("run again"));
}

TEST_CASE("checkpoint: an argument that was written in place before backward is an error", "[autograd]") {
  const Leaf x = leaf<double, Vector>({3}), w = leaf<double, Vector>({3}, 1, 2, 2);
  const tt::Tensor<double, Vector> plain = tt::ones<double, Vector>({3});
  const auto product = [](const auto& a, const auto& b) { return a * b; };

  const tt::Tensor y = tt::checkpoint(product, plain, x);
  plain.fill_(2);
  CHECK_THROWS_WITH(backward(sum(y)),
                    Contains("tt::checkpoint: argument 0") && Contains("[3]") && Contains("changed in place"));
  CHECK_FALSE(x.grad().defined());

  const tt::Tensor z = tt::checkpoint(product, plain, x);
  {
    const tt::no_grad guard;
    x *= 2;
  }
  CHECK_THROWS_WITH(backward(sum(z)), Contains("tt::checkpoint: argument 1"));

  const auto first = [](const auto& all) { return all[0] * all[1]; };
  const tt::Tensor of_list = tt::checkpoint(first, std::vector{x, w});
  w.detach().zero_();
  CHECK_THROWS_WITH(backward(sum(of_list)), Contains("tt::checkpoint: argument 0"));

  const tt::Tensor lazy = tt::checkpoint(product, plain * 2, x);
  plain.fill_(3);
  CHECK_THROWS_WITH(backward(sum(lazy)), Contains("changed in place after the expression"));

  const tt::Tensor fine = tt::checkpoint(product, plain, x);
  backward(sum(fine), tt::retain_graph);
  CHECK(values(x.grad()) == list{3, 3, 3});
}
