// Kernels for tensors on CUDA whose dtypes are known at run time only, as any_map and the registry find them. A file that
// has kernels gives its operations to the whole program:
//   static const bool there = (tt::gpu::add_by_name(tt::ops::arithmetic{}), true);
#pragma once
#include <tt/cuda/backend.hpp>
#include <tt/dispatch/any_contract.hpp>
#include <tt/dispatch/any_map.hpp>
#include <tt/dispatch/any_reduce.hpp>
#include <tt/dispatch/row_loss.hpp>

namespace tt::gpu {

#if TT_CUDA_KERNELS

/// Elementwise ops, of every dtype they are defined for.
template <class... Op>
void add_by_name(op_list<Op...>) {
  ((tt::detail::any_map_elsewhere<Op> = &tt::detail::any_map_of<Op, cuda>), ...);
}
template <class... Op>
void add_reductions_by_name(op_list<Op...>) {
  ((tt::detail::any_reduce_elsewhere<Op> = &tt::detail::any_reduce_of<Op, cuda>), ...);
}
template <class... Op>
void add_positions_by_name(op_list<Op...>) {
  ((tt::detail::any_arg_elsewhere<Op> = &tt::detail::any_arg_of<Op, cuda>), ...);
}
/// Copies and casts between all dtypes.
inline void add_casts_by_name() { tt::detail::any_casts_elsewhere = tt::detail::any_casts<cuda>.kernel; }

inline void add_losses_by_name() {
  tt::detail::any_row_loss_elsewhere = [](dtype t) {
    return t == dtype::float32 ? &cross_entropy_kernel<float, true> : &cross_entropy_kernel<double, true>;
  };
}

namespace detail {
/// Null where cuBLAS has no product: of integers.
template <dtype Type, bool Transposed>
constexpr const ContractKernel* product_by_name() {
  if constexpr (compute_dtype(Type) != Type || !is_differentiable(Type)) return nullptr;
  else return &contract_kernel<element_of<Type>, false, Transposed, 1>;
}
template <bool Transposed, std::size_t... Type>
const ContractKernel* product_of_dtype(dtype t, std::index_sequence<Type...>) {
  static constexpr const ContractKernel* by_dtype[] = {product_by_name<dtype(Type), Transposed>()...};
  return by_dtype[int(t)];
}
}  // namespace detail

inline void add_products_by_name() {
  tt::detail::any_contract_elsewhere = [](dtype t, bool transposed) {
    constexpr auto types = std::make_index_sequence<std::size_t(dtype_count)>{};
    return transposed ? detail::product_of_dtype<true>(t, types) : detail::product_of_dtype<false>(t, types);
  };
}

#endif

}  // namespace tt::gpu
