// The node of a product of stacks of matrices.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/batched.hpp>

namespace tt::detail {

/// Gradients are products with the other operand's transpose, summed over the leading axes that were broadcast.
struct BatchedNode final : Node {
  const ContractKernel* kernel = nullptr;
  const BatchedProduct* product = nullptr;
  dims batch;
  index_t m = 0, n = 0, k = 0;
  Saved left, right;  // nodes of the operands, storage of the packed ones
  AnyTensor left_stack, right_stack;

  void visit_saved(SavedVisitor& visitor) {
    visitor.visit(left_stack, left);
    visitor.visit(right_stack, right);
  }
  int inputs() const { return released ? 0 : 2; }
  Node* input(int i) const { return (i == 0 ? left : right).node.get(); }
  void release() {
    released = true;
    left = right = {};
    left_stack = right_stack = {};
  }
  void backward(Engine& engine) {
    left.check(*this), right.check(*this);
    index_t apart[max_rank];
    row_major(batch, apart);
    for (int i = 0; i < batch.rank; ++i) apart[i] *= m * n;
    const Ref<Storage> begins = stack_begins(batch, apart);
    const StackView g{gradient->data, n, begins};
    if (Node* to = left.node.get()) {
      const StackOperand y(right_stack, batch);
      add(engine, to, kernel->left_backward, m, k, n, g, y.view(true));
    }
    if (Node* to = right.node.get()) {
      const StackOperand x(left_stack, batch);
      add(engine, to, kernel->right_backward, k, n, m, x.view(true), g);
    }
  }

 private:
  void add(Engine& engine, Node* to, GemmFunction f, index_t rows, index_t columns, index_t inner, const StackView& x,
           const StackView& y) const {
    std::byte* data = engine.zeroed_target(to);
    index_t stride[max_rank];
    row_major(to->size, stride);
    const Ref<Storage> begins = stack_begins(batch, to->size, stride);
    const bool once = leading_axes(to->size).count() == batch.count();
    multiply_stacks(*kernel, f, batch.count(), rows, columns, inner, {data, columns, begins}, once, x, y);
  }
};

inline void record_batched(const AnyTensor& out, const ContractBlock& b, const Stacks& s) {
  auto* node = make_node<BatchedNode>();
  node->kernel = b.kernel;
  node->product = b.batch;
  node->batch = s.batch;
  node->m = s.m, node->n = s.n, node->k = s.k;
  node->left = Saved(s.left.tensor), node->right = Saved(s.right.tensor);
  node->left.node = b.left.node(), node->right.node = b.right.node();
  node->left_stack = s.left.tensor.detach(), node->right_stack = s.right.tensor.detach();
  for (int i = 0; i < 2; ++i) node->after(node->input(i));
  attach(out, node, "matmul");
}

}  // namespace tt::detail
