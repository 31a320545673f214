// The kernels of the map kind, typed on program and compute type. Shapes, layouts and dtypes of leaves are parameters.
#pragma once
#include <tt/cuda/divide.hpp>
#include <tt/cuda/element.hpp>
#include <tt/cuda/formula.hpp>
#include <tt/cuda/packet.hpp>

namespace tt::gpu {

/// What a kernel knows of one leaf.
template <class Number>
struct MapLeaf {
  const std::byte* data;  ///< null: `number` stands for all elements
  Number number;
  dtype type;
  bool single;  ///< one element for all places
};

/// Elements that lie one after another, of leaves that are not single and of the result.
template <class Number, int Leaves>
struct PacketMap {
  MapLeaf<Number> leaf[Leaves];
  std::byte* out;
  std::int64_t count;
  dtype out_type;
  int together;  ///< how many elements one instruction may move: a power of 2, at most those of a packet
};

/// Operands of any layout and dtype; the result is the operand after the last leaf.
template <class Number, class Index, int Leaves>
struct ElementMap {
  MapLeaf<Number> leaf[Leaves];
  std::byte* out;
  Index count;
  dtype out_type;
  Axes<Index, Leaves + 1> axes;
};

/// The threads of a block.
inline constexpr int map_threads = 256;

#if TT_CUDA_KERNELS

namespace detail {

/// Width elements, by words of as many as `together` says.
template <int Width, int Together = Width, class Stored>
__device__ inline void load_packet(Stored* to, const Stored* from, int together) {
  if constexpr (Together > 1) {
    if (together < Together) return load_packet<Width, Together / 2>(to, from, together);
  }
  using word = Packet<Stored, Together>;
#pragma unroll
  for (int j = 0; j < Width; j += Together) {
    const word w = *reinterpret_cast<const word*>(from + j);
#pragma unroll
    for (int lane = 0; lane < Together; ++lane) to[j + lane] = w.lane[lane];
  }
}
template <int Width, int Together = Width, class Stored, class Number>
__device__ inline void store_packet(Stored* to, const Number* from, int together) {
  if constexpr (Together > 1) {
    if (together < Together) return store_packet<Width, Together / 2>(to, from, together);
  }
  using word = Packet<Stored, Together>;
#pragma unroll
  for (int j = 0; j < Width; j += Together) {
    word w;
#pragma unroll
    for (int lane = 0; lane < Together; ++lane) w.lane[lane] = element_from<Stored>(from[j + lane]);
    *reinterpret_cast<word*>(to + j) = w;
  }
}

}  // namespace detail

/// out[i] = program(leaves[i]) by packets of 16 bytes, with a tail of single elements. Leaves that are not single are
/// of type Stored; the result is, or it is bool. No __restrict__: the result may be one of the leaves.
template <class Program, class Number, class Stored>
__global__ void __launch_bounds__(map_threads) map_packets(PacketMap<Number, Program::leaves> map) {
  constexpr int width = packet_width<Stored>, leaves = Program::leaves;
  const std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x, packets = map.count / width;
  Number single[leaves];
#pragma unroll
  for (int k = 0; k < leaves; ++k) {
    const MapLeaf<Number>& leaf = map.leaf[k];
    single[k] = leaf.single && leaf.data ? read_element<Number>(leaf.data, leaf.type, 0) : leaf.number;
  }
  for (std::int64_t i = first; i < packets; i += step) {
    Stored x[leaves][width]{};  // all loads before the first use
#pragma unroll
    for (int k = 0; k < leaves; ++k) {
      const auto* data = reinterpret_cast<const Stored*>(map.leaf[k].data);
      if (!map.leaf[k].single) detail::load_packet<width>(x[k], data + i * width, map.together);
    }
    Number y[width];
#pragma unroll
    for (int lane = 0; lane < width; ++lane) {
      Number value[leaves];
#pragma unroll
      for (int k = 0; k < leaves; ++k) value[k] = map.leaf[k].single ? single[k] : number_from<Number>(x[k][lane]);
      y[lane] = Formula<Program>::value(value);
    }
    if (map.out_type == stored_dtype<Stored>) {
      detail::store_packet<width>(reinterpret_cast<Stored*>(map.out) + i * width, y, map.together);
    } else {
      detail::store_packet<width>(reinterpret_cast<bool*>(map.out) + i * width, y, map.together);
    }
  }
  for (std::int64_t i = packets * width + first; i < map.count; i += step) {
    Number value[leaves];
#pragma unroll
    for (int k = 0; k < leaves; ++k) {
      const auto* data = reinterpret_cast<const Stored*>(map.leaf[k].data);
      value[k] = map.leaf[k].single ? single[k] : number_from<Number>(data[i]);
    }
    const Number y = Formula<Program>::value(value);
    if (map.out_type == stored_dtype<Stored>) reinterpret_cast<Stored*>(map.out)[i] = element_from<Stored>(y);
    else reinterpret_cast<bool*>(map.out)[i] = element_from<bool>(y);
  }
}

/// out = program(leaves) element by element, of any layout and dtypes.
template <class Program, class Number, class Index>
__global__ void __launch_bounds__(map_threads) map_elements(ElementMap<Number, Index, Program::leaves> map) {
  constexpr int leaves = Program::leaves;
  const Index step = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < map.count; i += step) {
    std::make_signed_t<Index> offset[leaves + 1];
    map.axes.locate(i, offset);
    Number value[leaves];
#pragma unroll
    for (int k = 0; k < leaves; ++k) {
      const MapLeaf<Number>& leaf = map.leaf[k];
      value[k] = leaf.data ? read_element<Number>(leaf.data, leaf.type, offset[k]) : leaf.number;
    }
    write_element(map.out, map.out_type, offset[leaves], Formula<Program>::value(value));
  }
}

#endif

}  // namespace tt::gpu
