// The node of a Function, and what its forward leaves for its backward.
#pragma once
#include <tt/autograd/write.hpp>
#include <tt/core/tensor.hpp>
#include <tt/dispatch/grad_mode.hpp>

#include <algorithm>

namespace tt {

namespace detail {
struct FunctionNode;
}

/// What forward leaves for backward.
class FunctionContext {
 public:
  /// Keeps tensors: inputs, outputs or others. They are checked for later changes in place, as the tape's own are.
  template <class... TensorType>
  void save_for_backward(const TensorType&... tensor) {
    static_assert((std::is_base_of_v<AnyTensor, TensorType> && ...), "tt::Function: only tensors are saved: eval() an expression");
    kept_.clear();
    (kept_.push_back({tensor.AnyTensor::detach(), detail::Saved(tensor.AnyTensor::detach()), nowhere}), ...);
  }
  /// Saved tensor i.
  TT_NOINLINE AnyTensor saved(int i) const {
    if (i < 0 || i >= int(kept_.size())) fail_index({"tt::Function: saved tensor ", i, " of ", kept_.size()});
    const Kept& one = kept_[std::size_t(i)];
    if (node_) one.saved.check(*node_);
    return one.tensor;
  }
  /// Saved tensor i under its type.
  template <class TensorType>
  TensorType saved(int i) const {
    const AnyTensor t = saved(i);
    if constexpr (expression<TensorType>)
      if (order_of<TensorType> <= 0 && t.requires_grad())
        fail({"tt::Function: saved tensor ", i, " has a history, for backward itself is differentiated: read it under the type of "
              "the gradient, or of its order"});
    return TensorType(t);
  }

  /// Whether tensor input i (others are not counted) requires a gradient; backward may leave out the others.
  bool needs_input_grad(int i) const { return std::size_t(i) < needs_.size() && needs_[std::size_t(i)]; }

  /// Outputs that backward receives no gradient for: they will not require one. They count as an output all the same, and
  /// their gradient is zero.
  template <class... TensorType>
  void mark_non_differentiable(const TensorType&... output) {
    (constant_.push_back(output.AnyTensor::detach()), ...);
  }
  /// Inputs that forward wrote into and returns: the caller's tensor becomes the output, and what it is a view of has
  /// the history of a write. A leaf that requires a gradient is refused, and a view of one.
  template <class... TensorType>
  void mark_dirty(const TensorType&... input) {
    (dirty_.push_back(input.AnyTensor::detach()), ...);
  }

 private:
  friend struct detail::FunctionNode;
  struct Kept {
    AnyTensor tensor;
    detail::Saved saved;
    int origin = nowhere;  ///< the input it is, or `result`
  };
  static constexpr int nowhere = -1, result = -2;
  std::vector<Kept> kept_;
  std::vector<char> needs_;
  std::vector<AnyTensor> constant_, dirty_;  ///< until the call is recorded
  const Node* node_ = nullptr;
};

namespace detail {

/// Gradients of all outputs lie one after another in one buffer of bytes, which is this node's gradient; each output has an
/// OutputNode that lays its part there. A single output is this node's own.
struct FunctionNode : Node {
  FunctionContext context;
  std::vector<Ref<Node>> input_nodes;  ///< of the tensor inputs
  struct Output {
    dtype type;
    dims size;
    index_t offset;  ///< bytes into the gradient
  };
  std::vector<Output> outputs;

  int inputs() const { return released ? 0 : int(input_nodes.size()); }
  Node* input(int i) const { return input_nodes[std::size_t(i)].get(); }
  void release() {
    released = true;
    input_nodes.clear();
    context.kept_.clear();
  }
  void visit_saved(SavedVisitor& visitor) {
    for (auto& one : context.kept_) visitor.visit(one.tensor, one.saved);
  }
  /// @return whether the call is recorded
  bool start(const std::vector<AnyTensor>& given) {
    bool any = false;
    for (const AnyTensor& t : given) {
      if (!t.defined()) no_elements("tt::Function");
      context.needs_.push_back(recording && t.requires_grad());
      any |= bool(context.needs_.back());
    }
    return any;
  }
  /// The user's backward.
  void (*call)(FunctionNode&, const std::vector<AnyTensor>& gradients, std::vector<AnyTensor>& results);

  TT_NOINLINE void backward(Engine& engine) {
    std::vector<AnyTensor> gradients, results;
    for (const Output& out : outputs) {
      AnyTensor g(make_body(out.type, out.size));
      row_major(out.size, g.body()->stride);
      g.body()->storage = gradient;
      g.body()->data = gradient->data + out.offset;
      gradients.push_back(std::move(g));
    }
    {
      const no_grad guard;
      call(*this, gradients, results);
    }
    gradients.clear();
    check_results(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
      Node* const to = input_nodes[i].get();
      const AnyTensor g = std::exchange(results[i], {});
      if (!to || !g.defined()) continue;
      engine.give(to, gradient_storage(g));
    }
  }

  TT_NOINLINE void check_results(const std::vector<AnyTensor>& results) const {
    if (results.size() != input_nodes.size())
      fail({"tt::Function: backward of ", name, " returned ", results.size(), " gradients for ", input_nodes.size(), " tensor inputs"});
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Node* const to = input_nodes[i].get();
      const AnyTensor& g = results[i];
      if (to && g.defined() && (g.dtype() != to->type || !(g.sizes() == to->size)))
        fail({"tt::Function: backward of ", name, " returned ", name_of(g.dtype()), " ", g.sizes(), " for input ", i, ", which is ",
              name_of(to->type), " ", to->size});
      if (to && g.defined() && g.memory() != to->memory)
        fail({"tt::Function: backward of ", name, " returned a gradient for input ", i, " that is not on the input's device"});
    }
  }
  /// Saved inputs and outputs with the history of what they are, or without: an output would keep its own node.
  TT_NOINLINE void lend_histories(bool on) {
    for (auto& one : context.kept_) {
      one.tensor = one.tensor.detach();
      if (on && one.origin != FunctionContext::nowhere)
        one.tensor.set_node(one.origin == FunctionContext::result ? Ref<Node>::share(this) : input_nodes[std::size_t(one.origin)]);
    }
  }

  static bool same(const AnyTensor& a, const AnyTensor& b) {
    return a.storage() == b.storage() && a.device_ptr() == b.device_ptr() && a.sizes() == b.sizes() &&
           std::equal(a.strides(), a.strides() + a.rank(), b.strides());
  }
  static bool contains(const std::vector<AnyTensor>& all, const AnyTensor& t) {
    return std::any_of(all.begin(), all.end(), [&](const AnyTensor& one) { return same(one, t); });
  }
  /// Outputs as handles of their own; those that forward wrote in place are the caller's tensors.
  TT_NOINLINE static void own_handles(const char* called, const FunctionContext& context,
                                      const std::vector<AnyTensor>& given, std::vector<AnyTensor>& out) {
    for (AnyTensor& t : out) {
      if (!t.defined()) no_elements("tt::Function: an output");
      AnyTensor fresh = t.detach();
      if (contains(context.dirty_, t))
        for (const AnyTensor& in : given)
          if (same(in, t)) fresh = in;
      t = std::move(fresh);
    }
    for (const AnyTensor& written : context.dirty_)
      if (!contains(out, written))
        fail({"tt::Function: ", called, " marked an input with the extents ", written.sizes(),
              " as dirty and did not return it"});
  }
  /// Ties the outputs to this node. @param given the caller's tensors
  TT_NOINLINE void record(const char* called, const std::vector<AnyTensor>& given, const std::vector<AnyTensor>& out) {
    name = called;
    context.node_ = this;
    for (const AnyTensor& t : given) {
      if (t.requires_grad() && t.is_leaf() && contains(context.dirty_, t))
        fail({"tt::Function: ", called, " writes into a leaf that requires a gradient; clone() it first"});
      input_nodes.push_back(t.node());
      after(t.node().get());
    }
    context.dirty_.clear();
    for (auto& one : context.kept_) {
      for (std::size_t i = 0; i < given.size(); ++i)
        if (same(one.tensor, given[i])) one.origin = int(i);
      if (same(one.tensor, out[0])) one.origin = FunctionContext::result;
    }
    index_t bytes = 0;
    for (const AnyTensor& t : out) {
      outputs.push_back({t.dtype(), t.sizes(), bytes});
      bytes += (t.numel() * index_t(size_of(t.dtype())) + index_t(alignment) - 1) / index_t(alignment) * index_t(alignment);
    }
    std::vector<char> tracked;
    for (const AnyTensor& t : out) tracked.push_back(differentiable(t));
    context.constant_.clear();
    if (out.size() == 1) {
      if (!tracked[0]) return;
      refs.up();
      return tie(out[0], this);
    }
    type = dtype::uint8;
    size = dims{bytes};
    memory = out[0].memory();
    for (const AnyTensor& t : out)
      if (t.memory() != memory) fail({"tt::Function: ", called, " returned tensors on ", name_of(out[0].device()), " and on ", name_of(t.device())});
    stamp();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!tracked[i]) continue;
      auto* node = make_node<OutputNode>();
      node->function = Ref<Node>::share(this);
      node->offset = outputs[i].offset;
      node->after(this);
      tie(out[i], node);
    }
    if (watching) watching->recorded(*this);
  }

 private:
  bool differentiable(const AnyTensor& t) const {
    return is_differentiable(t.dtype()) && !contains(context.constant_, t);
  }
  /// Gives an output its node; one that is a view was written in place, and so was its base.
  void tie(const AnyTensor& out, Node* node) const {
    if (!out.body()->view) return attach(out, node, name);
    const AnyTensor written = out.detach(), base = base_of(out);
    attach(written, node, name);
    record_write(base, place_written(base, out), written.node());
  }

  struct OutputNode final : Node {
    Ref<Node> function;
    index_t offset = 0;
    int inputs() const { return released ? 0 : 1; }
    Node* input(int) const { return function.get(); }
    void release() {
      released = true;
      function = {};
    }
    void backward(Engine& engine) {
      std::byte* const all = engine.zeroed_target(function.get());
      copy_bytes(memory, all + offset, gradient->data, std::size_t(size.count()) * size_of(type));
    }
  };
};

}  // namespace detail
}  // namespace tt
