// The node of an elementwise region: its leaves and two kernels. y is recomputed, so nothing else is kept.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/map.hpp>

namespace tt::detail {

/// One allocation: the leaves follow the node. How much of it is needed depends on their number.
struct MapNode : Node {
  enum class Keeps : std::uint8_t { constant, tensor, nothing };  ///< nothing: backward does not read the value
  struct Kept {
    Strided leaf;
    Constant constant;
    Saved saved;
    Keeps keeps = Keeps::constant;
  };
  const MapKernel* kernel = nullptr;
  int count = 0;
  bool undoes = false;                ///< the one thing kept is the output
  Space space;
  index_t gradient_stride[max_rank];  ///< of the incoming gradient over the space: 0 along axes that were reduced

  Kept* kept = nullptr;               ///< [count], behind the node

  int inputs() const { return released ? 0 : count; }
  Node* input(int i) const { return kept[i].saved.node.get(); }
  void release() {
    if (!std::exchange(released, true)) std::destroy_n(kept, count);
  }
  std::pair<const std::string_view*, int> fused() const { return {kernel->names, kernel->name_count}; }
  ~MapNode() { MapNode::release(); }

  void visit_saved(SavedVisitor& visitor) {
    for (int k = 0; !released && k < count; ++k) {
      Kept& one = kept[k];
      if (one.keeps != Keeps::tensor) continue;
      const AnyTensor other = visitor(kept_tensor(one));
      one.saved.storage = other.defined() ? other.storage() : Ref<Storage>();
      if (!other.defined()) continue;
      const AnyTensor flat = space.flat ? other.packed() : other;
      one.saved.storage = flat.storage();
      one.saved.version = flat.version();
      lower_tensor(one.leaf, flat, space);
    }
  }
  /// An operand as it was; leading axes that were only broadcast are gone where its node does not tell.
  AnyTensor kept_tensor(const Kept& one) const {
    const Node* const known = space.flat || undoes ? this : one.saved.node.get();
    const int rank = space.size.rank;
    int first = 0;
    if (known) first = rank - known->size.rank;
    else
      while (first < rank && one.leaf.stride[first] == 0) ++first;
    dims extents;
    if (known) extents = known->size;
    else
      for (int i = first; i < rank; ++i) extents.push_back(one.leaf.stride[i] == 0 ? 1 : space.size.extent[i]);
    AnyTensor t(make_body(one.leaf.type, extents));
    if (space.flat) row_major(extents, t.body()->stride);
    else std::copy_n(one.leaf.stride + first, extents.rank, t.body()->stride);
    t.body()->storage = one.saved.storage;
    t.body()->data = one.leaf.data;
    return t;
  }

  void backward(Engine& engine) {
    Strided operand[max_leaves + 1];
    GradientSlot slot[max_leaves];
    Region region;
    const int rank = space.size.rank;
    region.size.rank = rank;
    for (int i = 0; i < rank; ++i) region.size.extent[i] = space.size.extent[i];
    region.leaves = count;
    region.leaf = operand;
    region.gradient = slot;
    operand[count].data = gradient->data;
    operand[count].type = type;
    operand[count].spare = true;
    for (int i = 0; i < rank; ++i) operand[count].stride[i] = gradient_stride[i];
    bool any = false;
    for (int k = 0; k < count; ++k) {
      Kept& one = kept[k];
      one.saved.check(*this);
      const Strided& read = one.keeps == Keeps::nothing ? operand[count] : one.leaf;  // some packets, to look like the others
      operand[k].data = one.keeps == Keeps::constant ? constant_data(one.constant, kernel->compute) : read.data;
      if (one.keeps == Keeps::constant) region.numbers |= 1u << k;
      operand[k].type = read.type;
      operand[k].spare = read.spare;
      for (int i = 0; i < rank; ++i) operand[k].stride[i] = read.stride[i];
      slot[k].to.data = nullptr;
      Node* to = one.saved.node.get();
      if (!to) continue;
      if ((kernel->passes >> k & 1) && to->type == type && (space.flat || (to->size == size && size == space.size)) && !engine.reached(to)) {
        engine.pass(to, gradient);
        continue;
      }
      any = true;
      slot[k].to.type = to->type;
      if (space.flat) {
        slot[k].count = space.size.extent[0];
        slot[k].to.stride[0] = 1;
      } else {
        slot[k].count = to->size.count();
        index_t stride[max_rank];
        row_major(to->size, stride);
        lay_over(slot[k].to.stride, space.size, to->size, stride);
      }
      const auto [data, full] = engine.target(to);
      slot[k].to.data = data;
      slot[k].first = !full;
    }
    if (any) kernel->drive_back(undoes ? kernel->undo : kernel->backward, region);
  }
};

template <class Kind>
Kind* make_map_node(const MapKernel& k, const Entry* entry, int count, const Space& space) {
  auto* node = make_node<Kind>(std::size_t(count) * sizeof(MapNode::Kept));
  node->kept = reinterpret_cast<MapNode::Kept*>(node + 1);
  node->kernel = &k;
  node->count = count;
  node->space.flat = space.flat;
  node->space.size.rank = space.size.rank;
  for (int i = 0; i < space.size.rank; ++i) node->space.size.extent[i] = space.size.extent[i];
  if (space.flat) node->gradient_stride[0] = 1;
  else row_major(space.size, node->gradient_stride);
  for (int i = 0; i < count; ++i) {
    auto* one = new (node->kept + i) MapNode::Kept;
    one->constant = entry[i].constant;
    if (entry[i].tensor && !(k.reads >> i & 1)) {
      one->keeps = MapNode::Keeps::nothing;
      one->saved.node = entry[i].tensor->node();
    } else {
      lower_entry(one->leaf, entry[i], space, k.compute);
      if (entry[i].tensor) one->keeps = MapNode::Keeps::tensor, one->saved = Saved(*entry[i].tensor);
    }
    if (!(k.wants >> i & 1)) one->saved.node = {};  // a condition's operand has no gradient
    node->after(one->saved.node.get());
  }
  return node;
}
inline void record_map(const AnyTensor& out, const MapKernel& k, const Entry* entry, int count, const Space& space) {
  auto* node = make_map_node<MapNode>(k, entry, count, space);
  if (k.undo) {
    MapNode::Kept& one = *node->kept;
    lower_tensor(one.leaf, out, space);
    one.keeps = MapNode::Keeps::tensor;
    one.saved.storage = out.storage();
    one.saved.version = out.version();
    node->undoes = true;
  }
  attach(out, node, k.names[0].data());
}

}  // namespace tt::detail
