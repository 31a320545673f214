// Tensors whose elements are on the device: storage, copies, expressions and their gradients, against the same on the
// CPU.
#include "cuda/tensor_check.hpp"

#include <tt/dispatch/any_map.hpp>

namespace {

using namespace tests;
using tt::dyn, tt::Shape;

}  // namespace

TEST_CASE("A tensor goes to the device and comes back") {
  in_every_order([] {
    const auto x = numbers(5, 7);
    const OnCuda<float> there = tt::to<tt::cuda>(x);
    CHECK(there.device() == tt::device::cuda);
    CHECK(there.is_contiguous());
    CHECK(tt::to<tt::cuda>(there).data() == there.data());
    const OnCpu<float> back = tt::to<tt::cpu>(there);
    CHECK(values(back) == values(x));
    CHECK(back.data() != x.data());

    // A view crosses as the elements it shows.
    CHECK(values(tt::to<tt::cpu>(tt::slice(tt::eval(tt::transpose(there)), 0, 1, 6, 2))) ==
          values(tt::contiguous(tt::slice(tt::eval(tt::transpose(x)), 0, 1, 6, 2))));
    CHECK(values(tt::to<tt::cpu>(tt::to<tt::cuda>(tt::transpose(x)))) == values(tt::contiguous(tt::transpose(x))));
    CHECK(tt::to<tt::cuda>(numbers(0, 3)).sizes() == tt::dims{0, 3});
  });
}

TEST_CASE("Tensors on the device are made of lists, filled, read and printed") {
  in_every_order([] {
    const tt::Tensor<float, Shape<dyn>, tt::cuda> x{1, 2, 3};
    CHECK(tt::to_string(x) == "tensor([1, 2, 3], float32, cuda)");
    const tt::Tensor<double, Shape<2, 2>, tt::cuda> m({{1, 2}, {3, 4}});
    CHECK(values(tt::to<tt::cpu>(m)) == std::vector<double>{1, 2, 3, 4});
    x.fill_(2.5);
    CHECK(values(tt::to<tt::cpu>(x)) == std::vector<double>{2.5, 2.5, 2.5});
    x.zero_();
    require_near(tt::zeros_like(x), tt::eval(tt::zeros<float, Shape<dyn>>({3})));
    require_near(tt::full_like<std::int64_t>(x, 7), tt::eval(tt::full<std::int64_t, Shape<dyn>>({3}, 7)));
    require_near(tt::new_full<Shape<2, 0>>(x, 1.5), tt::eval(tt::zeros<float, Shape<2, 0>>()));
    CHECK(tt::empty_like(x).device() == tt::device::cuda);
  });
}

TEST_CASE("Expressions on the device are what they are on the CPU") {
  in_every_order([] {
    const auto a = numbers(6, 9), b = tt::eval(numbers(6, 9) + 1.5f);
    const auto row = tt::eval(tt::select(a, 0, 2));
    const auto x = tt::to<tt::cuda>(a), y = tt::to<tt::cuda>(b);
    const auto bias = tt::to<tt::cuda>(row);
    require_near(tt::eval(x * y + 2.f), tt::eval(a * b + 2.f));
    require_near(tt::eval(tt::tanh(x + bias) - y), tt::eval(tt::tanh(a + row) - b));
    require_near(tt::eval(tt::where(x > y, x, tt::exp(y))), tt::eval(tt::where(a > b, a, tt::exp(b))));
    require_near(tt::eval(tt::transpose(x) * 2.f), tt::eval(tt::transpose(a) * 2.f));
    require_near(tt::to<tt::half>(x), tt::to<tt::half>(a));
    require_near(tt::to<std::int64_t>(x), tt::to<std::int64_t>(a));
    require_near(tt::clone(tt::slice(x, 1, 0, 9, 2)), tt::clone(tt::slice(a, 1, 0, 9, 2)));
    require_near(tt::contiguous(tt::eval(tt::transpose(x))), tt::contiguous(tt::eval(tt::transpose(a))));
    x += y;
    require_near(x, tt::eval(a + b));
    tt::slice(x, 0, 1, 3) *= 2.f;
    require_near(x, tt::eval(tt::cat<0>(tt::slice(a + b, 0, 0, 1), tt::slice(a + b, 0, 1, 3) * 2.f, tt::slice(a + b, 0, 3, 6))));
  });
}

TEST_CASE("Gradients on the device are what they are on the CPU") {
  in_every_order([] {
    const auto check = [](auto f) {
      tt::Variable<float, Shape<dyn, dyn>> a(numbers(5, 8));
      tt::Variable<float, Shape<dyn>> b(tt::eval(tt::select(numbers(3, 8), 0, 1) + 0.3f));
      a.requires_grad_(), b.requires_grad_();
      tt::Variable<float, Shape<dyn, dyn>, tt::cuda> x(tt::to<tt::cuda>(a.detach()));
      tt::Variable<float, Shape<dyn>, tt::cuda> y(tt::to<tt::cuda>(b.detach()));
      x.requires_grad_(), y.requires_grad_();
      const auto seed = tt::eval(numbers(5, 8) * 0.5f + 1.f);
      tt::backward(f(a, b), seed);
      tt::backward(f(x, y), tt::to<tt::cuda>(seed));
      require_near(x.grad(), a.grad());
      require_near(y.grad(), b.grad());
      tt::backward(f(x, y), tt::to<tt::cuda>(seed));  // gathers
      tt::backward(f(a, b), seed);
      require_near(x.grad(), a.grad());
    };
    check([](auto x, auto y) { return tt::eval(x * y); });
    check([](auto x, auto y) { return tt::eval(tt::sigmoid(x + y) * x); });
    check([](auto x, auto y) { return tt::eval(tt::exp(tt::eval(tt::tanh(x) * 0.5f)) + y * 3.f); });
    check([](auto x, auto y) { return tt::eval(tt::relu(x) + tt::eval(tt::relu(y))); });
  });
}

TEST_CASE("What only the host can do is refused for tensors on the device") {
  const auto x = numbers(2, 3);
  const auto there = tt::to<tt::cuda>(x);
  const tt::AnyTensor any = there;
  REQUIRE_THROWS_WITH(any.data_ptr(), Catch::Contains("the tensor's are on cuda: copy it with to<tt::cpu>(x)"));
  REQUIRE_THROWS_AS(any.data_ptr(), tt::not_implemented);
  REQUIRE_THROWS_WITH(tt::any_map<tt::ops::add>(any, x), Catch::Contains("tt::add: the operands are on cuda and on cpu"));
  REQUIRE_THROWS_WITH(tt::any_map<tt::ops::exp>(any), Catch::Contains("tt::exp: the operands are on cuda, and this call runs on cpu only"));
  REQUIRE_THROWS_WITH((any.as<float, Shape<dyn, dyn>>()), Catch::Contains("the elements are on cuda, the type asks for cpu"));
  tt::Variable<float, Shape<dyn, dyn>, tt::cuda> leaf(tt::clone(there));
  leaf.requires_grad_();
  REQUIRE_THROWS_WITH(leaf.set_grad(x), Catch::Contains("the gradient must lie where the tensor lies"));
  REQUIRE_THROWS_WITH(tt::backward(leaf * 2.f, tt::to<tt::cuda>(numbers(3, 2))), Catch::Contains("the tensor [2, 3]"));
}

TEST_CASE("Copies between host and device, of other dtypes, broadcast and of one element") {
  in_every_order([] {
    const auto x = numbers(3, 4);
    const OnCuda<float> to(tt::dims{3, 4});
    to.copy_(tt::to<tt::cuda>(tt::select(x, 0, 1)));  // broadcast
    require_near(to, tt::eval(x * 0.f + tt::select(x, 0, 1)));
    tt::AnyTensor(to).copy_(tt::to<double>(x));  // from the host, of another dtype
    require_near(to, x);
    const OnCpu<float> back(tt::dims{3, 4});
    tt::AnyTensor(back).copy_(tt::slice(tt::to<tt::cuda>(tt::to<double>(x)), 0, 0, 3));
    CHECK(values(back) == values(x));
    CHECK(tt::select(tt::select(tt::to<tt::cuda>(x), 0, 2), 0, 3).item() == float(values(x)[11]));
    CHECK(tt::AnyTensor(tt::select(tt::select(tt::to<tt::cuda>(x), 0, 2), 0, 3)).item<double>() == values(x)[11]);
  });
}

TEST_CASE("Gradients go from device to device") {
  in_every_order([] {
    tt::Variable<float, Shape<dyn, dyn>> x(numbers(2, 3));
    x.requires_grad_();
    const auto there = tt::eval(tt::exp(tt::to<tt::cuda>(x)) * 2.f);
    tt::backward(tt::sum(tt::to<tt::cpu>(there)));
    const OnCpu<float> want = tt::exp(x.detach()) * 2.f;
    for (std::size_t i = 0; i < 6; ++i) CHECK(values(x.grad())[i] == Approx(values(want)[i]));
  });
}

TEST_CASE("Gradients of views on the device") {
  in_every_order([] {
    const auto check = [](auto f) {
      tt::Variable<float, Shape<dyn, dyn>> a(numbers(4, 6));
      tt::Variable<float, Shape<dyn, dyn>, tt::cuda> x(tt::to<tt::cuda>(a.detach()));
      a.requires_grad_(), x.requires_grad_();
      const auto want = tt::eval(f(a));
      const auto there = tt::eval(f(x));
      require_near(there, want);
      tt::backward(want, tt::eval(want.detach() * 0.25f));
      tt::backward(there, tt::to<tt::cuda>(tt::eval(want.detach() * 0.25f)));
      require_near(x.grad(), a.grad());
    };
    check([](auto x) { return tt::eval(tt::transpose(x)) * 3.f; });
    check([](auto x) { return tt::slice(x, 1, 1, 6, 2) * tt::slice(x, 1, 0, 5, 2); });
    check([](auto x) { return tt::reshape<8, 3>(x) + 1.f; });
    check([](auto x) { return tt::select(x, 0, 1) * tt::select(x, 0, 2); });
    check([](auto x) { return tt::cat<0>(x, x * 2.f, tt::slice(x, 0, 1, 3)); });
    check([](auto x) { return tt::flip<0>(x) * 2.f; });
    check([](auto x) { return tt::expand<3, 4, 6>(x) * 2.f; });
    check([](auto x) { return tt::repeat<2, 3>(x) * 2.f; });
    check([](auto x) {
      const auto y = tt::eval(x * 2.f);
      tt::slice(y, 0, 1, 3) *= 3.f;  // written on the tape
      return y * x;
    });
  });
}
