// Calls whose dtypes are known at run time only find CUDA's kernels where a file gave them to the program.
#include "cuda/tensor_check.hpp"

#include <tt/cuda/by_name.hpp>

namespace {

using namespace tests;

const bool there = [] {
  tt::gpu::add_by_name(tt::op_list<tt::ops::add, tt::ops::where, tt::ops::exp>{});
  tt::gpu::add_reductions_by_name(tt::op_list<tt::ops::sum, tt::ops::amax>{});
  tt::gpu::add_positions_by_name(tt::op_list<tt::ops::argmax>{});
  tt::gpu::add_casts_by_name();
  tt::gpu::add_products_by_name();
  return true;
}();

}  // namespace

TEST_CASE("Calls by name run where their tensors lie") {
  REQUIRE(there);
  in_every_order([] {
    const tt::AnyTensor a = numbers(3, 4), b = tt::eval(tt::to<std::int32_t>(numbers(3, 4) * 4.f));
    const tt::AnyTensor x = tt::to<tt::cuda>(a), y = tt::to<tt::cuda>(b);
    require_near(tt::any_map<tt::ops::add>(x, y), tt::any_map<tt::ops::add>(a, b));
    require_near(tt::any_map<tt::ops::add>(y, 2), tt::any_map<tt::ops::add>(b, 2));
    require_near(tt::any_map<tt::ops::exp>(x), tt::any_map<tt::ops::exp>(a));
    for (const tt::dtype to : {tt::dtype::float16, tt::dtype::int8, tt::dtype::boolean, tt::dtype::complex64})
      require_near(tt::any_cast(x, to), tt::any_cast(a, to));
    require_near(tt::any_reduce<tt::ops::sum>(x, 0b10, true), tt::any_reduce<tt::ops::sum>(a, 0b10, true));
    require_near(tt::any_reduce<tt::ops::amax>(y, 0b11, false), tt::any_reduce<tt::ops::amax>(b, 0b11, false));
    require_near(tt::any_arg<tt::ops::argmax>(x, 0b01, false), tt::any_arg<tt::ops::argmax>(a, 0b01, false));
    require_near(tt::any_matmul(x, x, true), tt::any_matmul(a, a, true));
  });
}

TEST_CASE("What nobody gave to the program is not there by name") {
  const tt::AnyTensor x = tt::to<tt::cuda>(numbers(2, 2));
  REQUIRE_THROWS_WITH(tt::any_map<tt::ops::tanh>(x), Catch::Contains("tt::tanh: the operands are on cuda, and this call runs on cpu only"));
  const tt::AnyTensor integers = tt::any_cast(x, tt::dtype::int64);
  REQUIRE_THROWS_AS(tt::any_matmul(integers, integers), tt::not_implemented);
}
