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
  virtual AnyTensor operator()(const AnyTensor& kept) = 0;

  /// For a tensor that the node holds as a handle beside what it checks.
  void visit(AnyTensor& handle, Saved& saved) {
    if (!handle.defined()) return;
    const AnyTensor other = (*this)(handle);
    handle = other.defined() ? other.packed().detach() : handle.detach();  // the body may be the user's
    if (!other.defined()) handle.body()->storage = {}, handle.body()->data = nullptr;
    saved.storage = handle.storage();
    if (saved.storage) saved.version = saved.storage->version;
  }

 protected:
  ~SavedVisitor() = default;
};

/// A user's way of keeping tensors (autograd/watch.hpp).
struct SavedHooks {
  virtual Ref<PackedTensor> pack(const AnyTensor& kept) = 0;

 protected:
  ~SavedHooks() = default;
};
inline constinit thread_local SavedHooks* saved_hooks = nullptr;

/// A node was recorded while somebody watches.
TT_NOINLINE inline void note_recorded(Node& node) {
  if (anomaly && current_place.file) extras_of(node).where = current_place;
  if (!saved_hooks) return;
  struct Pack final : SavedVisitor {
    Extras* extras = nullptr;
    Node& of;
    SavedHooks& hooks = *saved_hooks;
    explicit Pack(Node& n) : of(n) {}
    AnyTensor operator()(const AnyTensor& kept) override {
      const no_grad guard;
      struct Off {
        SavedHooks* before = std::exchange(saved_hooks, nullptr);
        ~Off() { saved_hooks = before; }
      } off;
      extras_of(of).packed.push_back(hooks.pack(kept));
      return {};
    }
  } pack(node);
  node.visit_saved(pack);
}

/// Takes everything out.
struct TakeOut final : SavedVisitor {
  AnyTensor operator()(const AnyTensor&) override { return {}; }
};

/// Puts back what was packed.
struct Unpack final : SavedVisitor {
  const std::vector<Ref<PackedTensor>>& packed;
  std::size_t next = 0;

  explicit Unpack(const std::vector<Ref<PackedTensor>>& all) : packed(all) {}
  AnyTensor operator()(const AnyTensor& kept) override {
    AnyTensor t = packed[next++]->unpack();
    if (!t.defined() || t.dtype() != kept.dtype() || !(t.sizes() == kept.sizes()))
      fail({"tt::saved_tensors_hooks: unpack must give a tensor of ", name_of(kept.dtype()), " ", kept.sizes(), " again"});
    return t;
  }
};

}  // namespace tt::detail
