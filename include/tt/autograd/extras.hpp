// What few nodes have beside their operands. A node without any of it pays one comparison with null a run, and a program
// that uses none of it does not compile it (autograd/watched.hpp): all calls go through pointers.
#pragma once
#include <tt/core/any_tensor.hpp>
#include <tt/core/move.hpp>

#include <vector>

namespace tt::detail {

/// A function that sees a gradient, and returns what takes its place or an undefined tensor.
struct GradientHook {
  Count refs;
  bool removed = false;

  virtual AnyTensor operator()(const AnyTensor& gradient) = 0;
  virtual ~GradientHook() = default;
};
TT_NOINLINE inline void destroy(GradientHook* hook) { delete hook; }

/// A saved tensor in the form that a user's function gave it.
struct PackedTensor {
  Count refs;
  virtual AnyTensor unpack() const = 0;
  virtual ~PackedTensor() = default;
};
TT_NOINLINE inline void destroy(PackedTensor* packed) { delete packed; }

struct Extras : NodeExtras {
  std::vector<Ref<GradientHook>> hooks;
  bool retains;
  Ref<Storage> retained;
  std::vector<Ref<PackedTensor>> packed;  ///< of the tensors that visit_saved shows, in its order
  place where;                            ///< of the call that recorded the node, in anomaly mode
};

/// Who looks at this thread's nodes as they are recorded and run: anomaly mode, or a user's way of keeping saved tensors.
struct Watch {
  void (*recorded)(Node&);
  void (*run)(Node&, Engine&);
};
inline constinit thread_local const Watch* watching = nullptr;

inline Ref<Storage> retained_gradient(const Node* node) {
  return node && node->extras ? static_cast<Extras*>(node->extras)->retained : Ref<Storage>();
}

/// A buffer of a node's gradient as a tensor.
TT_NOINLINE inline AnyTensor gradient_tensor(const Node& node, const Ref<Storage>& buffer) {
  AnyTensor g(make_body(node.type, node.size));
  row_major(node.size, g.body()->stride);
  g.body()->storage = buffer;
  g.body()->data = buffer->data;
  return g;
}
/// A tensor as a buffer that nodes can read: contiguous from its start, with a spare vector.
inline Ref<Storage> gradient_storage(const AnyTensor& g) {
  const bool fits = g.is_contiguous() && g.storage_offset() == 0 && g.storage()->spare;
  return fits ? g.storage() : g.copied().storage();
}

/// to[i * to_step] += from[i * from_step]. Complex numbers are added part by part.
TT_NOINLINE inline void add_gradient(std::byte* to, const std::byte* from, dtype type, index_t n, index_t to_step = 1,
                                     index_t from_step = 1) {
  const bool dense = to_step == 1 && from_step == 1;
  const index_t parts = parts_of(type), runs = dense ? 1 : n, length = dense ? n * parts : parts;
  visit_floating(real_dtype(type), [&]<class Number>(Number) {
    auto* __restrict a = reinterpret_cast<Number*>(to);
    const auto* __restrict b = reinterpret_cast<const Number*>(from);
    for (index_t run = 0; run < runs; ++run, a += to_step * parts, b += from_step * parts)
      for (index_t i = 0; i < length; ++i) a[i] += b[i];
  });
}

/// to += from, all elements of a gradient of a node.
TT_NOINLINE inline void add_whole(const Node& node, std::byte* to, const std::byte* from) {
  const index_t n = node.size.count();
  if (!node.memory) return add_gradient(to, from, node.type, n);
  Move all;
  all.push_back(n, 1, 1);
  node.memory->add(*node.memory, all, to, from, node.type);
}
/// For gradients that are computed on the host only.
inline void require_host(const Node& node) {
  if (node.memory)
    fail_not_implemented({"tt::backward: the gradient of ", node.name, " is not there for tensors on ", name_of(node.memory->where)});
}

[[noreturn]] TT_NOINLINE inline void graph_was_freed(const Node& node) {
  fail({"tt::backward: the graph through ", node.name, " was freed by an earlier backward; call it with retain_graph the first time"});
}

}  // namespace tt::detail
