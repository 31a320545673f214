// What nodes keep of their operands, and how it is taken out and put back.
#pragma once
#include <tt/autograd/extras.hpp>

namespace tt::detail {

/// What the tape keeps of an operand.
struct Saved {
  Ref<Storage> storage;
  Ref<Node> node;
  unsigned version = 0;

  Saved() = default;
  explicit Saved(const AnyTensor& t) : storage(t.storage()), node(t.node()), version(t.version()) {}
  /// Refuses what was changed since: the operation is named with the extents of its result.
  void check(const Node& of) const {
    if (storage && storage->version != version)
      fail({"tt::backward: a tensor that ", of.name, " saved for its result of ", of.size,
            " was changed in place: it is at version ", storage->version, ", and was saved at version ", version});
  }
};

/// Sees each tensor that a node has kept. The elements of one that was taken out are not there, but its extents are.
struct SavedVisitor {
  /// @return the same elements wherever they are now, or an undefined tensor: they are taken out
  AnyTensor (*see)(SavedVisitor&, const AnyTensor& kept);
  AnyTensor operator()(const AnyTensor& kept) { return see(*this, kept); }

  /// For a tensor that the node holds as a handle beside what it checks.
  TT_NOINLINE void visit(AnyTensor& handle, Saved& saved) {
    if (!handle.defined()) return;
    const AnyTensor other = (*this)(handle);
    handle = other.defined() ? other.packed().detach() : handle.detach();  // the body may be the user's
    if (!other.defined()) handle.body()->storage = {}, handle.body()->data = nullptr;
    saved.storage = handle.storage();
    if (saved.storage) saved.version = saved.storage->version;
  }
};

/// What nodes of one operand share that keep it and their result.
struct OperandAndResult : Node {
  Saved x, y;
  AnyTensor input_values, output_values;  // views without history

  void keep(const AnyTensor& operand, const AnyTensor& result) {
    x = Saved(operand), y = Saved(result);
    input_values = operand.detach(), output_values = result.detach();
    after(x.node.get());
  }
  void check() const { x.check(*this), y.check(*this); }
  void visit_saved(SavedVisitor& visitor) { visitor.visit(input_values, x), visitor.visit(output_values, y); }
  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return x.node.get(); }
  void release() {
    released = true;
    x = y = {};
    input_values = output_values = {};
  }
};

}  // namespace tt::detail
