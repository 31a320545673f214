// CUDA's answer for every kind.
#pragma once
#include <tt/cuda/contract_table.hpp>
#include <tt/cuda/map_table.hpp>
#include <tt/cuda/memory_kernels.hpp>
#include <tt/cuda/reduce_table.hpp>
#include <tt/cuda/row_loss_table.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/dispatch/scan.hpp>

namespace tt {

namespace gpu {

/// Refuses kernels in a file that cannot have any. Never true for what a file without them asks for.
template <class Asked>
consteval void check_kernels() {
  static_assert(TT_CUDA_KERNELS || !sizeof(Asked), "tt: expressions on CUDA are evaluated in files that nvcc or clang compiles as "
                                                   "CUDA: move this into one, or copy the tensors with to<tt::cpu>(x)");
}
/// What is refused still has a type.
template <class Kernel>
inline constexpr Kernel no_kernel{};
template <class Kernel, class Asked>
constexpr const Kernel& refused() {
  static_assert(!sizeof(Asked), "tt: this operation has no kernels for CUDA: copy its operands with to<tt::cpu>(x)");
  return no_kernel<Kernel>;
}

#if !TT_CUDA_KERNELS
template <dtype, dtype, class, class>
inline constexpr MapKernel map_kernel{};
template <class, dtype, class>
inline constexpr ReduceKernel reduce_kernel{};
template <class, dtype>
inline constexpr ArgKernel arg_kernel{};
template <class, class, bool>
inline constexpr ActivationKernel activation_kernel{};
template <class, bool>
inline constexpr RowLossKernel cross_entropy_kernel{};
#endif

}  // namespace gpu

template <>
struct backend<cuda> {
  template <dtype Compute, dtype Value, class Forward, class Backward, int Order = 1>
  static constexpr const MapKernel& map() {
    static_assert(Order <= 1, "tt: on CUDA tensors are differentiated once: Variable<T, Shape, tt::cuda>");
    gpu::check_kernels<Forward>();
    return gpu::map_kernel<Compute, Value, Forward, Backward>;
  }
  template <class Op, dtype Compute, class Program = prog::copy>
  static constexpr const ReduceKernel& reduce() {
    gpu::check_kernels<Op>();
    return gpu::reduce_kernel<Op, Compute, Program>;
  }
  template <class Op, dtype Type>
  static constexpr const ArgKernel& arg() {
    gpu::check_kernels<Op>();
    return gpu::arg_kernel<Op, Type>;
  }
  template <class Number, bool LeftTransposed, bool RightTransposed, int Order>
  static constexpr const ContractKernel& contract() {
    static_assert(Order <= 1, "tt: on CUDA tensors are differentiated once: Variable<T, Shape, tt::cuda>");
    if constexpr (Order > 0) gpu::check_kernels<Number>();
    return gpu::contract_kernel<Number, LeftTransposed, RightTransposed, Order>;
  }
  template <class Number, class Op, bool Track>
  static constexpr const ActivationKernel& activation() {
    gpu::check_kernels<Op>();
    return gpu::activation_kernel<Number, Op, Track>;
  }
  template <class Number, bool Track>
  static constexpr const RowLossKernel& cross_entropy() {
    gpu::check_kernels<Number>();
    return gpu::cross_entropy_kernel<Number, Track>;
  }

  // Kinds without kernels yet.
  template <dtype Type, class... Assigned>
  static constexpr const SeveralKernel& several() { return gpu::refused<SeveralKernel, element_of<Type>>(); }
  template <class Op, dtype Compute>
  static constexpr const ScanKernel& scan() { return gpu::refused<ScanKernel, Op>(); }
  template <class Op, dtype Type>
  static constexpr const PositionScanKernel& position_scan() { return gpu::refused<PositionScanKernel, Op>(); }
};

}  // namespace tt
