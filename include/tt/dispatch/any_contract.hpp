// Products of matrices and vectors whose dtypes are known at run time only.
#pragma once
#include <tt/dispatch/any_map.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/ops/matmul.hpp>

#include <utility>

namespace tt {

namespace detail {

/// The products of one dtype, y as it is and transposed; null where kernels do not compute in it.
template <class Device, dtype Type, bool Transposed>
constexpr const ContractKernel* any_contract_kernel() {
  if constexpr (compute_dtype(Type) != Type) return nullptr;
  else return &backend<Device>::template contract<tt::element_of<Type>, false, Transposed, is_differentiable(Type)>();
}
template <class Device, bool Transposed, std::size_t... Type>
constexpr const ContractKernel* contract_kernel_for(dtype t, std::index_sequence<Type...>) {
  const ContractKernel* const by_dtype[] = {any_contract_kernel<Device, dtype(Type), Transposed>()...};
  return by_dtype[int(t)];
}

/// As any_map_elsewhere: the products of a dtype, null where there are none.
using AnyContract = const ContractKernel* (*)(dtype, bool transposed);
inline constinit AnyContract any_contract_elsewhere = nullptr;

TT_NOINLINE inline AnyTensor run_any_matmul(const ContractKernel* kernel, const AnyTensor& x, const AnyTensor& y,
                                            const AnyTensor* bias, const BatchedProduct& batched) {
  if (x.rank() == 0 || y.rank() == 0)
    fail({"tt::matmul: both operands need an axis: the extents are ", x.sizes(), " and ", y.sizes()});
  for (const AnyTensor* other : {&y, bias})
    if (other && other->dtype() != x.dtype())
      fail({"tt::matmul: the dtypes ", name_of(x.dtype()), " and ", name_of(other->dtype()), " differ: cast one"});
  if (!kernel) fail({"tt::matmul: it is not defined for the dtype ", name_of(x.dtype()), ": cast the operands"});
  const auto block = make_contract_block(kernel, x, y);
  block->column = y.rank() == 1;
  block->row = x.rank() == 1;
  if (y.rank() > 2) block->batch = &batched;
  return run_contract(*block, bias, nullptr);
}

}  // namespace detail

/// Vectors, matrices and stacks of them, as matmul() takes them. With `transposed`, x times the transpose of y. A bias
/// is added to each row. What is narrower than the type kernels compute in is multiplied there and rounded once.
template <class Device = cpu>
AnyTensor any_matmul(const AnyTensor& x, const AnyTensor& y, bool transposed = false, const AnyTensor* bias = nullptr) {
  if (!x.defined() || !y.defined() || (bias && !bias->defined())) detail::no_elements("tt::matmul");
  const dtype type = x.dtype(), wide = compute_dtype(type);
  if (type != wide && type != dtype::boolean && !is_storage_only(type) && y.dtype() == type) {
    const AnyTensor wide_bias = bias ? any_cast<Device>(*bias, wide) : AnyTensor();
    return any_cast<Device>(any_matmul<Device>(any_cast<Device>(x, wide), any_cast<Device>(y, wide), transposed,
                                               bias ? &wide_bias : nullptr), type);
  }
  constexpr auto types = std::make_index_sequence<std::size_t(dtype_count)>{};
  const bool matrix = transposed && y.rank() == 2;
  const ContractKernel* kernel = matrix ? detail::contract_kernel_for<Device, true>(x.dtype(), types)
                                        : detail::contract_kernel_for<Device, false>(x.dtype(), types);
  if (detail::any_contract_elsewhere && detail::lies_elsewhere(x)) {
    const ContractKernel* const there = detail::any_contract_elsewhere(x.dtype(), matrix);
    if (kernel && !there)
      fail_not_implemented({"tt::matmul: there are no products of ", name_of(x.dtype()), " on ", name_of(x.device())});
    kernel = there;
  }
  return detail::run_any_matmul(kernel, x, y, bias, detail::batched_product<1>);
}

}  // namespace tt
