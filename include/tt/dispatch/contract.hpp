// Running a contraction: y = act(op(a) op(b) + bias), one kernel a block of the output; record keeps a, b and, with an
// activation, y.
#pragma once
#include <tt/core/move.hpp>
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/expr/contract.hpp>

namespace tt {

/// z[m, n] += op(x)[m, k] op(y)[k, n], all row-major with the given row strides.
using GemmFunction = void (*)(std::byte* z, index_t z_row, index_t m, index_t n, index_t k, const std::byte* x, index_t x_row,
                              const std::byte* y, index_t y_row);

namespace detail {
/// A matrix a GEMM can take: unit stride along its last axis. Others are packed; `row` is its row stride. Leading axes
/// count as rows, a vector as one row.
struct MatrixOperand {
  AnyTensor tensor;
  const std::byte* data;
  index_t row;

  explicit MatrixOperand(const AnyTensor& t) : tensor(t) {
    const int rank = t.rank();
    const bool matrix = rank == 2 && (t.sizes()[1] == 1 || t.strides()[1] == 1) && t.strides()[0] >= t.sizes()[1];
    if (!matrix) tensor = t.packed();
    data = tensor.device_ptr();
    row = rank == 1 ? t.sizes()[0] : matrix ? tensor.strides()[0] : t.sizes()[-1];
  }
};
}  // namespace detail

namespace detail {
template <class Number, int Order>
void recorded_contract(Node&, RecordedRun&, const AnyTensor& gradient);  // autograd/second_order.hpp
}

/// The products of one pair of transpositions; the backward ones are null where nothing can be tracked.
struct ContractKernel {
  dtype type;
  bool left_transposed, right_transposed;
  GemmFunction forward, left_backward, right_backward;
  void (*row_sums)(std::byte* to, const std::byte* from, index_t rows, index_t columns, bool add);
  /// f(first row, rows, first column, columns) for the blocks of an m x n output.
  void (*blocks)(index_t m, index_t n, index_t k, void (*f)(void*, index_t, index_t, index_t, index_t), void* context);
  void (*record)(const AnyTensor& out, const detail::ContractBlock&, const detail::MatrixOperand& left,
                 const detail::MatrixOperand& right, const AnyTensor* bias, const ActivationKernel*, index_t m, index_t n, index_t k);
  /// For an activation whose product is known already.
  void (*record_activation)(const AnyTensor& out, const AnyTensor& product, const ActivationKernel&);
  detail::BackwardRecorded recorded;
  device where = device::cpu;      ///< of operands and result
  GemmFunction assign = nullptr;   ///< of a device: as forward, but z is not read
};

namespace detail {

inline void record_contract(const AnyTensor&, const ContractBlock&, const MatrixOperand&, const MatrixOperand&, const AnyTensor*,
                            const ActivationKernel*, index_t, index_t, index_t);           // autograd/contract.hpp
inline void record_activation(const AnyTensor&, const AnyTensor&, const ActivationKernel&);  // autograd/contract.hpp

/// f(first row, rows, first column, columns) for the kernel's blocks of an m x n product over k.
template <class Function>
void each_block(const ContractKernel& kernel, index_t m, index_t n, index_t k, Function&& f) {
  using plain = std::remove_reference_t<Function>;
  if (m == 0 || n == 0) return;
  kernel.blocks(m, n, k, [](void* g, index_t r, index_t height, index_t c, index_t width) {
    (*static_cast<plain*>(g))(r, height, c, width);
  }, &f);
}

/// The extents of a product; of stacks dispatch/batched.hpp has them.
inline dims product_extents(const ContractBlock& b) {
  const dims &left = b.left.sizes(), &right = b.right.sizes();
  dims size;
  if (b.kernel->left_transposed) size.push_back(left[-1]);
  else
    for (int i = 0; i < left.rank - 1; ++i) size.push_back(left.extent[i]);
  if (!b.column) size.push_back(right[b.kernel->right_transposed ? -2 : -1]);
  return size;
}

TT_NOINLINE inline AnyTensor launch_contract(const ContractBlock& b, const AnyTensor* bias, const ActivationKernel* act) {
  const ContractKernel& kernel = *b.kernel;
  const MatrixOperand left(b.left);
  MatrixOperand right(b.right);
  if (b.column) right.row = 1;
  const dims& ls = b.left.sizes();
  const dims& rs = b.right.sizes();
  const bool lt = kernel.left_transposed, rt = kernel.right_transposed;
  const index_t k = b.row ? ls[0] : ls[lt ? -2 : -1];
  index_t m = 1;
  if (lt) m = ls[-1];
  else
    for (int i = 0; i < ls.rank - 1; ++i) m *= ls.extent[i];
  const index_t n = b.column ? 1 : rs[rt ? -2 : -1], inner = b.column ? rs[0] : rs[rt ? -1 : -2];
  if (inner != k)
    fail({"tt::matmul: the inner extents differ: ", ls, (lt ? " transposed" : ""), " and ", rs, (rt ? " transposed" : "")});
  if (bias && bias->numel() != n) fail({"tt::matmul: a bias of ", bias->numel(), " elements for ", n, " columns"});
  const Memory* const memory = memory_of("matmul", kernel.where, {&b.left, &b.right, bias});
  AnyTensor out = AnyTensor::empty(kernel.type, product_extents(b), memory);
  const AnyTensor flat_bias = bias ? bias->packed() : AnyTensor();
  if (memory && out.numel()) [[unlikely]] {
    if (bias) {
      Move rows;
      rows.push_back(m, 0, n);
      rows.push_back(n, 1, 1);
      memory->move(*memory, rows, out.device_ptr(), kernel.type, flat_bias.device_ptr(), kernel.type);
    }
    (bias ? kernel.forward : kernel.assign)(out.device_ptr(), n, m, n, k, left.data, left.row, right.data, right.row);
    if (act) act->forward(out.device_ptr(), n, m, n);
  } else each_block(kernel, m, n, k, [&](index_t r, index_t rows, index_t c, index_t columns) {
    const index_t item = index_t(size_of(kernel.type));
    std::byte* z = out.data_ptr() + (r * n + c) * item;
    for (index_t i = 0; i < rows; ++i) {  // the product is added onto the bias
      if (bias) std::memcpy(z + i * n * item, flat_bias.data_ptr() + c * item, std::size_t(columns * item));
      else std::memset(z + i * n * item, 0, std::size_t(columns * item));
    }
    kernel.forward(z, n, rows, columns, k, left.data + (lt ? r : r * left.row) * item, left.row,
                   right.data + (rt ? c * right.row : c) * item, right.row);
    if (act) act->forward(z, n, rows, columns);
  });
  if (kernel.record && recording && (b.left.requires_grad() || b.right.requires_grad() || (bias && bias->requires_grad())))
    kernel.record(out, b, left, right, bias, act, m, n, k);
  return out;
}

/// Activation of a product that is known already: the epilogue's own kernels as an operation by itself.
TT_NOINLINE inline AnyTensor launch_activation(const ContractKernel& kernel, const AnyTensor& product, const ActivationKernel& act) {
  const AnyTensor* input = &product;
  return dispatched({"map", {&act.name, 1}, {&input, 1}}, [&] {
    AnyTensor out = product.copied();
    act.forward(out.device_ptr(), out.numel(), 1, out.numel());
    if (kernel.record_activation && recording && product.requires_grad()) kernel.record_activation(out, product, act);
    return out;
  });
}

TT_NOINLINE inline AnyTensor run_contract(const ContractBlock& b, const AnyTensor* bias, const ActivationKernel* act) {
  b.check();
  if (b.bias.defined()) bias = &b.bias;
  const auto launch = [&] { return b.batch ? b.batch->run(b) : launch_contract(b, bias, act); };
  if (!modes.active) [[likely]] return launch();
  const AnyTensor* const inputs[] = {&b.left, &b.right, bias};
  std::string_view names[3];
  std::size_t count = 0;
  if (act) names[count++] = act->name;
  if (bias) names[count++] = "add";
  names[count++] = "matmul";
  return dispatched({"contract", {names, count}, {inputs, bias ? 3u : 2u}}, launch);
}
/// The product alone, computed once.
TT_NOINLINE inline AnyTensor product_of(ContractBlock& b) {
  const bool recorded = recording && b.kernel->record;
  AnyTensor known = b.result.get(recorded);
  return known.defined() ? known : b.result.keep(recorded, run_contract(b, nullptr, nullptr));
}
/// Whether the product can be added onto the bias: nobody else can ask for it alone, and the bias has an element a
/// column.
inline bool takes_bias(const ContractBlock& b, const AnyTensor& bias) {
  return !b.batch && !b.column && !b.bias.defined() && !b.result.defined() && b.refs.value() == 1 &&
         bias.numel() == b.right.sizes()[b.kernel->right_transposed ? -2 : -1];
}
/// With its activation: in one go where nobody else can ask for the product alone, as the caller knows if there is a
/// bias.
TT_NOINLINE inline AnyTensor run_epilogue(const Ref<ContractBlock>& b, const AnyTensor* bias, const ActivationKernel& act) {
  if (bias || (!b->batch && !b->result.defined() && b->refs.value() == 1)) return run_contract(*b, bias, &act);
  return launch_activation(*b->kernel, product_of(*b), act);
}

}  // namespace detail
}  // namespace tt
