// The driver of reductions on a device: who joins what, from the shape alone, and how leaves are read, from where they
// lie.
#pragma once
#include <tt/cuda/reduce_kernel.hpp>

#include <bit>
#include <cstdlib>

namespace tt::gpu {

namespace detail {

/// How the elements of an output are shared out: lanes of a block, chunks of different blocks.
struct ReducePlan {
  index_t outputs, length;
  index_t lanes, chunk;
  unsigned chunks;
};
/// Blocks that keep a device busy; fewer of them are joined from more chunks.
inline constexpr index_t busy_blocks = 1024;

/// @param rows  the innermost axis is reduced; else neighbouring outputs lie side by side
inline ReducePlan plan_reduction(index_t outputs, index_t length, bool rows, index_t width) {
  const auto power = [](index_t n) { return index_t(std::bit_ceil(std::uint64_t((std::max)(n, index_t(1))))); };
  const index_t packets = power((length + width - 1) / width);
  index_t lanes;
  if (!rows) lanes = (std::min)(reduce_threads / (std::min)(power(outputs), index_t(32)), packets);
  else if (length <= 1024) lanes = (std::min)(packets, index_t(32));  // a warp
  else lanes = (std::min)(power(length / 32), index_t(reduce_threads));
  const index_t in_block = reduce_threads / lanes, blocks = (outputs + in_block - 1) / in_block;
  const index_t once = lanes * width;  // what the lanes take at a time
  index_t chunks = (std::min)(busy_blocks / blocks, length / (4 * once));
  if (chunks < 4) chunks = 1;  // not worth a second kernel
  const index_t each = (std::max)((length + chunks - 1) / chunks, index_t(1)), chunk = (each + once - 1) / once * once;
  return {outputs, length, lanes, chunk, unsigned((std::max)((length + chunk - 1) / chunk, index_t(1)))};
}

/// The reduced axes of a region, or the others, as few as the leaves can be walked by.
struct LeafAxes {
  dims size;
  index_t stride[max_leaves][max_rank];
};
TT_NOINLINE inline LeafAxes leaf_axes(const Region& r, bool reduced) {
  LeafAxes axes{};
  for (int axis = 0; axis < r.size.rank; ++axis) {
    if ((r.out.stride[axis] == 0) != reduced) continue;
    for (int k = 0; k < r.leaves; ++k) axes.stride[k][axes.size.rank] = r.leaf[k].stride[axis];
    axes.size.push_back(r.size.extent[axis]);
  }
  index_t* stride[max_leaves];
  for (int k = 0; k < r.leaves; ++k) stride[k] = axes.stride[k];
  tt::detail::coalesce(axes.size, stride, r.leaves, r.leaves);
  if (axes.size.count() == 0) axes.size = {1};  // nothing to divide by
  return axes;
}

inline int lane_bits(index_t lanes) { return std::countr_zero(std::uint64_t(lanes)); }

/// Whether the innermost axis that is more than one element is reduced.
inline bool reduces_rows(const Region& r) {
  for (int axis = r.size.rank - 1; axis >= 0; --axis)
    if (r.size.extent[axis] != 1) return r.out.stride[axis] == 0;
  return true;
}
/// Whether threads should be neighbours in the outputs rather than in the reduced axes, for most of the leaves.
inline bool reads_columns(const LeafAxes& kept, const LeafAxes& reduced, int leaves, bool otherwise) {
  int votes = 0;
  for (int k = 0; k < leaves; ++k) {
    const index_t across = std::abs(kept.stride[k][kept.size.rank - 1]);
    const index_t along = std::abs(reduced.stride[k][reduced.size.rank - 1]);
    if (across != 0 && along != 0) votes += across < along ? 1 : along < across ? -1 : 0;
  }
  return votes == 0 ? otherwise : votes > 0;
}

/// The elements that one instruction may move where a leaf is read along its innermost reduced axis; 1 where it is not
/// contiguous there.
template <class Number>
int together_of(const Strided& leaf, const LeafAxes& kept, const LeafAxes& reduced, int k) {
  const auto is_packed = [&]<class... Stored>(StoredTypes<Stored...>) {
    return ((leaf.type == stored_dtype<Stored>) || ...);
  };
  const int inner = reduced.size.rank - 1;
  if (reduced.stride[k][inner] != 1 || !is_packed(typename packet_types<Number>::type{})) return 1;
  int together = packet_width_of(size_of(leaf.type));
  const auto limit = [&together](index_t elements) {
    while (elements % together != 0) together /= 2;
  };
  while (reinterpret_cast<std::uintptr_t>(leaf.data) % (std::size_t(together) * size_of(leaf.type)) != 0) together /= 2;
  for (int axis = 0; axis < kept.size.rank; ++axis) limit(kept.stride[k][axis]);
  for (int axis = 0; axis < inner; ++axis) limit(reduced.stride[k][axis]);
  if (inner > 0) limit(reduced.size.extent[inner]);  // a packet begins anywhere in a run
  return together;
}

template <class Index, int Leaves>
Axes<Index, Leaves> device_axes(const LeafAxes& from) {
  Axes<Index, Leaves> axes;
  axes.rank = from.size.rank;
  for (int axis = 0; axis < axes.rank; ++axis) {
    axes.extent[axis] = Divisor<Index>(from.size.extent[axis]);
    for (int k = 0; k < Leaves; ++k) axes.stride[axis][k] = std::make_signed_t<Index>(from.stride[k][axis]);
  }
  return axes;
}

#if TT_CUDA_KERNELS

template <class Program, class Index, class Join, class Workspace>
void run_reduction(const Region& r, unsigned numbers, const ReducePlan& plan, const Join& join, Workspace&& workspace,
                   const MapGrid& grid) {
  using State = typename Join::State;
  constexpr int leaves = Program::leaves;
  const LeafAxes kept = leaf_axes(r, false), reduced = leaf_axes(r, true);
  Reduction<Join, Index, leaves> reduction;
  set_leaves(reduction.leaf, r, numbers);
  for (int k = 0; k < leaves; ++k) {
    reduction.together[k] = together_of<typename Join::Number>(r.leaf[k], kept, reduced, k);
  }
  reduction.kept = device_axes<Index, leaves>(kept);
  reduction.reduced = device_axes<Index, leaves>(reduced);
  reduction.outputs = Index(plan.outputs);
  reduction.length = Index(plan.length);
  reduction.chunk = Index(plan.chunk);
  reduction.run = Index(reduced.size.extent[reduced.size.rank - 1]);
  reduction.teams = {lane_bits(plan.lanes), reads_columns(kept, reduced, leaves, !reduces_rows(r))};
  reduction.join = join;
  reduction.parts = nullptr;
  reduction.out = r.out.data;
  reduction.out_type = r.out.type;
  static_assert(std::is_trivially_copyable_v<decltype(reduction)> && sizeof(reduction) <= 8192);
  if (plan.chunks > 1) {
    const std::size_t bytes = std::size_t(plan.outputs) * plan.chunks * sizeof(State);
    reduction.parts = static_cast<State*>(static_cast<void*>(workspace(bytes)));
  }
  const unsigned blocks = blocks_for(plan.outputs, reduction.teams.outputs(), grid.most_blocks);
  launch(reduce_elements<Program, Join, Index>, dim3(blocks, plan.chunks), reduce_threads, 0, current_stream(),
         reduction);
  if (plan.chunks == 1) return;
  PartJoin<Join> parts;
  parts.parts = reduction.parts;
  parts.outputs = plan.outputs;
  parts.count = int(plan.chunks);
  parts.teams = {lane_bits((std::min)(std::bit_ceil(plan.chunks), unsigned(reduce_threads))), false};
  parts.join = join;
  parts.out = r.out.data;
  parts.out_type = r.out.type;
  const unsigned part_blocks = blocks_for(plan.outputs, parts.teams.outputs(), grid.most_blocks);
  launch(join_parts<Join>, part_blocks, reduce_threads, 0, current_stream(), parts);
}

template <class Program, class Join, class Workspace>
void reduce_by(const Join& join, const Region& r, unsigned numbers, index_t out_count, Workspace&& workspace,
               const MapGrid& grid) {
  if (out_count == 0) return;
  const index_t count = r.size.count();
  const ReducePlan plan =
      plan_reduction(out_count, count / out_count, reduces_rows(r), reduce_width<typename Join::Number>);
  const index_t* stride[max_leaves];
  for (int k = 0; k < r.leaves; ++k) stride[k] = r.leaf[k].stride;
  const bool small = count == 0 ? out_count < index_t(1) << 31 : fits_32_bits(r.size, stride, r.leaves);
  if (small) run_reduction<Program, std::uint32_t>(r, numbers, plan, join, workspace, grid);
  else run_reduction<Program, std::uint64_t>(r, numbers, plan, join, workspace, grid);
}

#endif

}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues what a CPU's ReduceKernel::drive and finish compute on the current stream: each element of `out`, row-major
/// in r.out with out_count elements of any dtype, is the program's values along the axes for which r.out has the stride
/// 0, joined by Op, and divided by `divisor` where Op divides; of no values it is Op's identity, divided. Values are
/// computed as they are joined and never stored. Leaves and `numbers` as in map. The order of the joins follows from
/// the extents and the reduced axes alone: every layout gives the same bits, and so does every run. `workspace(bytes)`
/// gives device memory that lives until the work queued here is done; it is called once where outputs are few and
/// joined from many elements, else not. Of `grid` most_blocks counts, for blocks beside those that share an output.
/// @throws CudaError if CUDA refuses a launch
template <class Op, class Program, class Compute, class Workspace>
void reduce(const Region& r, unsigned numbers, index_t out_count, double divisor, Workspace&& workspace,
            const MapGrid& grid = {}) {
  ValueJoin<Op, Compute> join;
  join.divisor = divisor;
  detail::reduce_by<Program>(join, r, numbers, out_count, workspace, grid);
}

#endif

}  // namespace tt::gpu
