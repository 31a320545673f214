// The node of a result that stands still but where it jumps: it is on the tape, and no gradient flows from it.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/core/recording.hpp>

namespace tt::detail {

struct StillNode final : Node {
  int inputs() const { return 0; }
  Node* input(int) const { return nullptr; }
  void release() { released = true; }
  void backward(Engine&) {}
  void backward_recorded(RecordedRun&, const AnyTensor&) {}
};

inline void record_still(const AnyTensor& out, const AnyTensor& of) {
  if (!recording || !of.requires_grad()) return;
  auto* node = make_node<StillNode>();
  node->after(of.node().get());
  attach(out, node, "norm");
}

}  // namespace tt::detail
