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
  dims space;
  index_t gradient_stride[max_rank];  ///< of the incoming gradient over the space: 0 along axes that were reduced

  Kept* first_kept = nullptr;

  Kept* kept() const { return first_kept; }
  int inputs() const override { return released ? 0 : count; }
  Node* input(int i) const override { return kept()[i].saved.node.get(); }
  void release() override {
    if (!std::exchange(released, true)) std::destroy_n(kept(), count);
  }
  ~MapNode() override { MapNode::release(); }

  void backward(Engine& engine) override {
    Strided operand[max_leaves + 1];
    GradientSlot slot[max_leaves];
    Ref<Storage> own[max_leaves];  // for a leaf that occurs again under another map
    Region region;
    region.size.rank = space.rank;
    std::copy_n(space.extent, space.rank, region.size.extent);
    region.leaves = count;
    region.leaf = operand;
    region.gradient = slot;
    bool any = false, twice = false;
    for (int k = 0; k < count; ++k) {
      Kept& one = kept()[k];
      one.saved.check(name);
      operand[k].data = one.saved.storage ? one.leaf.data : constant_data(one.constant, kernel->compute);
      operand[k].type = one.leaf.type;
      operand[k].spare = one.leaf.spare;
      std::copy_n(one.leaf.stride, space.rank, operand[k].stride);
      slot[k].to.data = nullptr;
      Node* to = one.saved.node.get();
      if (!to) continue;
      if ((kernel->passes >> k & 1) && to->type == type && to->size == size && size == space && !engine.reached(to)) {
        engine.pass(to, gradient);
        continue;
      }
      any = true;
      slot[k].count = to->size.count();
      slot[k].to.type = to->type;
      index_t stride[max_rank];
      row_major(to->size, stride);
      lay_over(slot[k].to.stride, space, to->size, stride);
      bool other_map = false;
      for (int l = 0; l < k && !other_map; ++l)
        other_map = slot[l].to.data && kept()[l].saved.node == one.saved.node &&
                    !std::equal(operand[k].stride, operand[k].stride + space.rank, operand[l].stride);
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
    std::copy_n(gradient_stride, space.rank, operand[count].stride);
    kernel->drive_back(kernel->backward, region);
    if (!twice) return;
    for (int k = 0; k < count; ++k)
      if (own[k]) add_gradient(engine.target(kept()[k].saved.node.get()).first, own[k]->data, slot[k].to.type, slot[k].count);
  }
};

template <class Kind>
Kind* make_map_node(const MapKernel& k, const Entry* entry, int count, const dims& space) {
  auto* node = make_node<Kind>(std::size_t(count) * sizeof(MapNode::Kept));
  node->first_kept = reinterpret_cast<MapNode::Kept*>(node + 1);
  node->kernel = &k;
  node->count = count;
  node->space = space;
  row_major(space, node->gradient_stride);
  for (int i = 0; i < count; ++i) {
    auto* kept = new (node->kept() + i) MapNode::Kept;
    lower_entry(kept->leaf, entry[i], space, k.compute);
    kept->constant = entry[i].constant;
    if (entry[i].tensor) kept->saved = Saved(*entry[i].tensor);
    if (!(k.wants >> i & 1)) kept->saved.node = {};  // a condition's operand has no gradient
    node->after(kept->saved.node.get());
  }
  return node;
}
inline void record_map(const AnyTensor& out, const MapKernel& k, const Entry* entry, int count, const dims& space) {
  attach(out, make_map_node<MapNode>(k, entry, count, space), k.names[0].data());
}

}  // namespace tt::detail
