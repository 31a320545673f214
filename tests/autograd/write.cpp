// Writing on the tape, through tensors and through views of them. Values are PyTorch's where they are numbers.
#include <tt/autograd.hpp>
#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../view_chains.hpp"

#include <thread>

using tests::leaf;
using tests::values;
using tt::AnyTensor;
using tt::backward;
using tt::dyn;
using tt::gradcheck;
using Vector = tt::Shape<dyn>;
using Leaf = tt::Variable<double, Vector>;
using list = std::vector<double>;

namespace {
Leaf of(list elements) {
  Leaf x = tt::Tensor<double, Vector>(tt::dims{tt::index_t(elements.size())}, elements);
  x.requires_grad_();
  return x;
}
}  // namespace

TEST_CASE("write: gradients go to what was written, and to what was left", "[autograd]") {
  const Leaf x = of({1, 2, 3}), z = of({5, 6, 7});
  const Leaf y = x * 2;
  const auto v = tt::slice<0>(y, 1, 3), w = tt::slice<0>(y, 0, 2);   // both before the write
  v *= tt::slice<0>(z, 1, 3);
  CHECK(values(y) == list{2, 24, 42});
  CHECK(values(w) == list{2, 24});
  backward(sum(y * tt::Tensor<double, tt::Shape<3>>{1, 10, 100}), tt::retain_graph);
  CHECK(values(x.grad()) == list{2, 120, 1400});
  CHECK(values(z.grad()) == list{0, 40, 600});
  x.set_grad({}), z.set_grad({});
  backward(sum(w * 3));   // w was made anew
  CHECK(values(x.grad()) == list{6, 36, 0});
  CHECK(values(z.grad()) == list{0, 12, 0});
}

TEST_CASE("write: what is overwritten gets zeros", "[autograd]") {
  const Leaf x = of({1, 2, 3}), z = of({5, 6, 7});
  const Leaf y = x * 2;
  y.copy_(z);
  backward(sum(y * 4));
  CHECK(values(x.grad()) == list{0, 0, 0});
  CHECK(values(z.grad()) == list{4, 4, 4});
  const Leaf u = x * 2;
  u.zero_();
  CHECK((u.requires_grad() && !u.is_leaf()));
  backward(sum(u));
  CHECK(values(x.grad()) == list{0, 0, 0});
  const Leaf h = x * 2;
  tt::select<0>(h, 1) = 9;
  CHECK(values(h) == list{2, 9, 6});
  backward(sum(h * h));
  CHECK(values(x.grad()) == list{8, 0, 24});
}

TEST_CASE("write: every form of writing, through a tensor and through views of it", "[autograd]") {
  const auto a0 = leaf<double, Vector>({4}, 0.5, 2), b0 = leaf<double, Vector>({4}, 0.5, 2, 7);
  const auto whole = [](auto write) {
    return [write](const auto& a, const auto& b) {
      const Leaf y = a * 2 + 1;
      write(y, b);
      return y * y * a;
    };
  };
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { y += b * b; }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { y -= y * 0.5 + b; }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { y *= b; }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { y /= b; }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { y.copy_(exp(b)); }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { y *= 3, y += sum(b); }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) { tt::slice<0>(y, 1, 3) = tt::slice<0>(b, 0, 2); }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) {
    const tt::Tensor m = tt::reshape<2, 2>(y);
    tt::transpose<0, 1>(m) *= tt::reshape<2, 2>(b);
    tt::diagonal(m) += tt::select<0>(b, 3);
    tt::unsqueeze<0>(tt::select<1>(m, 0)) *= 2;
  }), a0, b0));
  CHECK(gradcheck(whole([](const auto& y, const auto& b) {
    for (int i = 0; i < 4; ++i) tt::select<0>(y, i) *= tt::select<0>(b, 3 - i);
  }), a0, b0));
}

TEST_CASE("write: a tensor without history gets one", "[autograd]") {
  const Leaf z = of({5, 6, 7});
  const Leaf b = tt::zeros<double, Vector>({3});
  const auto v = tt::select<0>(b, 1);
  const auto other = tt::slice<0>(b, 0, 2);
  v.copy_(tt::select<0>(z, 0));
  CHECK((b.requires_grad() && v.requires_grad() && other.requires_grad()));
  CHECK((b.grad_fn().name() == "copy_" && v.grad_fn().name() == "view"));
  backward(sum(b * 3) + sum(other));
  CHECK(values(z.grad()) == list{4, 0, 0});
  const Leaf plain = tt::zeros<double, Vector>({3});
  tt::slice<0>(plain, 0, 2) += 1;   // nothing is tracked
  CHECK_FALSE(plain.requires_grad());
  CHECK(values(plain) == list{1, 1, 0});
}

TEST_CASE("write: leaves are written without recording only", "[autograd]") {
  const Leaf x = of({1, 2, 3});
  const unsigned before = x.version();
  CHECK_THROWS_WITH(x += 1, Contains("a leaf") && Contains("[3]") && Contains("no_grad"));
  CHECK_THROWS_WITH(x.fill_(1), Contains("a leaf"));
  CHECK_THROWS_WITH((tt::slice<0>(x, 0, 1) = 0), Contains("the leaf of this view"));
  CHECK(x.version() == before);
  CHECK(values(x) == list{1, 2, 3});
  {
    const tt::no_grad guard;
    x *= 2;
    tt::select<0>(x, 0) = 7;
    x -= x * 0.5;
  }
  x.detach() += 1;
  CHECK(values(x) == list{4.5, 3, 4});
  CHECK(x.version() == before + 4);
  CHECK(x.is_leaf());
  backward(sum(x * x));
  CHECK(values(x.grad()) == list{9, 6, 8});
}

TEST_CASE("write: what the tape saved and was written since is an error; what is saved by the write itself is not", "[autograd]") {
  const Leaf x = of({1, 2, 3});
  const Leaf y = x * 2;
  const tt::Tensor squares = y * y;
  tt::slice<0>(y, 0, 1) += 1;
  CHECK_THROWS_WITH(backward(sum(squares)), Contains("mul") && Contains("changed in place"));
  const Leaf u = x * 2;
  const tt::Tensor shifted = u + 1;   // needs no values of u
  u *= x;
  u *= x * 2;                         // 4x^3
  backward(sum(shifted) + sum(u));
  CHECK(values(x.grad()) == list{2 + 12, 2 + 48, 2 + 108});
  const auto waiting = u * 2;
  tt::select<0>(u, 0) = 0;
  CHECK_THROWS_WITH(tt::eval(waiting), Contains("changed in place"));
}

TEST_CASE("write: views made without recording, expanded views, and bases that are not row-major", "[autograd]") {
  const Leaf x = of({1, 2, 3, 4});
  const Leaf y = x * 1;
  const Leaf seen = [&] {
    const tt::no_grad guard;
    return Leaf(tt::slice<0>(y, 0, 2));
  }();
  CHECK_FALSE(seen.requires_grad());
  CHECK_THROWS_WITH(seen *= 3, Contains("made without recording"));
  CHECK(values(y) == list{1, 2, 3, 4});
  CHECK_THROWS_WITH((tt::expand<2, 4>(tt::Variable<double, tt::Shape<4>>(x * 1)) += x), Contains("read-only"));
  const tt::Variable<double, tt::Shape<2, 2>> turned = tt::transpose<0, 1>(tt::ones<double, tt::Shape<2, 2>>());
  CHECK_THROWS_WITH((tt::select<0>(turned, 0) = tt::select<0>(x, 0)), Contains("row-major") && Contains("clone()"));
}

TEST_CASE("write: two threads may follow one view at once", "[autograd]") {
  const Leaf x = of({1, 2, 3, 4}), z = of({5, 6, 7, 8});
  for (int k = 0; k < 100; ++k) {
    const Leaf y = x * 2;
    const auto v = tt::slice<0>(y, 0, 3);
    tt::select<0>(y, 1) *= tt::select<0>(z, 1);
    std::thread other([&] { backward(sum(v), tt::retain_graph); });
    backward(sum(v * 3), tt::retain_graph);
    other.join();
  }
  CHECK(values(x.grad()) == list{800, 4800, 800, 0});
  CHECK(values(z.grad()) == list{0, 1600, 0, 0});
}

// After a write through any view, the gradient by what was written is that at its positions, and by what was there before
// that everywhere else; whichever view it is read through.
TEST_CASE("write: through chains of views drawn at random", "[autograd]") {
  const auto reals = [](const tt::dims& size, std::uint64_t seed) {
    return tt::reshape(AnyTensor(tests::numbers<double, Vector>({size.count()}, -3, 3, seed)), size);
  };
  int written = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    tests::Draw draw(seed + 21000);
    const tests::Chain to = tests::any_chain(draw);
    tests::Chain from{to.base, {}};
    AnyTensor shape = tests::positions(to.base);
    for (tt::index_t i = draw(0, 3); i > 0; --i) {
      from.views.push_back(tests::any_view(shape.sizes(), draw));
      shape = from.views.back()(shape);
    }
    const AnyTensor x = reals(to.base, seed);
    x.requires_grad_();
    const tt::Variable<double, Vector> doubled = tt::reshape(x, {x.numel()}).as<double, Vector, tt::cpu, 1>() * 2;
    const AnyTensor y = tt::reshape(AnyTensor(doubled), to.base);
    const AnyTensor target = to(y), reader = from(y);
    if (!(target.storage() == y.storage() && reader.storage() == y.storage()) || target.is_expanded()) continue;
    ++written;
    const AnyTensor z = reals(target.sizes(), seed + 1);
    z.requires_grad_();
    tt::detail::write_tracked(target, z);
    const AnyTensor g = reals(reader.sizes(), seed + 2);
    REQUIRE(reader.requires_grad());
    tt::detail::backward_from(reader, g, false);
    list at_base(std::size_t(x.numel())), want_z;
    const auto read = values<tt::index_t>(from(tests::positions(to.base)));
    for (std::size_t i = 0; i < read.size(); ++i) at_base[std::size_t(read[i])] += values(g)[i];
    for (tt::index_t p : values<tt::index_t>(to(tests::positions(to.base)))) {
      want_z.push_back(at_base[std::size_t(p)]);
    }
    for (tt::index_t p : values<tt::index_t>(to(tests::positions(to.base)))) at_base[std::size_t(p)] = 0;
    const auto got_x = values(x.grad()), got_z = values(z.grad());
    for (std::size_t i = 0; i < at_base.size(); ++i) REQUIRE(got_x[i] == Approx(2 * at_base[i]).margin(1e-12));
    for (std::size_t i = 0; i < want_z.size(); ++i) REQUIRE(got_z[i] == Approx(want_z[i]).margin(1e-12));
  }
  CHECK(written > 600);
}

TEST_CASE("write: a base that is not row-major is written as a whole; a view of it is refused, and left as it was",
          "[autograd]") {
  using Matrix = tt::Shape<dyn, dyn>;
  std::array<double, 6> memory{};
  const auto x = leaf<double, Matrix>({2, 3});
  const tt::Variable<double, Matrix> base(AnyTensor(tt::from_blob<Matrix>(memory.data(), {2, 3}, {1, 2})));
  base.copy_(x * 2);
  const list before = values(base);
  CHECK_THROWS_WITH(tt::select(base, 0, 1).copy_(x.detach()(0, 0)), Contains("row-major base") && Contains("[2, 3]"));
  CHECK(values(base) == before);
  backward(tt::sum(base * base));
  for (std::size_t i = 0; i < 6; ++i) CHECK(values(x.grad())[i] == Approx(8 * values(x)[i]));
}
