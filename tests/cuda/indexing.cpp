// Indexing by tensors on the device, as users call it, against the same on the CPU.
#include "cuda/tensor_check.hpp"

#include <tt/cuda/indexing.hpp>

namespace {

using namespace tests;
using tt::dyn, tt::Shape;
using Positions = tt::Tensor<std::int64_t, Shape<dyn>>;

}  // namespace

TEST_CASE("gather and index_select on the device, and their gradients") {
  in_every_order([] {
    const auto check = [](auto f, const auto& index) {
      tt::Variable<float, Shape<dyn, dyn>> a(numbers(4, 5));
      tt::Variable<float, Shape<dyn, dyn>, tt::cuda> x(tt::to<tt::cuda>(a.detach()));
      a.requires_grad_(), x.requires_grad_();
      const auto want = tt::eval(f(a, index));
      const auto seed = tt::eval(want.detach() * 0.25f + 1.f);
      const auto got = tt::eval(f(x, tt::to<tt::cuda>(index)));
      require_near(got, want);
      tt::backward(want, seed);
      tt::backward(got, tt::to<tt::cuda>(seed));
      require_near(x.grad(), a.grad());
    };
    const Positions rows{3, 0, 0, 2, 3, 3}, none(tt::dims{0});
    const tt::Tensor<std::int64_t, Shape<dyn, dyn>> places({{4, 0, 1}, {2, 2, 2}});
    check([](const auto& x, const auto& index) { return tt::index_select<0>(x * 2.f, index); }, rows);
    check([](const auto& x, const auto& index) { return tt::index_select<1>(tt::eval(tt::transpose(x)), index); }, rows);
    check([](const auto& x, const auto& index) { return tt::index_select<0>(x, index); }, none);
    check([](const auto& x, const auto& index) { return tt::gather<1>(x, index); }, places);
    check([](const auto& x, const auto& index) { return tt::gather<1>(x, tt::eval(tt::flip<1>(index))); }, places);
  });
}

TEST_CASE("An index out of range on the device is reported when it is asked for") {
  in_every_order([] {
    const auto x = tt::to<tt::cuda>(numbers(3, 2));
    const auto taken = tt::index_select<0>(x, tt::to<tt::cuda>(Positions{1, 7}));
    REQUIRE_THROWS_WITH(tt::gpu::check_index_errors(tt::gpu::current_stream()),
                        Catch::Contains("index 7 at position") && Catch::Contains("outside an axis of 3"));
    const std::vector<double> got = values(tt::to<tt::cpu>(taken));
    CHECK(std::vector<double>(got.begin() + 2, got.end()) == std::vector<double>{0, 0});
    tt::gpu::check_index_errors(tt::gpu::current_stream());  // once
    REQUIRE_THROWS_WITH(tt::index_select<0>(x, Positions{1}), Catch::Contains("the operands are on cuda and on cpu"));
  });
}
