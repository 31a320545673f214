// The CPU's products: how they are cut among threads, their kernels and gradients, and the activations that follow them.
#pragma once
#include <tt/core/parallel.hpp>
#include <tt/cpu/gemm.hpp>
#include <tt/cpu/simd.hpp>
#include <tt/dispatch/contract.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// Multiply-adds below which a block is not worth a thread.
inline constexpr index_t product_grain = index_t(1) << 22;
/// A narrower block spends too much on packing the other operand again.
inline constexpr index_t product_width = 128;

/// Cut by the shape alone, along the longer side of the output: a cut of the shorter one would pack the other operand again.
inline void product_blocks(index_t m, index_t n, index_t k, void (*f)(void*, index_t, index_t, index_t, index_t), void* context) {
  const index_t side = (std::max)(m, n);
  const index_t work = index_t((std::min)(double(m) * double(n) * double(k), 9e18));
  const index_t wanted = std::clamp<index_t>(work / product_grain, 1, (side + product_width - 1) / product_width);
  const index_t step = ((side + wanted - 1) / wanted + 15) / 16 * 16;
  parallel_chunks((side + step - 1) / step, [&](index_t c) {
    const index_t at = c * step, length = (std::min)(step, side - at);
    m > n ? f(context, at, length, 0, n) : f(context, 0, m, at, length);
  });
}

template <class Number>
void row_sums(std::byte* to, const std::byte* from, index_t rows, index_t columns, bool add) {
  auto* s = reinterpret_cast<Number*>(to);
  const auto* x = reinterpret_cast<const Number*>(from);
  if (!add) std::fill_n(s, columns, Number(0));
  for (index_t r = 0; r < rows; ++r, x += columns)
    for (index_t i = 0; i < columns; ++i) s[i] += x[i];
}

template <class Number, bool LeftTransposed, bool RightTransposed, int Order>
constexpr ContractKernel make_contract_kernel() {
  ContractKernel k{dtype_of<Number>, LeftTransposed, RightTransposed, gemm<Number, LeftTransposed, RightTransposed>,
                   nullptr,          nullptr,        nullptr,         product_blocks,
                   nullptr,          nullptr,        nullptr};
  if constexpr (Order > 0) {
    constexpr bool conjugate = is_complex(dtype_of<Number>);
    k.left_backward = LeftTransposed ? gemm<Number, RightTransposed, true, conjugate, false>
                                     : gemm<Number, false, !RightTransposed, false, conjugate>;
    k.right_backward = RightTransposed ? gemm<Number, true, LeftTransposed, false, conjugate>
                                       : gemm<Number, !LeftTransposed, false, conjugate, false>;
    k.row_sums = row_sums<Number>;
    k.record = detail::record_contract;
    k.record_activation = detail::record_activation;
    if constexpr (Order > 1) k.recorded = detail::recorded_contract<Number, Order>;
  }
  return k;
}
template <class Number, bool LeftTransposed, bool RightTransposed, int Order>
inline constexpr ContractKernel contract_kernel = make_contract_kernel<Number, LeftTransposed, RightTransposed, Order>();

template <class Number, class Op>
void activate(std::byte* y, index_t row_stride, index_t rows, index_t columns) {
  using V = simd<Number>;
  if (row_stride == columns) columns *= rows, rows = 1;
  auto* p = reinterpret_cast<Number*>(y);
  for (; rows-- > 0; p += row_stride) {
    index_t i = 0;
    for (; i + V::width <= columns; i += V::width) V(Op::apply(V::load(p + i))).store(p + i);
    if (i == columns) continue;
    Number rest[V::width];
    for (int j = 0; j < V::width; ++j) rest[j] = p[(std::min)(i + j, columns - 1)];
    V(Op::apply(V::load(rest))).store(rest);
    std::copy_n(rest, columns - i, p + i);
  }
}
/// All three are buffers of our own, so whole packets run past the end.
template <class Number, class Op>
void undo_activation(const std::byte* y, const std::byte* g, std::byte* out, index_t n) {
  using V = simd<Number>;
  for (index_t i = 0; i < n; i += V::width) {
    const V output = V::load(reinterpret_cast<const Number*>(y) + i), gradient = V::load(reinterpret_cast<const Number*>(g) + i);
    V result;
    if constexpr (requires { Op::gradient_from_output(gradient, output); }) result = Op::gradient_from_output(gradient, output);
    else result = gradient * Op::derivative_from_output(output);
    result.store(reinterpret_cast<Number*>(out) + i);
  }
}
template <class Number, class Op, bool Track>
inline constexpr ActivationKernel activation_kernel{Op::name, activate<Number, Op>, nullptr};
template <class Number, class Op>
inline constexpr ActivationKernel activation_kernel<Number, Op, true>{Op::name, activate<Number, Op>, undo_activation<Number, Op>};

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
