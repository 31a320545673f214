// What a network needs, on the device: sums, products, losses, layers and optimisers, against the same on the CPU.
#include "cuda/tensor_check.hpp"
#include "files.hpp"

#include <tt/autograd.hpp>
#include <tt/io.hpp>
#include <tt/nn.hpp>
#include <tt/optim/cuda.hpp>

namespace {

using namespace tests;
using tt::dyn, tt::Shape;
using Matrix = tt::Variable<float, Shape<dyn, dyn>>;
using MatrixThere = tt::Variable<float, Shape<dyn, dyn>, tt::cuda>;

/// A leaf on the CPU, and one of the same elements on the device.
struct Twins {
  Matrix here;
  MatrixThere there;

  explicit Twins(const OnCpu<float>& x) : here(tt::clone(x)), there(tt::to<tt::cuda>(x)) {
    here.requires_grad_();
    there.requires_grad_();
  }
};
/// f of both, whose results and gradients must agree.
template <class F>
void check_both(const Twins& a, const Twins& b, F f) {
  a.here.set_grad({}), b.here.set_grad({}), a.there.set_grad({}), b.there.set_grad({});
  const auto want = tt::eval(f(a.here, b.here));
  const auto got = tt::eval(f(a.there, b.there));
  require_near(got, want);
  const auto seed = tt::eval(want.detach() * 0.f + 0.5f);
  tt::backward(want, seed);
  tt::backward(got, tt::to<tt::cuda>(seed));
  if (a.here.grad().defined()) require_near(a.there.grad(), a.here.grad());
  if (b.here.grad().defined()) require_near(b.there.grad(), b.here.grad());
}

struct Net : tt::nn::Module<Net> {
  tt::nn::Linear<6, 5> first;
  tt::nn::Linear<5, 3> second;
  TT_MODULE(first, second)
  auto forward(const auto& x) { return second(relu(first(x))); }
};

/// A backward of one's own, of two outputs.
template <class Plain>
struct Mix : tt::Function<Mix<Plain>> {
  static constexpr const char* name = "mix";
  static auto forward(tt::FunctionContext& context, const Plain& a, const Plain& b) {
    context.save_for_backward(a, b);
    return std::tuple(a * b, a + b * 2.f);
  }
  static auto backward(tt::FunctionContext& context, const Plain& product, const Plain& sum) {
    const auto a = context.template saved<Plain>(0), b = context.template saved<Plain>(1);
    return std::tuple(product * b + sum, product * a + sum * 2.f);
  }
};

}  // namespace

TEST_CASE("Sums and means on the device, and their gradients") {
  in_every_order([] {
    const Twins a(numbers(5, 7)), b(tt::eval(numbers(5, 7) + 0.5f));
    check_both(a, b, [](auto x, auto y) { return tt::sum<1>(x * y); });
    check_both(a, b, [](auto x, auto y) { return tt::mean<0>(tt::tanh(x) + y); });
    check_both(a, b, [](auto x, auto) { return tt::sum(x); });
    check_both(a, b, [](auto x, auto y) { return tt::eval(tt::sum<0>(x, tt::keepdim) - y); });
    check_both(a, b, [](auto x, auto y) { return tt::amax<1>(x * y); });
    check_both(a, b, [](auto x, auto) { return tt::amin<0>(x); });
    require_near(tt::eval(tt::argmax<1>(a.there.detach())), tt::eval(tt::argmax<1>(a.here.detach())));
    require_near(tt::eval(tt::argmin(a.there.detach())), tt::eval(tt::argmin(a.here.detach())));
    require_near(tt::eval(tt::all(a.there.detach() < 100.f)), tt::eval(tt::all(a.here.detach() < 100.f)));
  });
}

TEST_CASE("Products on the device, and their gradients") {
  in_every_order([] {
    const Twins a(numbers(5, 7)), b(numbers(7, 4)), c(numbers(4, 7));
    check_both(a, b, [](auto x, auto y) { return tt::matmul(x, y); });
    check_both(a, c, [](auto x, auto y) { return tt::matmul(x, tt::transpose(y)); });
    check_both(a, b, [](auto x, auto y) { return tt::sigmoid(tt::matmul(x, y)); });
    check_both(a, a, [](auto x, auto y) { return tt::matmul(tt::transpose(x), y); });
    check_both(a, b, [](auto x, auto y) { return tt::relu(tt::matmul(x, y) + tt::select(y, 0, 1)); });
    check_both(a, b, [](auto x, auto y) {  // one bias of two products
      const auto bias = tt::eval(tt::select(y, 0, 1));
      return tt::eval(tt::matmul(x, y) + bias) * tt::eval(tt::matmul(x * 2.f, y) + bias);
    });
    const auto stack = tt::eval(tt::reshape<2, 3, 4>(numbers(2, 12)));
    const auto other = tt::eval(tt::reshape<2, 4, 2>(numbers(2, 8)));
    require_near(tt::eval(tt::matmul(tt::to<tt::cuda>(stack), tt::to<tt::cuda>(other))), tt::eval(tt::matmul(stack, other)));
  });
}

TEST_CASE("Cross-entropy on the device, and its gradient") {
  in_every_order([] {
    const Twins a(numbers(6, 4));
    const tt::Tensor<std::int64_t, Shape<dyn>> labels{0, 3, -100, 1, 2, 2};
    const auto labels_there = tt::to<tt::cuda>(labels);
    const auto check = [&]<tt::reduction How>(std::integral_constant<tt::reduction, How>) {
      a.here.set_grad({}), a.there.set_grad({});
      const auto want = tt::cross_entropy<How>(a.here * 2.f, labels);
      const auto got = tt::cross_entropy<How>(a.there * 2.f, labels_there);
      require_near(got, want);
      tt::backward(tt::sum(want));
      tt::backward(tt::sum(got));
      require_near(a.there.grad(), a.here.grad());
    };
    check(std::integral_constant<tt::reduction, tt::reduction::mean>());
    check(std::integral_constant<tt::reduction, tt::reduction::sum>());
    check(std::integral_constant<tt::reduction, tt::reduction::none>());
  });
}

TEST_CASE("softmax and its like on the device, and their gradients") {
  in_every_order([] {
    const Twins a(numbers(4, 6));
    check_both(a, a, [](auto x, auto) { return tt::softmax<1>(x); });
    check_both(a, a, [](auto x, auto) { return tt::log_softmax<1>(x) * 2.f; });
    check_both(a, a, [](auto x, auto) { return tt::logsumexp<0>(x); });
  });
}

TEST_CASE("A function of one's own has its outputs' gradients on the device") {
  in_every_order([] {
    const Twins a(numbers(3, 4)), b(tt::eval(numbers(3, 4) + 0.5f));
    check_both(a, b, [](auto x, auto y) {
      using Plain = tt::Tensor<float, Shape<dyn, dyn>, tt::device_t<decltype(x)>>;
      const auto [product, sum] = Mix<Plain>::apply(x, y);
      return product * sum;
    });
  });
}

TEST_CASE("A network on the device is saved as one on the host is") {
  Net here, there;
  there.load_state_dict(here.state_dict());
  there.to<tt::cuda>();
  const files::temporary_folder folder;
  const std::string path = folder / "net.safetensors";
  tt::save(there.state_dict(), path);
  const auto loaded = tt::load(path);
  const auto want = here.state_dict();
  REQUIRE(loaded.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(same_bits(loaded[i].second, want[i].second));
}

TEST_CASE("A network moves to the device and is trained there") {
  const auto check = [](auto make) {
    tt::manual_seed(3);
    Net here, there;
    there.load_state_dict(here.state_dict());
    auto optimizer = make(here), optimizer_there = make(there);
    there.to<tt::cuda>();
    const auto x = numbers(4, 6);
    const tt::Tensor<std::int64_t, Shape<dyn>> labels{0, 2, 1, 1};
    const auto x_there = tt::to<tt::cuda>(x);
    const auto labels_there = tt::to<tt::cuda>(labels);
    for (int step = 0; step < (small_sizes_only ? 2 : 4); ++step) {
      const tt::Tensor loss = tt::cross_entropy(here(x), labels);
      const tt::Tensor loss_there = tt::cross_entropy(there(x_there), labels_there);
      REQUIRE(loss_there.item() == Approx(loss.item()).epsilon(1e-5));
      optimizer.zero_grad();
      optimizer_there.zero_grad();
      tt::backward(loss);
      tt::backward(loss_there);
      optimizer.step();
      optimizer_there.step();
      if (step == 1 && !small_sizes_only) {  // and its optimiser with it
        there.to<tt::cpu>();
        there.to<tt::cuda>();
      }
    }
    const auto want = here.state_dict(), got = there.state_dict();
    for (std::size_t i = 0; i < want.size(); ++i) {
      CHECK(got[i].second.device() == tt::device::cuda);
      require_near(got[i].second, want[i].second);
    }
    Net back;
    back.load_state_dict(there.state_dict());  // from the device
    CHECK(values(back.state_dict()[0].second) == values(there.state_dict()[0].second.on_host()));
  };
  in_every_order([&] {
    check([](Net& net) { return tt::optim::SGD(net, {.lr = 0.1}); });
    if (small_sizes_only) return;
    check([](Net& net) { return tt::optim::SGD(net, {.lr = 0.1, .momentum = 0.9, .dampening = 0.1, .weight_decay = 1e-2}); });
    check([](Net& net) { return tt::optim::Adam(net, {.lr = 0.01}); });
  });
}
