// The node of a sum up to each place: an element is in the sums of its own place and of all that follow, so its gradient
// is the sum of theirs, from the end.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/scan.hpp>

namespace tt::detail {

struct ScanNode final : Node {
  Ref<Node> to;
  const ScanKernel* kernel = nullptr;
  int axis = 0;
  bool from_end = false;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return to.get(); }
  void release() {
    released = true;
    to = {};
  }
  void backward(Engine& engine) {
    Node* const input = to.get();
    const AnyTensor own = scan_axis(*kernel, gradient_tensor(*this, gradient), axis, type, !from_end);
    if (!engine.reached(input)) engine.pass(input, own.storage());
    else add_gradient(engine.target(input).first, own.data_ptr(), type, own.numel());
  }
};

inline void record_scan(const AnyTensor& out, const AnyTensor& x, const ScanKernel& k, int axis, bool from_end) {
  auto* node = make_node<ScanNode>();
  node->to = x.node();
  node->kernel = &k;
  node->axis = axis;
  node->from_end = from_end;
  node->after(x.node().get());
  attach(out, node, k.name.data());
}

}  // namespace tt::detail
