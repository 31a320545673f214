// Looking at the tape: which operation made a tensor, and where its gradients go.
#pragma once
#include <tt/core/any_tensor.hpp>

#include <vector>

namespace tt {

/// A recorded operation. False where there is none. https://pytorch.org/docs/stable/autograd.html#autograd-graph
class GradFn {
 public:
  GradFn() = default;
  explicit GradFn(detail::Ref<Node> node) : node_(std::move(node)) {}

  explicit operator bool() const { return bool(node_); }
  bool operator==(const GradFn&) const = default;
  /// The op's name; of a fused region the outermost one's, of a leaf "AccumulateGrad".
  std::string_view name() const { return !node_ ? "" : node_->is_leaf ? "AccumulateGrad" : node_->name; }
  /// All ops of a fused region, outermost first; else the one op.
  TT_NOINLINE std::vector<std::string_view> ops() const {
    if (!node_) return {};
    const auto [names, count] = node_->kind->fused(*node_);
    if (count == 0) return {name()};
    std::vector<std::string_view> all(names, names + count);
    if (all.front() != name()) all.insert(all.begin(), name());  // a reduction above its region
    return all;
  }
  /// Where the gradients go: the operations and leaves that the operands came from, without those that need none. Empty
  /// for a leaf, and once backward has freed the graph.
  TT_NOINLINE std::vector<GradFn> next_functions() const {
    std::vector<GradFn> next;
    for (int i = 0; node_ && i < node_->kind->inputs(*node_); ++i)
      if (Node* input = node_->kind->input(*node_, i)) next.emplace_back(detail::Ref<Node>::share(input));
    return next;
  }

 private:
  detail::Ref<Node> node_;
};

inline GradFn AnyTensor::grad_fn() const {
  return defined() && node() && !node()->is_leaf ? GradFn(node()) : GradFn();
}

}  // namespace tt
