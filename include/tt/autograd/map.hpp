// The node of an elementwise region: its leaves and two kernels. y is recomputed, so nothing else is kept.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/dispatch/map.hpp>

namespace tt::detail {

/// One allocation: the leaves follow the node. How much of it is needed depends on their number.
struct MapNode : Node {
  struct Kept {
    Strided leaf;
    Constant constant;
    Saved saved;
  };
  const MapKernel* kernel = nullptr;
  int count = 0;
  Space space;
  index_t gradient_stride[max_rank];  ///< of the incoming gradient over the space: 0 along axes that were reduced

  Kept* kept = nullptr;               ///< [count], behind the node

  int inputs() const override { return released ? 0 : count; }
  Node* input(int i) const override { return kept[i].saved.node.get(); }
  void release() override {
    if (!std::exchange(released, true)) std::destroy_n(kept, count);
  }
  std::pair<const std::string_view*, int> fused() const override { return {kernel->names, kernel->name_count}; }
  ~MapNode() override { MapNode::release(); }

  void backward(Engine& engine) override {
    Strided operand[max_leaves + 1];
    GradientSlot slot[max_leaves];
    Ref<Storage> own[max_leaves];  // for a leaf that occurs again under another map
    Region region;
    const int rank = space.size.rank;
    region.size.rank = rank;
    for (int i = 0; i < rank; ++i) region.size.extent[i] = space.size.extent[i];
    region.leaves = count;
    region.leaf = operand;
    region.gradient = slot;
    bool any = false, twice = false;
    for (int k = 0; k < count; ++k) {
      Kept& one = kept[k];
      if (!(kernel->passes >> k & 1)) one.saved.check(name);  // where the slope is 1 on all the way, nothing reads the value
      operand[k].data = one.saved.storage ? one.leaf.data : constant_data(one.constant, kernel->compute);
      operand[k].type = one.leaf.type;
      operand[k].spare = one.leaf.spare;
      for (int i = 0; i < rank; ++i) operand[k].stride[i] = one.leaf.stride[i];
      slot[k].to.data = nullptr;
      Node* to = one.saved.node.get();
      if (!to) continue;
      if ((kernel->passes >> k & 1) && to->type == type && (space.flat || (to->size == size && size == space.size)) && !engine.reached(to)) {
        engine.pass(to, gradient);
        continue;
      }
      any = true;
      slot[k].to.type = to->type;
      bool other_map = false;
      if (space.flat) {
        slot[k].count = space.size.extent[0];
        slot[k].to.stride[0] = 1;
      } else {
        slot[k].count = to->size.count();
        index_t stride[max_rank];
        row_major(to->size, stride);
        lay_over(slot[k].to.stride, space.size, to->size, stride);
        for (int l = 0; l < k && !other_map; ++l)
          other_map = slot[l].to.data && kept[l].saved.node == one.saved.node &&
                      !std::equal(operand[k].stride, operand[k].stride + rank, operand[l].stride);
      }
      if (other_map) {
        twice = true;
        own[k] = make_storage(std::size_t(slot[k].count) * size_of(to->type));
        slot[k].to.data = own[k]->data;
        slot[k].first = true;
      } else {
        const auto [data, full] = engine.target(to);
        slot[k].to.data = data;
        slot[k].first = !full;
      }
    }
    if (!any) return;
    operand[count].data = gradient->data;
    operand[count].type = type;
    operand[count].spare = true;
    for (int i = 0; i < rank; ++i) operand[count].stride[i] = gradient_stride[i];
    kernel->drive_back(kernel->backward, region);
    if (!twice) return;
    for (int k = 0; k < count; ++k)
      if (own[k]) add_gradient(engine.target(kept[k].saved.node.get()).first, own[k]->data, slot[k].to.type, slot[k].count);
  }
};

template <class Kind>
Kind* make_map_node(const MapKernel& k, const Entry* entry, int count, const Space& space) {
  auto* node = make_block<Kind>(std::size_t(count) * sizeof(MapNode::Kept));
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
    lower_entry(one->leaf, entry[i], space, k.compute);
    one->constant = entry[i].constant;
    if (entry[i].tensor) one->saved = Saved(*entry[i].tensor);
    if (!(k.wants >> i & 1)) one->saved.node = {};  // a condition's operand has no gradient
    node->after(one->saved.node.get());
  }
  return node;
}
inline void record_map(const AnyTensor& out, const MapKernel& k, const Entry* entry, int count, const Space& space) {
  attach(out, make_map_node<MapNode>(k, entry, count, space), k.names[0].data());
}

}  // namespace tt::detail
