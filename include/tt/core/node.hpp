// A place on the tape, as far as a tensor must know it. The engine that runs it is in autograd/.
#pragma once
#include <tt/core/shape.hpp>
#include <tt/core/dtype.hpp>
#include <tt/core/message.hpp>
#include <tt/core/storage.hpp>

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tt {

struct Engine;
namespace detail {
struct SavedVisitor;
}

/// What few nodes have: hooks on their gradient and the like (autograd/extras.hpp).
struct NodeExtras {
  virtual ~NodeExtras() = default;
};

/// One recorded operation, or a leaf that gathers gradients. Not a template: kernels are function pointers in the derived
/// nodes. `order` exceeds that of every input, so an order-first queue replaces dependency counts.
struct Node {
  detail::Count refs;
  std::uint16_t size_class = 0;
  dtype type = dtype::float32;
  bool queued = false;     ///< in the owner's heap
  bool released = false;   ///< saved tensors are gone
  bool is_leaf = false;    ///< gathers the gradient of a tensor that was not computed
  std::uint64_t order = 0;
  dims size;               ///< of the output this node stands for, and so of its gradient
  std::atomic<Engine*> owner{nullptr};  ///< the run that fills `gradient`; another run must wait or keep its part aside
  detail::Ref<Storage> gradient;        ///< what has arrived so far in this run: contiguous, `size`, `type`
  Node* next_dying = nullptr;
  const char* name = "";
  NodeExtras* extras = nullptr;         ///< null for almost all

  static inline constinit thread_local std::uint64_t clock = 0;

  virtual void backward(Engine&) = 0;
  virtual int inputs() const { return 0; }
  virtual Node* input(int) const { return nullptr; }
  /// Of a leaf: adds the gradient that a run brings.
  virtual void take(const detail::Ref<Storage>&) {}
  /// Forgets saved tensors and inputs.
  virtual void release() {}
  /// Shows the visitor every tensor that is kept for backward, and keeps what it answers (autograd/saved.hpp).
  virtual void visit_saved(detail::SavedVisitor&) {}
  /// The ops of a fused region, outermost first; none where `name` says it all.
  virtual std::pair<const std::string_view*, int> fused() const { return {nullptr, 0}; }
  virtual ~Node() {
    if (extras) delete extras;
  }

  void after(const Node* earlier) {
    if (earlier && earlier->order > order) order = earlier->order;
  }
  /// Newer than its inputs, whichever thread made them.
  void stamp() { order = clock = (std::max)(clock, order) + 1; }
};

namespace detail {
struct Dying {
  Node* first = nullptr;
  bool active = false;
};
inline constinit thread_local Dying dying;
}  // namespace detail

/// Iterative: a chain of 100,000 nodes ends without recursion. The list is in the nodes, so that globals may end after the
/// thread's own objects.
TT_NOINLINE inline void destroy(Node* node) {
  auto& dying = detail::dying;
  node->next_dying = std::exchange(dying.first, node);
  if (dying.active) return;
  dying.active = true;
  while (Node* last = dying.first) {
    dying.first = last->next_dying;
    detail::end_block(last);
  }
  dying.active = false;
}

}  // namespace tt
