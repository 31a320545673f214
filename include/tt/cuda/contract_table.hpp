// The ContractKernel of products on CUDA: cuBLAS, and for what it does not do our kernels, all on the current stream.
#pragma once
#include <tt/cuda/blas.hpp>
#include <tt/cuda/map_table.hpp>
#include <tt/cuda/memory_kernels.hpp>
#include <tt/cuda/reduce.hpp>
#include <tt/dispatch/contract.hpp>
#include <tt/ops/reductions.hpp>

namespace tt::gpu {

namespace detail {

/// One block: cuBLAS cuts a product itself.
inline void whole_product(index_t m, index_t n, index_t, void (*f)(void*, index_t, index_t, index_t, index_t), void* context) {
  f(context, 0, m, 0, n);
}

#if TT_CUDA_KERNELS

/// What a bias receives.
template <class Number>
void row_sums(std::byte* to, const std::byte* from, index_t rows, index_t columns, bool add) {
  constexpr dtype type = dtype_of<Number>;
  if (add) {
    Move sum;
    sum.push_back(rows, columns, 0);
    sum.push_back(columns, 1, 1);
    return add_by_kernel(*tt::detail::new_memory<cuda>::get(), sum, to, from, type);
  }
  const index_t step[2] = {columns, 1}, kept[2] = {0, 1};
  Workspace workspace;
  Strided leaf = laid_out(const_cast<std::byte*>(from), type, 0, step, 2);
  Region r{{rows, columns}, 1, &leaf, laid_out(to, type, 0, kept, 2), nullptr};
  reduce<ops::sum, prog::copy, Number>(r, 0, columns, 1, workspace);
}

template <class Number, class Op>
void activate(std::byte* y, index_t row_stride, index_t rows, index_t columns) {
  const index_t step[2] = {row_stride, 1};
  Strided leaf = laid_out(y, dtype_of<Number>, 0, step, 2);
  Region r{{rows, columns}, 1, &leaf, leaf, nullptr};
  map<prog::op<Op, prog::copy>, Number>(r, 0);
}
template <class Number, class Op>
void undo_activation(const std::byte* y, const std::byte* gradient, std::byte* out, index_t n) {
  const index_t step = 1;
  constexpr dtype type = dtype_of<Number>;
  Strided leaf[2] = {laid_out(const_cast<std::byte*>(y), type, 0, &step, 1),
                     laid_out(const_cast<std::byte*>(gradient), type, 0, &step, 1)};
  GradientSlot slot{laid_out(out, type, 0, &step, 1), n, true};
  Region r{{n}, 1, leaf, {}, &slot};
  Workspace workspace;
  map_backward<prog::undo<Op>, Number>(r, 0, workspace);
}

#endif

template <class Number, bool LeftTransposed, bool RightTransposed, int Order>
constexpr ContractKernel make_contract_kernel() {
  ContractKernel k{dtype_of<Number>, LeftTransposed, RightTransposed, gemm_into<Number, LeftTransposed, RightTransposed>,
                   nullptr,          nullptr,        nullptr,         whole_product,
                   nullptr,          nullptr,        nullptr,         device::cuda,
                   gemm_into<Number, LeftTransposed, RightTransposed, false, false, false>};
#if TT_CUDA_KERNELS
  if constexpr (Order > 0) {
    constexpr bool conjugate = is_complex(dtype_of<Number>);
    k.left_backward = LeftTransposed ? gemm_into<Number, RightTransposed, true, conjugate, false>
                                     : gemm_into<Number, false, !RightTransposed, false, conjugate>;
    k.right_backward = RightTransposed ? gemm_into<Number, true, LeftTransposed, false, conjugate>
                                       : gemm_into<Number, !LeftTransposed, false, conjugate, false>;
    k.row_sums = row_sums<Number>;
    k.record = tt::detail::record_contract;
    k.record_activation = tt::detail::record_activation;
  }
#endif
  return k;
}

}  // namespace detail

template <class Number, bool LeftTransposed, bool RightTransposed, int Order>
inline constexpr ContractKernel contract_kernel =
    detail::make_contract_kernel<Number, LeftTransposed, RightTransposed, Order>();

#if TT_CUDA_KERNELS
template <class Number, class Op, bool Track>
inline constexpr ActivationKernel activation_kernel{Op::name, detail::activate<Number, Op>,
                                                    Track ? detail::undo_activation<Number, Op> : nullptr};
#endif

}  // namespace tt::gpu
