// The engine: runs nodes newest first, so that no dependency counts and no recursion are needed.
#pragma once
#include <tt/core/any_tensor.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tt {

/// One backward run of one thread.
struct Engine {
  bool retain = false;

  /// Where to write `node`'s gradient, and whether something is there already. A buffer that others see is copied first.
  /// Queues the node.
  std::pair<std::byte*, bool> target(Node* node) {
    const bool full = bool(node->gradient);
    if (!full || node->gradient->refs.value() != 1) {
      const std::size_t bytes = std::size_t(node->size.count()) * size_of(node->type);
      auto fresh = detail::make_storage(bytes);
      if (full) std::memcpy(fresh->data, node->gradient->data, bytes);
      node->gradient = std::move(fresh);
    }
    queue(node);
    return {node->gradient->data, full};
  }
  /// Hands a whole gradient on without copying it. @pre nothing has arrived at `node` yet
  void pass(Node* node, const detail::Ref<Storage>& gradient) {
    node->gradient = gradient;
    queue(node);
  }
  void queue(Node* node) {
    if (std::exchange(node->queued, true)) return;
    heap().push_back(detail::Ref<Node>::share(node));
    std::push_heap(heap().begin(), heap().end(), older);
  }

  /// Sends `seed` (of the root's shape and dtype) from the root to every leaf.
  TT_NOINLINE void run(Node* root, detail::Ref<Storage> seed) {
    if (!heap().empty()) fail("tt::backward: called from within a backward run on the same thread");
    root->gradient = std::move(seed);
    queue(root);
    struct Reset {  // whatever was still waiting when a node threw
      ~Reset() {
        for (auto& node : heap()) node->queued = false, node->gradient = {};
        heap().clear();
      }
    } reset;
    while (!heap().empty()) {
      std::pop_heap(heap().begin(), heap().end(), older);
      const detail::Ref<Node> node = std::move(heap().back());
      heap().pop_back();
      node->queued = false;
      struct Spend {
        Node& n;
        ~Spend() { n.gradient = {}; }
      } spend{*node};
      if (node->released)
        fail({"tt::backward: the graph through ", node->name, " was freed by an earlier backward; call it with retain_graph the first time"});
      node->backward(*this);
      if (!retain) node->release();
    }
  }

 private:
  static bool older(const detail::Ref<Node>& a, const detail::Ref<Node>& b) { return a->order < b->order; }
  /// Kept for each thread: a warm training step takes nothing from the heap.
  static std::vector<detail::Ref<Node>>& heap() {
    static thread_local std::vector<detail::Ref<Node>> nodes;
    return nodes;
  }
};

namespace detail {

/// What the tape keeps of an operand.
struct Saved {
  Ref<Storage> storage;
  Ref<Node> node;
  unsigned version = 0;

  Saved() = default;
  explicit Saved(const AnyTensor& t) : storage(t.storage()), node(t.node()), version(t.version()) {}
  void check(const char* op) const {
    if (storage && storage->version != version)
      fail({"tt::backward: a tensor that ", op, " saved was changed in place after it was recorded"});
  }
  bool wanted() const { return bool(node); }
};

inline void add_gradient(std::byte* to, const std::byte* from, dtype type, index_t n) {
  const auto add = [&](auto* a, const auto* b) {
    for (index_t i = 0; i < n; ++i) a[i] += b[i];
  };
  if (type == dtype::float32) add(reinterpret_cast<float*>(to), reinterpret_cast<const float*>(from));
  else add(reinterpret_cast<double*>(to), reinterpret_cast<const double*>(from));
}

/// Describes the tensor a node stands for, and ties the two.
template <class Kind>
void attach(const AnyTensor& out, Kind* node, const char* name) {
  node->name = name;
  node->type = out.dtype();
  node->size = out.sizes();
  node->stamp();
  out.set_node(Ref<Node>(node));
}

}  // namespace detail
}  // namespace tt
