// The part of a graph that lies between a result and the tensors whose gradients are asked for.
#pragma once
#include <tt/autograd/node_heap.hpp>
#include <tt/core/any_tensor.hpp>

#include <span>

namespace tt::detail {

struct Selection {
  struct Entry {
    Ref<Node> node;
    bool wanted = false;   ///< its gradient is the answer
    bool further = false;  ///< there is something wanted below it
    AnyTensor gradient;    ///< the answer, or with a history what has arrived so far
  };
  Ref<Node> freed;             ///< a node that has forgotten what lies below it, if there is one
  std::vector<Entry> entries;  ///< newest first; only nodes on a path to something wanted

  TT_NOINLINE Selection(Node* root, std::span<const AnyTensor* const> wanted) {
    NodeHeap waiting;
    push_node(waiting, root);
    while (!waiting.empty()) {  // every edge is pushed once; equal nodes come out one after another
      Ref<Node> node = pop_node(waiting);
      if (!entries.empty() && entries.back().node == node) continue;
      if (node->released) freed = node;
      for (int i = 0; i < node->kind->inputs(*node); ++i)
        if (Node* input = node->kind->input(*node, i)) push_node(waiting, input);
      entries.push_back({std::move(node), false, false, {}});
    }
    for (const AnyTensor* t : wanted)
      if (Entry* e = find(t->node().get())) e->wanted = true;
    for (std::size_t k = entries.size(); k-- > 0;) {
      const Node& node = *entries[k].node;
      for (int i = 0; i < node.kind->inputs(node) && !entries[k].further; ++i)
        if (Entry* e = find(node.kind->input(node, i))) entries[k].further = e->wanted || e->further;
    }
    std::erase_if(entries, [](const Entry& e) { return !e.wanted && !e.further; });
  }
  Entry* find(Node* node) {
    if (!node) return nullptr;
    const Ref<Node> sought = Ref<Node>::share(node);
    std::size_t low = 0, high = entries.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (older(sought, entries[middle].node)) low = middle + 1;
      else high = middle;
    }
    return low < entries.size() && entries[low].node == sought ? &entries[low] : nullptr;
  }
};

}  // namespace tt::detail
