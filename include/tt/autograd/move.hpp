// The nodes of copies that rearrange: the moves backwards, adding; and of triangles.
#pragma once
#include <tt/autograd/sums.hpp>
#include <tt/dispatch/diagonal.hpp>

namespace tt::detail {

/// One allocation: the inputs' nodes follow.
struct MoveNode final : Node {
  MoveList moves;
  int count = 0;
  Ref<Node>* to = nullptr;  ///< [count], behind the node

  int inputs() const { return released ? 0 : count; }
  Node* input(int i) const { return to[i].get(); }
  void release() {
    if (std::exchange(released, true)) return;
    std::destroy_n(to, count);
    moves = {};
  }
  ~MoveNode() { MoveNode::release(); }

  void backward(Engine& engine) {
    // An input that was named twice has one node: only its first moves may assign, the others add.
    const auto room = make_storage(std::size_t(moves.count) * sizeof(Node*));
    Node** const adds = reinterpret_cast<Node**>(room->data);
    Node* fresh = nullptr;
    int current = -1;
    for (const MoveList::Entry& e : moves) {
      Node* const node = to[e.input].get();
      if (e.input != current) {
        current = e.input;
        fresh = moves.once && !engine.reached(node) ? node : nullptr;
      }
      if (fresh) move_within(memory, reversed(e.move), engine.target(node).first, gradient->data, type);
      adds[&e - moves.begin()] = fresh ? nullptr : node;
    }
    for (int i = 0; i < moves.count; ++i)
      if (adds[i]) add_all_of(adds[i], i, adds, engine);
  }

  /// The move backwards, adding.
  /// @param to sums of `item` bytes
  TT_NOINLINE static void add_moved_back(const Move& m, std::byte* to, index_t item, const std::byte* gradient,
                                         dtype type) {
    each_row(m, [&](index_t from, index_t at, index_t n, index_t from_step, index_t at_step) {
      add_to_sums(to + from * item, gradient + at * index_t(size_of(type)), type, n, from_step, at_step);
    });
  }

 private:
  /// All moves from `first` on that add to one node, which are then done.
  TT_NOINLINE void add_all_of(Node* node, int first, Node** adds, Engine& engine) const {
    if (memory) return add_on_device(node, first, adds, engine);
    const Sums sums(engine, node);
    for (int i = first; i < moves.count; ++i) {
      if (adds[i] != node) continue;
      add_moved_back(moves.begin()[i].move, sums.data(), sums.item(), gradient->data, type);
      adds[i] = nullptr;
    }
    sums.store();
  }
  TT_NOINLINE void add_on_device(Node* node, int first, Node** adds, Engine& engine) const {
    std::byte* const data = engine.zeroed_target(node);
    for (int i = first; i < moves.count; ++i) {
      if (adds[i] != node) continue;
      const Move& m = moves.begin()[i].move;
      if (windows_overlap(m.size, m.from)) require_host(*this);
      memory->add(*memory, reversed(m), data, gradient->data, type);
      adds[i] = nullptr;
    }
  }
};

inline void record_move(const AnyTensor& out, std::span<const AnyTensor> inputs, const MoveList& moves,
                        const char* name) {
  auto* node = make_node<MoveNode>(inputs.size() * sizeof(Ref<Node>));
  node->to = reinterpret_cast<Ref<Node>*>(node + 1);
  node->moves = moves;
  for (const AnyTensor& x : inputs) {
    new (node->to + node->count++) Ref<Node>(x.node());
    node->after(x.node().get());
  }
  attach(out, node, name);
}

/// The gradient of what a triangle kept.
struct TriangleNode final : Node {
  Ref<Node> to;
  index_t diagonal = 0;
  triangle part = triangle::lower;

  int inputs() const { return released ? 0 : 1; }
  Node* input(int) const { return to.get(); }
  void release() {
    released = true;
    to = {};
  }
  void backward(Engine& engine) {
    require_host(*this);
    std::byte* data = engine.zeroed_target(to.get());
    const index_t rows = size[-2], columns = size[-1], item = index_t(size_of(type));
    for (index_t i = 0, all = columns ? size.count() / columns : 0; i < all; ++i) {
      const auto [first, last] = triangle_columns(i % rows, columns, diagonal, part);
      const index_t at = (i * columns + first) * item;
      if (first < last) add_gradient(data + at, gradient->data + at, type, last - first);
    }
  }
};
inline void record_triangle(const AnyTensor& out, const AnyTensor& x, index_t diagonal, triangle part) {
  auto* node = make_node<TriangleNode>();
  node->to = x.node();
  node->diagonal = diagonal;
  node->part = part;
  node->after(x.node().get());
  attach(out, node, part == triangle::lower ? "tril" : "triu");
}

}  // namespace tt::detail
