// Gradients of elementwise programs on the device against the CPU's: every layout, broadcast leaves, first and later
// ones.
#include "cuda/map_check.hpp"

#include <tt/cuda/map_backward.hpp>

#include <memory>

using tests::Close;
using tests::leaf;
using tests::numbers;
using tt::dyn;
using tt::index_t;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using Column = tt::Shape<dyn, 1>;

namespace {

/// A gradient's buffer, on both sides: unset where it is the first, else with numbers to add to.
struct Buffer {
  tt::AnyTensor got, want;
  std::optional<tests::OnDevice> memory;

  Buffer(const tt::AnyTensor& of, bool first)
      : got(tests::unset(of.dtype(), of.sizes(), 0)), want(tests::unset(of.dtype(), of.sizes(), 0)) {
    if (!first) {
      for (const tt::AnyTensor& t : {got, want}) {
        tt::visit(t.dtype(), [&]<class Stored>(Stored) {
          for (index_t i = 0; i < t.numel(); ++i)
            reinterpret_cast<Stored*>(t.data_ptr())[i] = tests::number<Stored>(i, -3, 3, 40);
        });
      }
    }
    memory.emplace(got);
  }
};

/// Returns the gradients of the leaves that have one.
template <class E>
std::vector<tt::AnyTensor> check_gradients(const E& e, bool first, Close how,
                                           const tt::gpu::MapGrid& grid = tests::few_threads) {
  using program = tt::prog::backward_program<E>;
  constexpr int leaves = E::leaves;
  const tt::detail::Collected<typename E::held_type> collected(e.held);
  const tt::MapKernel& kernel = tt::detail::kernel_for<E>();
  const tt::detail::Space space{tt::detail::iteration_space(collected.entry, leaves)};
  const auto incoming = numbers<tt::value_t<E>, Vector>({space.size.count()}, -3, 3, 30);
  const tests::OnDevice incoming_memory(incoming);

  tt::Strided cpu_leaf[leaves + 1], gpu_leaf[leaves + 1];
  tt::GradientSlot cpu_slot[leaves], gpu_slot[leaves];
  std::optional<tests::OnDevice> memory[leaves];
  std::optional<Buffer> gradient[leaves];
  cpu_leaf[leaves] = {incoming.data_ptr(), incoming.dtype(), true, {}};
  tt::detail::row_major(space.size, cpu_leaf[leaves].stride);
  gpu_leaf[leaves] = cpu_leaf[leaves];
  gpu_leaf[leaves].data = incoming_memory.data();
  for (int k = 0; k < leaves; ++k) {
    const tt::AnyTensor* tensor = collected.entry[k].tensor;
    tt::detail::lower_entry(cpu_leaf[k], collected.entry[k], space, kernel.compute);
    gpu_leaf[k] = cpu_leaf[k];
    cpu_slot[k] = gpu_slot[k] = {{nullptr, tt::dtype::float32, false, {}}, 0, first};
    if (!tensor) continue;
    gpu_leaf[k].data = memory[k].emplace(*tensor).data();
    if ((kernel.wants >> k & 1) == 0) continue;
    const Buffer& to = gradient[k].emplace(*tensor, first);
    tt::detail::lower_tensor(cpu_slot[k].to, to.want, space);
    cpu_slot[k].count = to.want.numel();
    gpu_slot[k] = cpu_slot[k];
    gpu_slot[k].to.data = to.memory->data();
  }
  tt::Region cpu{space.size, leaves, cpu_leaf, {}, cpu_slot}, gpu{space.size, leaves, gpu_leaf, {}, gpu_slot};
  kernel.drive_back(kernel.backward, cpu);
  std::vector<std::unique_ptr<DeviceArray<std::byte>>> workspaces;
  const auto workspace = [&](std::size_t bytes) -> void* {
    return workspaces.emplace_back(new DeviceArray(std::vector<std::byte>(bytes)))->data();
  };
  using compute = tt::element_of<E::compute>;
  tt::gpu::map_backward<program, compute>(gpu, tt::prog::root_numbers<E>, workspace, grid);
  std::vector<tt::AnyTensor> gradients;
  for (int k = 0; k < leaves; ++k) {
    if (!gradient[k]) continue;
    CAPTURE(k);
    gradient[k]->memory->copy_to(gradient[k]->got);
    tests::require_close(gradient[k]->got, gradient[k]->want, how);
    gradients.push_back(gradient[k]->got);
  }
  return gradients;
}

template <class E>
void check_both(const E& e, Close how = Close::approximate) {
  in_every_order([&] {
    if (!small_sizes_only) check_gradients(e, true, how);
    check_gradients(e, false, how);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("gradients of operands of one shape", "[cuda]", float, double, tt::half, tt::bfloat16) {
  for (const index_t n : {0, 1, 5, 130}) {
    if (small_sizes_only && n == 5) continue;
    const auto x = leaf<TestType, Vector>({n}), y = leaf<TestType, Vector>({n}, 0.5, 3, 2);
    check_both(x * y + x, Close::exact_on_host);
    check_both(x / y - 3, Close::exact_on_host);
    check_both(tt::tanh(x * y * 0.25) * 2);
    check_both(tt::maximum(x, y), Close::exact_on_host);
  }
}

TEMPLATE_TEST_CASE("gradients of rows, columns and numbers for all", "[cuda]", float, double, tt::bfloat16) {
  const auto x = leaf<TestType, Matrix>({9, 21});
  const auto row = leaf<TestType, Vector>({21}, -3, 3, 3);
  const auto column = leaf<TestType, Column>({9, 1}, -3, 3, 4);
  const auto scalar = leaf<TestType, tt::Shape<>>({}, -3, 3, 5);
  check_both(x * row);
  check_both(x * column + row);
  check_both(column * row);
  check_both(x * scalar);
  check_both(scalar * scalar);
  check_both(tt::relu(x + row) * column);
  check_both(leaf<TestType, Matrix>({300, 2}) * leaf<TestType, Column>({300, 1}));
  check_both(leaf<TestType, Matrix>({2, 300}) * leaf<TestType, Column>({2, 1}));
  check_both(leaf<TestType, Matrix>({0, 3}) * leaf<TestType, Vector>({3}));
}

TEST_CASE("sums have the same bits whatever the grid", "[cuda]") {
  in_every_order([] {
    const auto row = leaf<float, Vector>({30}, -3, 3, 2);
    const auto column = leaf<float, Column>({70, 1}, -3, 3, 3);
    const auto e = leaf<float, Matrix>({70, 30}) * row * column;
    const auto few = check_gradients(e, true, Close::approximate);
    const auto one = check_gradients(e, true, Close::approximate, {8, 1});
    REQUIRE(few.size() == 3);
    for (std::size_t k = 0; k < few.size(); ++k) CHECK(tests::same_bits(few[k], one[k]));
  });
}

TEST_CASE("gradients of broadcast leaves between other axes", "[cuda]") {
  using Four = tt::Shape<dyn, dyn, dyn, dyn>;
  const auto x = leaf<float, Four>({3, 4, 2, 5});
  check_both(x * leaf<float, Four>({1, 4, 1, 5}));
  check_both(x * leaf<float, Four>({3, 1, 2, 1}));
  check_both(leaf<float, Four>({1, 4, 2, 1}) * leaf<float, Four>({3, 1, 1, 5}));
  check_both(tt::Variable<float, Four>(tt::permute<3, 1, 2, 0>(leaf<float, Four>({5, 4, 2, 3}))) * x);
}

TEST_CASE("gradients of the branches of where, of frozen leaves and of numbers", "[cuda]") {
  const auto x = leaf<float, Vector>({40}, -3, 3), y = leaf<float, Vector>({40}, -3, 3, 2);
  const auto plain = numbers<float, Vector>({40}, -3, 3, 3);
  check_both(tt::where(x > 0, tt::sqrt(x), y * y));  // the slope of the root is NaN where it is not taken
  check_both(tt::where(plain > 0, x / 0.f, tt::exp(y)));
  check_both(x * plain + 2);
  check_both(tt::where(x > y, x, 0.5) * plain);
  check_both(tt::sqrt(tt::relu(x)) * y);
}

TEMPLATE_TEST_CASE("gradients of complex numbers", "[cuda]", float, double) {
  using Number = std::complex<TestType>;
  const auto parts = [](index_t n, std::uint64_t seed) {
    tt::Variable<Number, Vector> z = tt::Tensor<Number, Vector>(
        tt::complex(numbers<TestType, Vector>({n}, -3, 3, seed), numbers<TestType, Vector>({n}, -3, 3, seed + 50)));
    z.requires_grad_();
    return z;
  };
  const auto x = parts(20, 1), y = parts(20, 2);
  check_both(x * y + tt::conj(x));
  check_both(x / y * Number(0, 2));
  check_both(tt::exp(x) * y);
  check_both(tt::where(tt::real(x) > 0, tt::sqrt(x), y * x));
}
