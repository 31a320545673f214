// visit: from dtype and rank at run time to typed tensors.
#include <tt/tensor.hpp>

#include "../catch.hpp"

using Catch::Matchers::Contains;

TEST_CASE("visit gives the tensor its types", "[core]") {
  for (int t = 0; t < tt::dtype_count; ++t) {
    const auto type = tt::dtype(t);
    const tt::AnyTensor x = tt::ones(type, {2, 3});
    const tt::dtype seen = tt::visit<2>(x, []<class X>(const X&) {
      static_assert(tt::rank_of<X> == 2 && tt::order_of<X> == 0);
      return tt::dtype_of<tt::value_t<X>>;
    });
    REQUIRE(seen == type);
  }
}

TEST_CASE("visit writes into the tensor itself, and keeps off the tape", "[core]") {
  tt::Variable<double, tt::Shape<2>> x{1, 2};
  x.requires_grad_();
  tt::visit<1, 2>(x, [](const auto& v) {
    CHECK(!v.requires_grad());
    v.data()[1] = std::remove_reference_t<decltype(*v.data())>(7);
  });
  CHECK(x(1) == 7);
}

TEST_CASE("visit of any rank, and of one that is not named", "[core]") {
  for (int rank = 0; rank <= tt::max_rank; ++rank) {
    tt::dims size;
    for (int i = 0; i < rank; ++i) size.push_back(1);
    const tt::AnyTensor x = tt::zeros(tt::dtype::int32, size);
    CHECK(tt::visit(x, []<class X>(const X&) { return tt::rank_of<X>; }) == rank);
  }
  const tt::AnyTensor cube = tt::zeros(tt::dtype::float32, {2, 3, 4});
  CHECK_THROWS_WITH((tt::visit<1, 2>(cube, [](const auto&) {})), Contains("no function for 3 axes") && Contains("[2, 3, 4]"));
  CHECK_THROWS_WITH((tt::visit<1>(tt::AnyTensor(), [](const auto&) {})), Contains("never given elements"));
}
