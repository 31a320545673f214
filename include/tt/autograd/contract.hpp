// The node of a contraction, and of an activation of a product that was known before.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/contract.hpp>

namespace tt::detail {

/// A result that backward reads from its start.
inline void visit_output(const Node& node, Saved& output, SavedVisitor& visitor) {
  AnyTensor y(make_body(node.type, node.size));
  row_major(node.size, y.body()->stride);
  y.body()->storage = output.storage;
  if (output.storage) y.body()->data = output.storage->data;
  const AnyTensor other = visitor(y);
  output.storage = other.defined() ? gradient_storage(other) : Ref<Storage>();
  if (output.storage) output.version = output.storage->version;
}

/// Gradients: of the bias the sums over rows, of the operands products with the other one.
struct ContractNode final : Node {
  const ContractKernel* kernel = nullptr;
  const ActivationKernel* act = nullptr;
  index_t m = 0, n = 0, k = 0, left_row = 0, right_row = 0;
  Saved left, right, output;  // nodes of the operands, storage of the packed ones
  const std::byte *left_data = nullptr, *right_data = nullptr;
  Ref<Node> bias;

  void visit_saved(SavedVisitor& visitor) {
    if (released) return;
    const auto operand = [&](Saved& saved, const std::byte*& data, index_t& row, index_t rows, index_t columns, bool transposed) {
      if (transposed) std::swap(rows, columns);
      const AnyTensor other = visitor(kept_matrix(saved, data, row, rows, columns));
      saved.storage = {};
      if (!other.defined()) return;
      const MatrixOperand matrix(other);
      saved.storage = matrix.tensor.storage();
      saved.version = matrix.tensor.version();
      data = matrix.data, row = matrix.row;
    };
    operand(left, left_data, left_row, m, k, kernel->left_transposed);
    operand(right, right_data, right_row, k, n, kernel->right_transposed);
    if (act) visit_output(*this, output, visitor);
  }
  int inputs() const { return released ? 0 : 3; }
  Node* input(int i) const { return (i == 0 ? left.node : i == 1 ? right.node : bias).get(); }
  void release() {
    released = true;
    left = right = output = {};
    bias = {};
  }

  /// An operand [rows, columns] as it was stored, without history.
  AnyTensor left_matrix() const {
    const bool t = kernel->left_transposed;
    return kept_matrix(left, left_data, left_row, t ? k : m, t ? m : k);
  }
  AnyTensor right_matrix() const {
    const bool t = kernel->right_transposed;
    return kept_matrix(right, right_data, right_row, t ? n : k, t ? k : n);
  }
  void backward(Engine& engine) {
    left.check(*this), right.check(*this), output.check(*this);
    Ref<Storage> g = gradient;
    if (act) {
      // In place where nobody else sees the buffer: the engine's slot and this handle are its two owners.
      if (g->refs.value() != 2) g = make_storage(std::size_t(m * n) * size_of(type), memory);
      act->backward(output.storage->data, gradient->data, g->data, m * n);
    }
    if (Node* to = bias.get()) {
      const auto [data, full] = engine.target(to);
      kernel->row_sums(data, g->data, m, n, full);
    }
    const bool lt = kernel->left_transposed, rt = kernel->right_transposed;
    if (Node* to = left.node.get()) {
      std::byte* out = engine.zeroed_target(to);
      if (lt) multiply(kernel->left_backward, rt, true, out, k, m, n, right_data, right_row, g->data, n);
      else multiply(kernel->left_backward, false, !rt, out, m, k, n, g->data, n, right_data, right_row);
    }
    if (Node* to = right.node.get()) {
      std::byte* out = engine.zeroed_target(to);
      if (rt) multiply(kernel->right_backward, true, lt, out, n, k, m, g->data, n, left_data, left_row);
      else multiply(kernel->right_backward, !lt, false, out, k, n, m, left_data, left_row, g->data, n);
    }
  }

 private:
  AnyTensor kept_matrix(const Saved& saved, const std::byte* data, index_t row, index_t rows, index_t columns) const {
    AnyTensor t(make_body(type, {rows, columns}));
    t.body()->stride[0] = row, t.body()->stride[1] = 1;
    t.body()->storage = saved.storage;
    t.body()->data = const_cast<std::byte*>(data);
    return t;
  }
  /// z[rows, columns] += op(x) op(y) over `inner`, block by block.
  void multiply(GemmFunction f, bool xt, bool yt, std::byte* z, index_t rows, index_t columns, index_t inner,
                const std::byte* x, index_t x_row, const std::byte* y, index_t y_row) const {
    const index_t item = index_t(size_of(type));
    each_block(*kernel, rows, columns, inner, [&](index_t r, index_t height, index_t c, index_t width) {
      f(z + (r * columns + c) * item, columns, height, width, inner, x + (xt ? r : r * x_row) * item, x_row,
        y + (yt ? c * y_row : c) * item, y_row);
    });
  }
};

inline void record_contract(const AnyTensor& out, const ContractBlock& b, const MatrixOperand& left, const MatrixOperand& right,
                            const AnyTensor* bias, const ActivationKernel* act, index_t m, index_t n, index_t k) {
  auto* node = make_node<ContractNode>();
  node->kernel = b.kernel;
  node->act = act;
  node->m = m, node->n = n, node->k = k;
  node->left = Saved(left.tensor), node->right = Saved(right.tensor);
  node->left.node = b.left.node(), node->right.node = b.right.node();
  node->left_data = left.data, node->right_data = right.data;
  node->left_row = left.row, node->right_row = right.row;
  if (bias) node->bias = bias->node();
  if (act) node->output = Saved(out);
  for (int i = 0; i < 3; ++i) node->after(node->input(i));
  attach(out, node, act ? act->name.data() : "matmul");
}

struct ActivationNode final : Node {
  const ActivationKernel* act = nullptr;
  Ref<Node> product;
  Saved output;

  void visit_saved(SavedVisitor& visitor) {
    if (!released) visit_output(*this, output, visitor);
  }
  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return product.get(); }
  void release() {
    released = true;
    product = {};
    output = {};
  }
  void backward(Engine& engine) {
    output.check(*this);
    const index_t n = size.count();
    auto own = make_storage(std::size_t(n) * size_of(type), memory);
    act->backward(output.storage->data, gradient->data, own->data, n);
    engine.give(product.get(), own);
  }
};
inline void record_activation(const AnyTensor& out, const AnyTensor& product, const ActivationKernel& act) {
  auto* node = make_node<ActivationNode>();
  node->act = &act;
  node->product = product.node();
  node->after(product.node().get());
  node->output = Saved(out);
  attach(out, node, act.name.data());
}

}  // namespace tt::detail
