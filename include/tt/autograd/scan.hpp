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
    engine.give(to.get(), scan_axis(*kernel, gradient_tensor(*this, gradient), axis, type, !from_end).storage());
  }
};

/// cumprod, logcumsumexp.
struct SlopedScanNode final : OperandAndResult {
  const ScanKernel* kernel = nullptr;
  int axis = 0;

  void backward(Engine& engine) {
    check();
    if (!x.node) return;
    const AnyTensor flat = input_values.packed(), own = AnyTensor::empty(type, size);
    kernel->back({size, axis, type, flat.data_ptr(), output_values.data_ptr(), gradient->data, own.data_ptr()});
    engine.give(x.node.get(), own.storage());
  }
};

inline void record_sloped_scan(const AnyTensor& out, const AnyTensor& x, const ScanKernel& k, int axis) {
  auto* node = make_node<SlopedScanNode>();
  node->keep(x, out);
  node->kernel = &k;
  node->axis = axis;
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
