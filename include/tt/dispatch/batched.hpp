// Running a product of stacks of matrices: leading axes broadcast, one GEMM for each pair. The rows of all results are
// cut into blocks as if they were one matrix, by the shape alone.
#pragma once
#include <tt/core/walk.hpp>
#include <tt/dispatch/contract.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/view_extents.hpp>

namespace tt::detail {

/// The axes before the last two.
inline dims leading_axes(dims d) {
  d.rank = (std::max)(d.rank - 2, 0);
  return d;
}
/// Where each matrix of a stack begins, in elements, for every index of `batch`.
inline Ref<Storage> stack_begins(const dims& batch, const index_t* over) {
  Ref<Storage> begins = make_storage(std::size_t(batch.count()) * sizeof(index_t));
  auto* p = reinterpret_cast<index_t*>(begins->data);
  walk(batch, batch.rank, over, [&](index_t at) { *p++ = at; });
  return begins;
}
/// The same for an operand, whose leading axes are broadcast.
inline Ref<Storage> stack_begins(const dims& batch, const dims& size, const index_t* stride) {
  index_t over[max_rank];
  lay_over(over, batch, leading_axes(size), stride);
  return stack_begins(batch, over);
}

/// A stack as multiply_stacks() takes it.
struct StackView {
  const std::byte* data;
  index_t row;
  const Ref<Storage>& begins;
  bool transposed = false;

  const std::byte* at(index_t matrix, index_t down, index_t across, index_t item) const {
    const index_t begin = reinterpret_cast<const index_t*>(begins->data)[matrix];
    return data + (begin + (transposed ? across * row + down : down * row + across)) * item;
  }
};

/// One operand: matrices with unit stride along their last axis. Others are packed. A vector is a matrix of one row.
struct StackOperand {
  AnyTensor tensor;
  index_t row;
  Ref<Storage> begins;

  StackOperand(const AnyTensor& t, const dims& batch) : tensor(t) {
    const int rank = t.rank();
    const bool rows =
        (t.sizes()[-1] == 1 || t.strides()[rank - 1] == 1) && (rank == 1 || t.strides()[rank - 2] >= t.sizes()[-1]);
    if (!rows) tensor = t.packed();
    row = rank == 1 ? t.sizes()[0] : tensor.strides()[rank - 2];
    begins = stack_begins(batch, tensor.sizes(), tensor.strides());
  }
  StackView view(bool transposed = false) const { return {tensor.device_ptr(), row, begins, transposed}; }
};
struct Stacks {
  dims batch;
  index_t m, n, k;
  StackOperand left, right;
};

/// z[b] += op(x[b]) op(y[b]) for each of `count` pairs. `once`: each z is written by one pair only; otherwise one pair
/// after the other.
TT_NOINLINE inline void multiply_stacks(const ContractKernel& kernel, GemmFunction f, index_t count, index_t rows,
                                        index_t columns, index_t inner, const StackView& z, bool once,
                                        const StackView& x, const StackView& y) {
  const index_t item = index_t(size_of(kernel.type));
  const auto piece = [&](index_t b, index_t r, index_t height, index_t c, index_t width) {
    f(const_cast<std::byte*>(z.at(b, r, c, item)), z.row, height, width, inner, x.at(b, r, 0, item), x.row,
      y.at(b, 0, c, item), y.row);
  };
  if (!once) {
    for (index_t b = 0; b < count; ++b)
      each_block(kernel, rows, columns, inner,
                 [&](index_t r, index_t height, index_t c, index_t width) { piece(b, r, height, c, width); });
    return;
  }
  each_block(kernel, count * rows, columns, inner, [&](index_t first, index_t height, index_t c, index_t width) {
    for (const index_t last = first + height; first < last;) {
      const index_t b = first / rows, r = first % rows, here = (std::min)(rows - r, last - first);
      piece(b, r, here, c, width);
      first += here;
    }
  });
}

/// The leading axes of the result.
inline dims stacked_extents(const dims& left, const dims& right) {
  dims batch;
  const dims a = leading_axes(left), b = leading_axes(right);
  for (int i = 1; i <= a.rank && i <= b.rank; ++i)
    if (a[-i] != b[-i] && a[-i] != 1 && b[-i] != 1)
      fail({"tt::matmul: the stacks ", left, " and ", right, " do not broadcast"});
  broadcast_into(batch, a);
  broadcast_into(batch, b);
  return batch;
}

/// The extents of a stacked product: those of the batch, then rows (unless a vector stands left) and columns.
inline dims batched_extents(const ContractBlock& b, dims batch) {
  if (!b.row) batch.push_back(b.left.sizes()[-2]);
  batch.push_back(b.right.sizes()[-1]);
  return batch;
}

inline AnyTensor run_batched(const ContractBlock& b) {
  const dims &ls = b.left.sizes(), &rs = b.right.sizes();
  const index_t m = b.row ? 1 : ls[-2], k = ls[-1], n = rs[-1];
  if (rs[-2] != k) fail({"tt::matmul: the inner extents differ: ", ls, " and ", rs});
  const dims batch = stacked_extents(ls, rs);
  const Stacks s{batch, m, n, k, {b.left, batch}, {b.right, batch}};
  const Memory* const memory = memory_of("matmul", b.kernel->where, {&b.left, &b.right});
  const AnyTensor out = AnyTensor::empty(b.kernel->type, batched_extents(b, batch), memory);
  if (out.numel()) zero_bytes(memory, out.device_ptr(), std::size_t(out.numel()) * size_of(b.kernel->type));
  index_t apart[max_rank];  // between results
  row_major(batch, apart);
  for (int i = 0; i < batch.rank; ++i) apart[i] *= m * n;
  const Ref<Storage> begins = stack_begins(batch, apart);
  multiply_stacks(*b.kernel, b.kernel->forward, batch.count(), m, n, k, {out.device_ptr(), n, begins}, true,
                  s.left.view(), s.right.view());
  if (b.batch->record && recording && (b.left.requires_grad() || b.right.requires_grad())) b.batch->record(out, b, s);
  return out;
}

inline AnyTensor as_rows(const AnyTensor& x, RecordView record) {
  index_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.sizes()[i];
  return reshape_view(x, {rows, x.size(-1)}, record);
}

}  // namespace tt::detail
