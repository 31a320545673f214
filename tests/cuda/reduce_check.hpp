// A reduction on the device against the same on the CPU.
#pragma once
#include <tt/ops.hpp>  // a door first, which silences nvcc about formulas on the host

#include <tt/cuda/reduce.hpp>

#include "cuda/map_check.hpp"

#include <memory>

namespace tests {

using tt::detail::AxisSet;

/// Device memory for as long as this lives; counts how often it was asked for.
struct Workspaces {
  std::vector<std::unique_ptr<DeviceArray<std::byte>>> given;
  void* operator()(std::size_t bytes) {
    return given.emplace_back(new DeviceArray(std::vector<std::byte>(bytes, std::byte{0xab})))->data();
  }
};

inline constexpr tt::gpu::MapGrid few_blocks{tt::gpu::reduce_threads, 2};

template <class Op, class Program, class Compute>
tt::AnyTensor reduce_on_device(const tt::detail::Entry* entry, unsigned numbers, AxisSet axes, tt::dtype result,
                               const tt::gpu::MapGrid& grid = few_blocks) {
  constexpr int leaves = Program::leaves;
  tt::Strided leaf[leaves];
  std::optional<OnDevice> memory[leaves];
  tt::Region region{tt::detail::iteration_space(entry, leaves), leaves, leaf, {}, nullptr};
  const tt::dims space = region.size;
  for (int k = 0; k < leaves; ++k) {
    tt::detail::lower_entry(leaf[k], entry[k], {space}, tt::dtype_of<Compute>);
    if (entry[k].tensor) leaf[k].data = memory[k].emplace(*entry[k].tensor).data();
    REQUIRE((entry[k].tensor == nullptr) == (numbers >> k & 1));
  }
  const tt::AnyTensor out = unset(result, tt::detail::reduced(space, axes, false), 0);
  const OnDevice written(out);
  region.out.data = written.data();
  region.out.type = result;
  const tt::index_t count = tt::detail::reduced_strides(region.out.stride, space, axes);
  Workspaces workspace;
  tt::gpu::reduce<Op, Program, Compute>(region, numbers, count, double(tt::detail::reduced_count(space, axes)),
                                        workspace, grid);
  REQUIRE(workspace.given.size() <= 1);
  written.copy_to(out);
  return out;
}

/// Op over axes of a tensor of any layout, on the device.
template <class Op, class Stored, class ShapeType>
tt::AnyTensor reduced_on_device(const tt::Tensor<Stored, ShapeType>& x, AxisSet axes,
                                const tt::gpu::MapGrid& grid = few_blocks) {
  const tt::detail::Entry entry{&x, x.version(), {}};
  return reduce_on_device<Op, tt::prog::copy, tt::compute_t<Stored>>(&entry, 0, axes, Op::result(tt::dtype_of<Stored>),
                                                                    grid);
}

template <class Op, class Stored, class ShapeType>
tt::AnyTensor reduced_on_host(const tt::Tensor<Stored, ShapeType>& x, AxisSet axes) {
  constexpr tt::dtype compute = tt::compute_dtype(tt::dtype_of<Stored>);
  const tt::detail::Entry entry{&x, x.version(), {}};
  return tt::detail::run_reduce(tt::detail::bare_kernel<tt::cpu, compute, false>(),
                                tt::backend<tt::cpu>::reduce<Op, compute>(), &entry, 1, axes, false,
                                Op::result(tt::dtype_of<Stored>), false, nullptr);
}

/// How far a sum may be from the exact one, in units of the sum of magnitudes: three roundings join eight elements.
template <class Stored>
inline constexpr double sum_error = sizeof(Stored) == 8 ? 1e-15 : 2e-7;

/// Sums, or means, against those that the CPU gives in double; rounding to 16 bits comes on top.
template <class Op, class Stored, class ShapeType>
void require_sums(const tt::AnyTensor& got, const tt::Tensor<Stored, ShapeType>& x, AxisSet axes) {
  const tt::Tensor exact = tt::to<double>(x), size = tt::abs(exact);
  const auto sums = values(got), want = values(reduced_on_host<Op>(exact, axes)),
             limit = values(reduced_on_host<Op>(size, axes));
  constexpr double rounding = sizeof(Stored) == 8 ? 1e-15 : sizeof(Stored) == 4 ? 1e-7
                              : std::is_same_v<Stored, tt::half> ? 5e-4 : 4e-3;
  REQUIRE(sums.size() == want.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::isnan(want[i]) ? std::isnan(sums[i]) : sums[i] == want[i]) continue;
    CAPTURE(i, sums[i], want[i]);
    REQUIRE(std::abs(sums[i] - want[i]) <= sum_error<Stored> * limit[i] + rounding * std::abs(want[i]));
  }
}

/// Equal numbers, or both none; the sign of 0 is not looked at.
inline void require_equal(const tt::AnyTensor& got, const tt::AnyTensor& want) {
  REQUIRE(got.dtype() == want.dtype());
  REQUIRE(got.sizes() == want.sizes());
  tt::visit(got.dtype(), [&]<class Stored>(Stored) {
    const auto* a = reinterpret_cast<const Stored*>(got.data_ptr());
    const auto* b = reinterpret_cast<const Stored*>(want.data_ptr());
    for (tt::index_t i = 0; i < got.numel(); ++i) {
      if (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])) continue;
      CAPTURE(i, values(got)[std::size_t(i)], values(want)[std::size_t(i)]);
      REQUIRE(a[i] == b[i]);
    }
  });
}

/// Op over axes, on the device against the CPU. Returns what the device gave.
template <class Op, class Stored, class ShapeType>
tt::AnyTensor check_reduce(const tt::Tensor<Stored, ShapeType>& x, AxisSet axes) {
  CAPTURE(x.sizes().rank, axes, x.numel());
  const tt::AnyTensor got = reduced_on_device<Op>(x, axes);
  if constexpr (std::is_base_of_v<tt::ops::sum, Op> && tt::is_floating(tt::dtype_of<Stored>)) {
    REQUIRE(got.dtype() == tt::dtype_of<Stored>);
    require_sums<Op>(got, x, axes);
  } else {
    require_equal(got, reduced_on_host<Op>(x, axes));
  }
  return got;
}

/// Op over axes of an expression that is fused into it.
template <class Op, class E>
void check_fused(const E& e, AxisSet axes, Close how = Close::approximate) {
  constexpr tt::dtype type = tt::dtype_of<tt::value_t<E>>;
  static_assert(tt::compute_dtype(type) == type && E::compute == type);
  const tt::detail::Collected<typename E::held_type> collected(e.held);
  const tt::AnyTensor want =
      tt::detail::run_reduce(tt::detail::kernel_for<E>(), tt::backend<tt::cpu>::reduce<Op, type>(), collected.entry,
                             E::leaves, axes, false, Op::result(type), false, nullptr);
  const tt::AnyTensor got = reduce_on_device<Op, tt::prog::forward_program<E>, tt::element_of<type>>(
      collected.entry, tt::prog::root_numbers<E>, axes, Op::result(type));
  require_close(got, want, how);
}

}  // namespace tests
