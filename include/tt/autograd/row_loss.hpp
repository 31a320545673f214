// The node of cross-entropy: softmax minus the labels, from the scores and one number a row.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/row_loss.hpp>

namespace tt::detail {

struct RowLossNode final : Node {
  const RowLossKernel* kernel = nullptr;
  RowLoss kept;
  Saved scores, labels;

  void visit_saved(SavedVisitor& visitor) { visitor.visit(kept.scores, scores), visitor.visit(kept.labels, labels); }
  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return scores.node.get(); }
  void release() {
    released = true;
    kept.scores = kept.labels = {};
    kept.log_total = {};
    scores = labels = {};
  }
  void backward(Engine& engine) {
    scores.check(*this), labels.check(*this);
    const auto [to, full] = engine.target(scores.node.get());
    kernel->backward(kept.scores.device_ptr(), reinterpret_cast<const std::int64_t*>(kept.labels.device_ptr()), kept.ignored,
                     kept.log_total->data, gradient->data, kept.how == reduction::none ? 1 : 0, kept.scale, to, full, kept.rows,
                     kept.classes);
  }
};
inline void record_row_loss(const AnyTensor& out, const RowLossKernel& k, const RowLoss& l, const Ref<Node>& input) {
  auto* node = make_node<RowLossNode>();
  node->kernel = &k;
  node->kept = l;
  node->scores = Saved(l.scores), node->labels = Saved(l.labels);
  node->scores.node = input;
  node->kept.scores = l.scores.requires_grad() ? l.scores.detach() : l.scores;
  node->after(input.get());
  attach(out, node, "cross_entropy");
}

}  // namespace tt::detail
