// The nodes of scans. An element is in the sums of its own place and of all that follow, so its gradient is the sum of
// theirs, from the end; where slopes follow from the elements, those and the results are kept.
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

/// cumprod, logcumsumexp.
struct SlopedScanNode final : Node {
  Saved x, y;
  AnyTensor input_values, output_values;  // views without history
  const ScanKernel* kernel = nullptr;
  int axis = 0;

  void visit_saved(SavedVisitor& visitor) { visitor.visit(input_values, x), visitor.visit(output_values, y); }
  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return x.node.get(); }
  void release() {
    released = true;
    x = y = {};
    input_values = output_values = {};
  }
  void backward(Engine& engine) {
    x.check(*this), y.check(*this);
    Node* const to = x.node.get();
    if (!to) return;
    const AnyTensor flat = input_values.packed(), own = AnyTensor::empty(type, size);
    kernel->back({size, axis, type, flat.data_ptr(), output_values.data_ptr(), gradient->data, own.data_ptr()});
    if (!engine.reached(to)) engine.pass(to, own.storage());
    else add_gradient(engine.target(to).first, own.data_ptr(), type, own.numel());
  }
};

inline void record_sloped_scan(const AnyTensor& out, const AnyTensor& x, const ScanKernel& k, int axis) {
  auto* node = make_node<SlopedScanNode>();
  node->x = Saved(x);
  node->y = Saved(out);
  node->input_values = x.detach();
  node->output_values = out.detach();
  node->kernel = &k;
  node->axis = axis;
  node->after(node->x.node.get());
  attach(out, node, k.name.data());
}
inline void record_scan(const AnyTensor& out, const AnyTensor& x, const ScanKernel& k, int axis, bool from_end) {
  if (k.back) return record_sloped_scan(out, x, k, axis);
  auto* node = make_node<ScanNode>();
  node->to = x.node();
  node->kernel = &k;
  node->axis = axis;
  node->from_end = from_end;
  node->after(x.node().get());
  attach(out, node, k.name.data());
}

}  // namespace tt::detail
