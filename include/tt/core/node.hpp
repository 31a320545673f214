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
struct Node;
class AnyTensor;
namespace detail {
struct SavedVisitor;
struct RecordedRun;
/// backward of a node on a gradient with a history, itself recorded (autograd/second_order.hpp).
using BackwardRecorded = void (*)(Node&, RecordedRun&, const AnyTensor& gradient);
}

/// What few nodes have: hooks on their gradient and the like (autograd/extras.hpp).
struct NodeExtras {
  void (*end)(NodeExtras*);
  /// Runs the node, in place of its backward and release.
  void (*run)(Node&, Engine&);
  /// Shows the hooks of a leaf a gradient that arrived aside.
  void (*arrived)(Node&, detail::Ref<Storage>& gradient);
  /// The tensor of a node was written to and has another node now.
  void (*written)(Node& before, Node& now);
};

/// What a kind of node does. A table, not virtual functions: g++ guesses the targets of a virtual call and optimises all of
/// them wherever a tensor ends. detail::node_kind<Kind> fills it with Kind's members of these names.
struct NodeKind {
  void (*backward)(Node&, Engine&);
  int (*inputs)(const Node&);
  Node* (*input)(const Node&, int);
  /// Forgets saved tensors and inputs.
  void (*release)(Node&);
  /// Of a leaf: adds the gradient that a run brings. Null for others.
  void (*take)(Node&, const detail::Ref<Storage>&, Engine&);
  /// Shows the visitor every tensor that is kept for backward, and keeps what it answers (autograd/saved.hpp). Null: none.
  void (*visit_saved)(Node&, detail::SavedVisitor&);
  /// The ops of a fused region, outermost first; none where `name` says it all.
  std::pair<const std::string_view*, int> (*fused)(const Node&);
  /// Null for kinds whose backward is recorded from outside (autograd/second_order.hpp), or not at all.
  detail::BackwardRecorded recorded;
  void (*end)(Node*);
};

/// One recorded operation, or a leaf that gathers gradients. Not a template: kernels are function pointers in the derived
/// nodes. `order` exceeds that of every input, so an order-first queue replaces dependency counts.
struct Node {
  const NodeKind* kind = nullptr;  ///< set by make_node()
  detail::Count refs;
  std::uint16_t size_class = 0;
  dtype type = dtype::float32;
  bool queued = false;     ///< in the owner's heap
  bool released = false;   ///< saved tensors are gone
  bool is_leaf = false;    ///< gathers the gradient of a tensor that was not computed
  std::uint64_t order = 0;
  dims size;               ///< of the output this node stands for, and so of its gradient
  const detail::Memory* memory = nullptr;  ///< where that lies; null: on the host
  std::atomic<Engine*> owner{nullptr};  ///< the run that fills `gradient`; another run must wait or keep its part aside
  detail::Ref<Storage> gradient;        ///< what has arrived so far in this run: contiguous, `size`, `type`
  Node* next_dying = nullptr;
  const char* name = "";
  NodeExtras* extras = nullptr;         ///< null for almost all

  static inline constinit thread_local std::uint64_t clock = 0;

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    if (extras) extras->end(extras);
  }

  void after(const Node* earlier) {
    if (earlier && earlier->order > order) order = earlier->order;
  }
  /// Newer than its inputs, whichever thread made them.
  void stamp() { order = clock = (std::max)(clock, order) + 1; }
};

namespace detail {

template <class Kind>
struct NodeFunctions {
  static void backward(Node& n, Engine& engine) { static_cast<Kind&>(n).backward(engine); }
  static int inputs(const Node& n) { return static_cast<const Kind&>(n).inputs(); }
  static Node* input(const Node& n, int i) { return static_cast<const Kind&>(n).input(i); }
  static void release(Node& n) { static_cast<Kind&>(n).release(); }
  static void take(Node& n, const Ref<Storage>& gradient, Engine& engine) { static_cast<Kind&>(n).take(gradient, engine); }
  static void visit_saved(Node& n, SavedVisitor& visitor) { static_cast<Kind&>(n).visit_saved(visitor); }
  static std::pair<const std::string_view*, int> fused(const Node& n) {
    if constexpr (requires(const Kind& kind) { kind.fused(); }) return static_cast<const Kind&>(n).fused();
    else return {nullptr, 0};
  }
  static void recorded(Node& n, RecordedRun& run, const AnyTensor& gradient) { static_cast<Kind&>(n).backward_recorded(run, gradient); }
  static void end(Node* n) { end_block(static_cast<Kind*>(n)); }
};
template <class Kind>
constexpr NodeKind make_node_kind() {
  using functions = NodeFunctions<Kind>;
  NodeKind kind{functions::backward, functions::inputs, functions::input, functions::release,
                nullptr,             nullptr,           functions::fused, nullptr,           functions::end};
  if constexpr (requires(Kind& node, const Ref<Storage>& gradient, Engine& engine) { node.take(gradient, engine); }) kind.take = functions::take;
  if constexpr (requires(Kind& node, RecordedRun& run, const AnyTensor& gradient) { node.backward_recorded(run, gradient); })
    kind.recorded = functions::recorded;
  if constexpr (requires(Kind& node, SavedVisitor& visitor) { node.visit_saved(visitor); }) kind.visit_saved = functions::visit_saved;
  return kind;
}
template <class Kind>
inline constexpr NodeKind node_kind = make_node_kind<Kind>();
/// A new node, with room for `extra_bytes` behind it.
template <class Kind>
Kind* make_node(std::size_t extra_bytes = 0) {
  auto* node = make_block<Kind>(extra_bytes);
  node->kind = &node_kind<Kind>;
  return node;
}

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
    last->kind->end(last);
  }
  dying.active = false;
}

}  // namespace tt
