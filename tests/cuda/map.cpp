// Elementwise programs on the device, over every layout: packets, tails, misaligned and strided operands, broadcasting.
#include "cuda/map_check.hpp"

using tests::check;
using tests::Close;
using tests::numbers;
using tt::dyn;
using tt::index_t;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;

namespace {

std::vector<index_t> sizes() {
  if (small_sizes_only) return {0, 1, 3, 8, 33, 390};
  return {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128, 129, 383, 384, 385, 1031};
}

/// x + 3 y - 2, a program of two tensors and two numbers.
template <class X, class Y>
auto formula(const X& x, const Y& y) {
  return x + y * 3 - 2;
}

}  // namespace

TEMPLATE_TEST_CASE("contiguous operands of every size", "[cuda]", float, double, std::int64_t, std::int32_t,
                   std::int16_t, std::uint8_t, tt::half, tt::bfloat16) {
  for (const index_t n : sizes()) {
    const auto x = numbers<TestType, Vector>({n}), y = numbers<TestType, Vector>({n}, -3, 3, 2);
    check(x + y);
    check(formula(x, y));
    check(x < y);
  }
}

TEMPLATE_TEST_CASE("operands that begin between two packets", "[cuda]", float, double, std::int32_t, tt::half) {
  const index_t n = 75;
  const auto x = numbers<TestType, Vector>({n + 8}), y = numbers<TestType, Vector>({n + 8}, -3, 3, 2);
  for (const index_t x_at : {0, 1, 2, 4}) {
    for (const index_t y_at : {0, 1, 2, 4}) {
      const tt::Tensor a = tt::slice<0>(x, x_at, x_at + n), b = tt::slice<0>(y, y_at, y_at + n);
      for (const index_t out_at : {0, 1, 2, 4}) {
        if (small_sizes_only && x_at + y_at + out_at > 3) continue;
        check(a + b, Close::exact_on_host, out_at);
        check(a < b, Close::exact_on_host, out_at);
      }
    }
  }
}

TEMPLATE_TEST_CASE("transposed, stepped and broadcast operands", "[cuda]", float, std::int64_t, tt::bfloat16) {
  const auto x = numbers<TestType, Matrix>({9, 21}), turned = numbers<TestType, Matrix>({21, 9}, -3, 3, 2);
  const auto row = numbers<TestType, Vector>({21}, -3, 3, 3);
  const auto column = numbers<TestType, tt::Shape<dyn, 1>>({9, 1}, -3, 3, 4);
  const auto scalar = numbers<TestType, tt::Shape<>>({}, -3, 3, 5);
  const auto wide = numbers<TestType, Matrix>({18, 63}, -3, 3, 6);
  const tt::Tensor stepped = tt::slice<1>(tt::slice<0>(wide, 1, 18, 2), 1, 63, 3);
  check(formula(x, tt::Tensor(tt::transpose(turned))));
  check(formula(x, stepped));
  check(formula(x, row));
  check(formula(x, column));
  check(formula(column, row));
  check(formula(x, scalar));
  check(formula(scalar, x));
  check(formula(scalar, scalar));
  check(formula(tt::Tensor(tt::transpose(turned)), tt::Tensor(tt::transpose(turned))));
  check(stepped < row);
  check(formula(tt::Tensor(tests::scattered(x)), stepped));
}

TEST_CASE("operands of up to sixteen axes", "[cuda]") {
  using Eight = tt::Shape<dyn, dyn, dyn, dyn, dyn, dyn, dyn, dyn>;
  const auto x = numbers<float, Eight>({2, 3, 1, 2, 3, 2, 2, 3});
  const auto y = numbers<float, Eight>({2, 1, 4, 2, 1, 2, 1, 3}, -3, 3, 2);
  check(formula(tt::Tensor(tests::scattered(x)), y));
  check(formula(x, tt::Tensor(tt::permute<7, 5, 3, 1, 0, 2, 4, 6>(numbers<float, Eight>({3, 2, 2, 1, 2, 3, 3, 2})))));
  using Sixteen = tt::Shape<2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1>;
  using Others = tt::Shape<1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2>;
  check(formula(numbers<double, Sixteen>(Sixteen::value), numbers<double, Others>(Others::value, -3, 3, 2)));
}

TEST_CASE("nothing is launched for no elements", "[cuda]") {
  check(formula(numbers<float, Matrix>({0, 5}), numbers<float, Vector>({5})));
  check(formula(numbers<float, Matrix>({5, 0}), numbers<float, tt::Shape<dyn, 1>>({5, 1})));
  tt::Strided leaf{nullptr, tt::dtype::float32, false, {1}};
  tt::Region region{{0}, 1, &leaf, leaf, nullptr};
  tt::gpu::map<tt::prog::copy, float>(region, 0);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("a result that is one of the leaves, or has gaps", "[cuda]") {
  in_every_order([] {
    const auto x = numbers<float, Vector>({131});
    const tests::OnDevice memory(x);
    const tt::Strided all{memory.data(), tt::dtype::float32, false, {1}};
    tt::Strided leaf[2] = {all, all};
    tt::Region region{{131}, 2, leaf, all, nullptr};
    using twice = tt::prog::op<tt::ops::add, tt::prog::copy, tt::prog::copy>;
    tt::gpu::map<twice, float>(region, 0, tests::few_threads);
    const tt::Tensor want = x + x, got = tt::clone(x);
    memory.copy_to(got);
    tests::require_close(got, want, Close::exact_on_host);

    const auto a = numbers<float, Matrix>({5, 7}), b = numbers<float, Matrix>({5, 7}, -3, 3, 2);
    using E = decltype(a + b);
    const E e = a + b;
    const tt::detail::Collected<E::held_type> collected(e.held);
    const tt::Tensor out = tests::scattered(numbers<float, Matrix>({5, 7})), want_out = tests::scattered(out);
    const tt::MapKernel& kernel = tt::detail::kernel_for<E>();
    tests::check_map<twice, float>(kernel, collected.entry, 0, out, want_out, Close::exact_on_host);
  });
}

TEST_CASE("indices and offsets of 64 bits", "[cuda]") {
  in_every_order([] {
    // What needs them is too large for a test, so the kernel is chosen by hand.
    const DeviceArray<float> x({1, 2, 3, 4}), y({0, 0, 0, 0});
    tt::Strided leaf{reinterpret_cast<std::byte*>(x.data()), tt::dtype::float32, false, {1, 2}};
    tt::Strided out{reinterpret_cast<std::byte*>(y.data()), tt::dtype::float32, false, {2, 1}};
    tt::Region region{{2, 2}, 1, &leaf, out, nullptr};
    tt::gpu::detail::map_by_elements<tt::prog::copy, float, std::uint64_t>(region, 0, tests::few_threads);
    CHECK(y.host() == std::vector<float>{1, 3, 2, 4});
  });
}

TEST_CASE("a launch that CUDA refuses throws", "[cuda]") {
  const DeviceArray<float> x({1, 2, 3, 4});
  tt::Strided leaf{reinterpret_cast<std::byte*>(x.data()), tt::dtype::float32, false, {1}};
  tt::Region region{{4}, 1, &leaf, leaf, nullptr};
  CHECK_THROWS_WITH((tt::gpu::map<tt::prog::copy, float>(region, 0, {4096, 1})), Contains("cudaErrorInvalid"));
}
