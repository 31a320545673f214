// Nodes of the tape in the order in which they run.
#pragma once
#include <tt/core/node.hpp>

#include <algorithm>
#include <vector>

namespace tt::detail {

/// Newest first. By address where orders of two threads are equal: all runs go the same way, so none waits in a circle.
inline bool older(const Ref<Node>& a, const Ref<Node>& b) {
  return a->order != b->order ? a->order < b->order : reinterpret_cast<std::uintptr_t>(a.get()) < reinterpret_cast<std::uintptr_t>(b.get());
}
using NodeHeap = std::vector<Ref<Node>>;
inline void push_node(NodeHeap& heap, Node* node) {
  heap.push_back(Ref<Node>::share(node));
  std::push_heap(heap.begin(), heap.end(), older);
}
inline Ref<Node> pop_node(NodeHeap& heap) {
  std::pop_heap(heap.begin(), heap.end(), older);
  Ref<Node> node = std::move(heap.back());
  heap.pop_back();
  return node;
}

}  // namespace tt::detail
