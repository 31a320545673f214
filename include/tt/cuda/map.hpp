// The driver of the map kind on a device: from a region, whose pointers are the device's, to the launch of a kernel.
#pragma once
#include <tt/cuda/launch.hpp>
#include <tt/cuda/map_kernel.hpp>
#include <tt/dispatch/coalesce.hpp>
#include <tt/dispatch/kernel.hpp>

#include <algorithm>

namespace tt::gpu {

/// How many threads a map is given at most; each goes on to further elements where there are more.
struct MapGrid {
  unsigned threads = map_threads, most_blocks = 1 << 16;

  unsigned blocks(index_t work) const { return blocks_for(work, threads, most_blocks); }
};

namespace detail {

/// How a region can be computed by packets, if it can.
struct PacketPlan {
  bool possible = false;
  dtype type;    ///< of the elements that lie one after another
  int together = 1;  ///< see PacketMap
};
/// @pre the region's axes are merged
inline PacketPlan plan_packets(const Region& r) {
  PacketPlan plan;
  if (r.size.rank != 1 || r.out.stride[0] != 1) return plan;
  bool known = r.out.type != dtype::boolean;
  plan.type = r.out.type;
  for (int k = 0; k < r.leaves; ++k) {
    if (r.leaf[k].stride[0] == 0) continue;
    if (!known) plan.type = r.leaf[k].type, known = true;
    if (r.leaf[k].stride[0] != 1 || r.leaf[k].type != plan.type) return plan;
  }
  const auto limit = [&plan](const Strided& s) {
    const auto address = reinterpret_cast<std::uintptr_t>(s.data);
    while (plan.together > 1 && address % (std::uintptr_t(plan.together) * size_of(s.type)) != 0) plan.together /= 2;
  };
  plan.together = packet_width_of(size_of(plan.type));
  limit(r.out);
  for (int k = 0; k < r.leaves; ++k)
    if (r.leaf[k].stride[0] != 0) limit(r.leaf[k]);
  plan.possible = known;
  return plan;
}

/// A number of the program's text as the driver finds it: see dispatch/lower.hpp.
template <class Number>
Number literal(const std::byte* data) {
  using constant = std::conditional_t<std::is_integral_v<Number>, std::int64_t,
                                      std::conditional_t<is_complex_number<Number>, Complex<double>, double>>;
  return number_from<Number>(*reinterpret_cast<const constant*>(data));
}

/// The types of which all elements may be, for a kernel by packets to be made for them.
template <class... Stored>
struct StoredTypes {};
template <class Number>
struct packet_types { using type = StoredTypes<Number>; };
template <>
struct packet_types<float> { using type = StoredTypes<float, half, bfloat16>; };
template <>
struct packet_types<std::int64_t> { using type = StoredTypes<std::int64_t, std::int32_t>; };

#if TT_CUDA_KERNELS

template <class Number, int Leaves>
void set_leaves(MapLeaf<Number> (&leaf)[Leaves], const Region& r, unsigned numbers) {
  for (int k = 0; k < Leaves; ++k) {
    const bool is_number = numbers >> k & 1;
    leaf[k].data = is_number ? nullptr : r.leaf[k].data;
    leaf[k].number = is_number ? literal<Number>(r.leaf[k].data) : Number(0);
    leaf[k].type = r.leaf[k].type;
    leaf[k].single = is_number || (r.size.rank == 1 && r.leaf[k].stride[0] == 0);
  }
}

template <class Parameters>
void launch_map(void (*kernel)(Parameters), const Parameters& parameters, index_t work, const MapGrid& grid) {
  static_assert(std::is_trivially_copyable_v<Parameters> && sizeof(Parameters) <= 4096);
  launch(kernel, grid.blocks(work), grid.threads, 0, current_stream(), parameters);
}

template <class Program, class Number, class Stored>
bool map_by_packets(const PacketPlan& plan, const Region& r, unsigned numbers, const MapGrid& grid) {
  if (plan.type != stored_dtype<Stored>) return false;
  PacketMap<Number, Program::leaves> map;
  set_leaves(map.leaf, r, numbers);
  map.out = r.out.data;
  map.count = r.size.extent[0];
  map.out_type = r.out.type;
  map.together = plan.together;
  constexpr int width = packet_width<Stored>;
  launch_map(map_packets<Program, Number, Stored>, map, (map.count + width - 1) / width, grid);
  return true;
}

template <class Program, class Number, class Index>
void map_by_elements(const Region& r, unsigned numbers, const MapGrid& grid) {
  constexpr int leaves = Program::leaves;
  using axes = Axes<Index, leaves + 1>;
  ElementMap<Number, Index, leaves> map;
  set_leaves(map.leaf, r, numbers);
  map.out = r.out.data;
  map.count = Index(r.size.count());
  map.out_type = r.out.type;
  map.axes.rank = r.size.rank;
  for (int axis = 0; axis < r.size.rank; ++axis) {
    map.axes.extent[axis] = Divisor<Index>(r.size.extent[axis]);
    for (int k = 0; k <= leaves; ++k) {
      const Strided& operand = k < leaves ? r.leaf[k] : r.out;
      map.axes.stride[axis][k] = typename axes::Offset(operand.stride[axis]);
    }
  }
  launch_map(map_elements<Program, Number, Index>, map, index_t(map.count), grid);
}

#endif

}  // namespace detail

#if TT_CUDA_KERNELS

/// Queues out = program(leaves) on the current stream. Pointers of the region are the device's, but for leaf k with bit
/// k of `numbers`, a number of the program's text (prog::numbers): its pointer is the host's, see dispatch/lower.hpp,
/// and is read before this returns. The result may be one of the leaves if it lies in the same places. The region's
/// axes are merged. Leaves and result are of any dtype, but complex ones are met by complex compute types only.
/// @throws CudaError if CUDA refuses the launch
template <class Program, class Compute>
void map(Region& r, unsigned numbers, const MapGrid& grid = {}) {
  using Number = typename device_number<Compute>::type;
  if (r.size.count() == 0) return;
  index_t* stride[Program::leaves + 1];
  for (int k = 0; k < Program::leaves; ++k) stride[k] = r.leaf[k].stride;
  stride[Program::leaves] = r.out.stride;
  tt::detail::coalesce(r.size, stride, Program::leaves + 1, Program::leaves);
  const detail::PacketPlan plan = detail::plan_packets(r);
  const auto by_packets = [&]<class... Stored>(detail::StoredTypes<Stored...>) {
    return (detail::map_by_packets<Program, Number, Stored>(plan, r, numbers, grid) || ...);
  };
  if (plan.possible && by_packets(typename detail::packet_types<Number>::type{})) return;
  if (fits_32_bits(r.size, stride, Program::leaves + 1)) {
    detail::map_by_elements<Program, Number, std::uint32_t>(r, numbers, grid);
  } else {
    detail::map_by_elements<Program, Number, std::uint64_t>(r, numbers, grid);
  }
}

#endif

}  // namespace tt::gpu
