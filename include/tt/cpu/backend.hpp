// The CPU's answer for every kind.
#pragma once
#include <tt/cpu/contract.hpp>
#include <tt/cpu/fast/cross_entropy.hpp>
#include <tt/cpu/map.hpp>
#include <tt/cpu/reduce.hpp>
#include <tt/cpu/scan.hpp>
#include <tt/cpu/several.hpp>
#include <tt/dispatch/evaluate.hpp>

namespace tt {

template <>
struct backend<cpu> {
  template <dtype Compute, dtype Value, class Forward, class Backward, int Order = 1>
  static constexpr const MapKernel& map() {
    return cpu_kernels::map_kernel<Compute, Value, Forward, Backward, Order>;
  }
  template <dtype Type, class... Assigned>
  static constexpr const SeveralKernel& several() {
    return cpu_kernels::several_kernel<Type, Assigned...>;
  }
  template <class Op, dtype Compute, class = prog::copy>
  static constexpr const ReduceKernel& reduce() {
    return cpu_kernels::reduce_kernel<Op, Compute>;
  }
  template <class Op, dtype Compute>
  static constexpr const ScanKernel& scan() {
    return cpu_kernels::scan_kernel<Op, Compute>;
  }
  template <class Op, dtype Type>
  static constexpr const PositionScanKernel& position_scan() {
    return cpu_kernels::position_scan_kernel<Op, Type>;
  }
  template <class Number, bool LeftTransposed, bool RightTransposed, int Order>
  static constexpr const ContractKernel& contract() {
    return cpu_kernels::contract_kernel<Number, LeftTransposed, RightTransposed, Order>;
  }
  template <class Number, class Op, bool Track>
  static constexpr const ActivationKernel& activation() {
    return cpu_kernels::activation_kernel<Number, Op, Track>;
  }
  template <class Number, bool Track>
  static constexpr const RowLossKernel& cross_entropy() {
    return cpu_kernels::cross_entropy_kernel<Number, Track>;
  }
  template <class Op, dtype Type>
  static constexpr const ArgKernel& arg() {
    return cpu_kernels::arg_kernel<Op, Type>;
  }
};

}  // namespace tt
