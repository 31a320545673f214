// The engine: runs nodes newest first, so that no dependency counts and no recursion are needed.
#pragma once
#include <tt/autograd/node_heap.hpp>
#include <tt/autograd/saved.hpp>

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tt {

namespace detail {
struct Selection;  // autograd/selection.hpp
}

/// One backward run of one thread. Where two runs meet in a node, one owns the node's slot; the other keeps its gradient
/// aside, and waits for the node only when everything newer is done, so that no two can wait for each other.
struct Engine {
  bool retain = false;
  detail::Selection* selection = nullptr;  ///< only these nodes are run, and wanted gradients are kept there
  void (*run_selected)(Node&, Engine&) = nullptr;  ///< runs them
  /// By this, leaves add: a unit that makes leaves and never runs backward does not compile it.
  void (*const add)(const Node&, std::byte*, const std::byte*) = detail::add_whole;

  /// What has arrived at `node` in this run.
  const detail::Ref<Storage>& arrived(Node* node) { return place(node).gradient; }
  bool reached(Node* node) { return bool(arrived(node)); }
  /// Where to write `node`'s gradient, and whether something is there already. A buffer that others see is copied first.
  /// Queues the node.
  std::pair<std::byte*, bool> target(Node* node) {
    detail::Ref<Storage>& gradient = queued(node);
    const bool full = bool(gradient);
    if (!full || gradient->refs.value() != 1) {
      const std::size_t bytes = std::size_t(node->size.count()) * size_of(node->type);
      auto fresh = detail::make_storage(bytes, node->memory);
      if (full) detail::copy_bytes(node->memory, fresh->data, gradient->data, bytes);
      gradient = std::move(fresh);
    }
    return {gradient->data, full};
  }
  /// Where to add to `node`'s gradient: zeros if nothing has arrived.
  std::byte* zeroed_target(Node* node) {
    const auto [data, full] = target(node);
    if (!full) detail::zero_bytes(node->memory, data, std::size_t(node->size.count()) * size_of(node->type));
    return data;
  }
  /// Hands a whole gradient on without copying it. @pre nothing has arrived at `node` yet
  void pass(Node* node, const detail::Ref<Storage>& gradient) {
    queued(node) = gradient;
  }
  /// Hands a whole gradient on, and adds it where something has arrived.
  void give(Node* node, const detail::Ref<Storage>& gradient) {
    if (!reached(node)) return pass(node, gradient);
    detail::add_whole(*node, target(node).first, gradient->data);
  }

  /// Sends `seed` (of the root's shape and dtype) from the root to every leaf.
  TT_NOINLINE void run(Node* root, detail::Ref<Storage> seed) {
    const Nest nest(*this);
    pass(root, seed);
    seed = {};
    struct Reset {  // whatever was still waiting when a node threw
      Engine& engine;
      ~Reset() {
        for (auto& node : heap()) engine.leave(*node);
        heap().clear();
      }
    } reset{*this};
    while (!heap().empty()) {
      const detail::Ref<Node> node = detail::pop_node(heap());
      if (!aside_.empty() && !come_back(*node)) continue;
      struct Spend {
        Engine& engine;
        Node& node;
        ~Spend() { engine.leave(node); }
      } spend{*this, *node};
      if (node->extras || detail::watching || selection) [[unlikely]] {
        (node->extras ? node->extras->run : selection ? run_selected : detail::watching->run)(*node, *this);
        continue;
      }
      if (node->released) detail::graph_was_freed(*node);
      node->kind->backward(*node, *this);
      if (!retain) node->kind->release(*node);
    }
  }

 private:
  struct Aside {
    Node* node;
    detail::Ref<Storage> gradient;
    bool queued = false;
  };

  bool own(Node& node) {
    Engine* nobody = node.owner.load(std::memory_order_relaxed);
    if (nobody == this) return true;
    if (nobody) return false;
    if (detail::single_threaded()) {
      node.owner.store(this, std::memory_order_relaxed);
      return true;
    }
    return node.owner.compare_exchange_strong(nobody, this, std::memory_order_acquire);
  }
  void leave(Node& node) {
    if (node.owner.load(std::memory_order_relaxed) != this) return;
    node.queued = false;
    node.gradient = {};
    node.owner.store(nullptr, std::memory_order_release);
  }
  Aside* aside(const Node* node) {
    for (Aside& a : aside_)
      if (a.node == node) return &a;
    return nullptr;
  }
  struct Place {
    detail::Ref<Storage>& gradient;
    bool& queued;
  };
  TT_INLINE Place place(Node* node) {
    if (aside_.empty() && own(*node)) [[likely]] return {node->gradient, node->queued};
    return place_aside(node);
  }
  TT_NOINLINE Place place_aside(Node* node) {
    Aside* a = aside(node);
    if (!a && own(*node)) return {node->gradient, node->queued};
    if (!a) a = &aside_.emplace_back(Aside{node, {}, false});
    return {a->gradient, a->queued};
  }
  /// The node's slot; the node will be run.
  TT_INLINE detail::Ref<Storage>& queued(Node* node) {
    const Place at = place(node);
    if (!std::exchange(at.queued, true)) {
      detail::push_node(heap(), node);
    }
    return at.gradient;
  }
  /// Before a node that was reached while another run owned it is run. False if nothing is left to do for it.
  TT_NOINLINE bool come_back(Node& node) {
    Aside* const a = aside(&node);
    if (!a) return true;
    detail::Ref<Storage> gradient = std::move(a->gradient);
    *a = std::move(aside_.back());
    aside_.pop_back();
    if (node.is_leaf && !selection) {
      if (node.extras) node.extras->arrived(node, gradient);
      node.kind->take(node, gradient, *this);
      return false;
    }
    while (!own(node)) {
      for (const Engine* e = outer_; e; e = e->outer_)
        if (node.owner.load(std::memory_order_relaxed) == e)
          fail({"tt::backward: ", node.name, " is part of the graph that called this backward from a hook or a custom backward"});
      sched_yield();
    }
    node.gradient = gradient;
    return true;
  }

  /// Kept for each thread: a warm training step takes nothing from the heap.
  static detail::NodeHeap& heap() {
    static thread_local detail::NodeHeap nodes;
    return nodes;
  }
  /// A run inside a run of the same thread: a hook, a custom backward or a checkpoint may call backward.
  struct Nest {
    detail::NodeHeap waiting;
    explicit Nest(Engine& engine) {
      engine.outer_ = std::exchange(running(), &engine);
      if (engine.outer_) waiting.swap(heap());
    }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;
    ~Nest() {
      Engine* const outer = running() = running()->outer_;
      if (outer) waiting.swap(heap());
    }
  };
  static Engine*& running() {
    static constinit thread_local Engine* innermost = nullptr;
    return innermost;
  }

  std::vector<Aside> aside_;
  Engine* outer_ = nullptr;
};

namespace detail {

/// Describes the tensor a node stands for, and ties the two.
inline void attach(const AnyTensor& out, Node* node, const char* name) {
  node->name = name;
  node->type = out.dtype();
  node->size = out.sizes();
  node->memory = out.memory();
  node->stamp();
  out.set_node(Ref<Node>(node));
  if (watching) [[unlikely]] watching->recorded(*node);
}

}  // namespace detail
}  // namespace tt
