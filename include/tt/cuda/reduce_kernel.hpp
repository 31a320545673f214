// The kernels of reductions, typed on how states are joined, on the program, the compute type and the width of indices.
// Shapes, layouts and dtypes are parameters. The order in which elements are joined follows from the shape, never from
// where they lie.
#pragma once
#include <tt/cuda/map.hpp>

namespace tt::gpu {

/// The threads of a block of reductions, always: the order of the joins follows from the shape alone.
inline constexpr int reduce_threads = 256, reduce_thread_bits = 8;

/// How many elements a thread takes at a time, one after another along the reduced axes.
template <class Number>
inline constexpr int reduce_width = sizeof(Number) > 8 ? 4 : 8;

/// The blocks that a multiprocessor is to hold: fewer where the values that a thread has at a time take more registers.
template <class Number, int Leaves, std::size_t Bytes = Leaves * reduce_width<Number> * sizeof(Number)>
inline constexpr int reduce_blocks = Bytes <= 128 ? 4 : Bytes <= 256 ? 2 : 1;

/// Elements become one value, by Op. A sum is kept in the accumulator's type; what a thread takes at a time is joined
/// in a tree of the compute type before.
template <class Op, class Compute>
struct ValueJoin {
  using Number = typename device_number<Compute>::type;
  using State = typename device_number<element_of<Op::accumulator(dtype_of<Compute>)>>::type;
  Number identity = Op::template identity<Number>();  ///< made on the host: its constants are not for devices
  double divisor = 1;

  TT_HD State nothing() const { return number_from<State>(identity); }
  TT_HD static State join(State a, State b) { return Op::join(a, b); }
  template <int Width>
  TT_HD State with(State total, Number (&x)[Width], std::int64_t) const {
    for (int distance = Width / 2; distance > 0; distance /= 2) {
      for (int l = 0; l < distance; ++l) x[l] = Op::join(x[l], x[l + distance]);
    }
    return Op::join(total, number_from<State>(x[0]));
  }
  TT_HD void store(std::byte* out, dtype type, std::int64_t at, State total) const {
    if constexpr (requires { Op::divides; }) {
      if constexpr (is_complex_number<State>) total = {total.re / divisor, total.im / divisor};
      else total = total / State(divisor);
    }
    write_element(out, type, at, total);
  }
};

/// Where the best element is.
template <class Number>
struct Place {
  Number value;
  std::int64_t position;  ///< -1: there is none yet
};
/// Elements become the position of the first that no other is better than.
template <class Op, class Compute>
struct PlaceJoin {
  using Number = Compute;
  using State = Place<Number>;

  TT_HD State nothing() const { return {Number(0), -1}; }
  TT_HD static State join(State a, State b) {
    if (b.position < 0) return a;
    if (a.position < 0 || Op::better(b.value, a.value)) return b;
    return b.position < a.position && !Op::better(a.value, b.value) ? b : a;
  }
  /// @pre what was taken before lies before `first`
  template <int Width>
  TT_HD State with(State total, Number (&x)[Width], std::int64_t first) const {
    for (int l = 0; l < Width; ++l)
      if (total.position < 0 || Op::better(x[l], total.value)) total = {x[l], first + l};
    return total;
  }
  TT_HD void store(std::byte* out, dtype, std::int64_t at, State total) const {
    reinterpret_cast<std::int64_t*>(out)[at] = total.position;
  }
};

/// The threads that share one output are its lanes, a power of 2. They are neighbours, or, turned, threads that are the
/// same lane of neighbouring outputs are.
struct ReduceTeams {
  int lane_bits;
  bool turned;

  TT_HD int lanes() const { return 1 << lane_bits; }
  TT_HD int outputs() const { return reduce_threads >> lane_bits; }  ///< of a block
  TT_HD int lane(int thread) const {
    return turned ? thread >> (reduce_thread_bits - lane_bits) : thread & (lanes() - 1);
  }
  TT_HD int output(int thread) const { return turned ? thread & (outputs() - 1) : thread >> lane_bits; }
};

/// Output o is joined from elements kept(o) + reduced(j), j < length. Block (x, y) takes j from y * chunk on; where
/// there is more than one y, their states are left in `parts` and joined by join_parts.
template <class Join, class Index, int Leaves>
struct Reduction {
  MapLeaf<typename Join::Number> leaf[Leaves];
  int together[Leaves];  ///< elements that one instruction may move, where a leaf has those of a packet side by side
  Axes<Index, Leaves> kept, reduced;
  Index outputs, length, chunk;
  Index run;  ///< the extent of the innermost reduced axis
  ReduceTeams teams;
  Join join;
  typename Join::State* parts;  ///< [outputs, chunks], or null
  std::byte* out;               ///< row-major
  dtype out_type;
};

/// The second pass.
template <class Join>
struct PartJoin {
  const typename Join::State* parts;
  std::int64_t outputs;
  int count;  ///< of each output
  ReduceTeams teams;
  Join join;
  std::byte* out;
  dtype out_type;
};

#if TT_CUDA_KERNELS

namespace detail {

template <class State>
__device__ inline State from_lane(State x, int distance) {
  if constexpr (is_complex_number<State>) return {from_lane(x.re, distance), from_lane(x.im, distance)};
  else return __shfl_xor_sync(0xffffffffu, x, distance);
}
template <class Number>
__device__ inline Place<Number> from_lane(Place<Number> x, int distance) {
  return {from_lane(x.value, distance), from_lane(x.position, distance)};
}

/// The states of an output's lanes joined in a tree; lane 0 gets it. @pre all threads of the block call it
template <class Join, class State>
__device__ inline State join_lanes(State total, const ReduceTeams& teams) {
  TT_SHARED(State, part, reduce_threads);
  const int slot = int(threadIdx.x), lane = teams.lane(slot), pitch = teams.turned ? teams.outputs() : 1;
  const int in_warp = teams.turned ? 0 : 16;  // the distances at which a lane is in the same warp
  int distance = teams.lanes() / 2;
  if (distance > in_warp) {
    part[slot] = total;
    __syncthreads();
    for (; distance > in_warp; distance /= 2) {
      if (lane < distance) part[slot] = Join::join(part[slot], part[slot + distance * pitch]);
      __syncthreads();
    }
    total = part[slot];
  }
  for (; distance > 0; distance /= 2) total = Join::join(total, from_lane(total, distance));
  return total;
}

template <class Stored, class List>
inline constexpr bool is_one_of = false;
template <class Stored, class... Types>
inline constexpr bool is_one_of<Stored, StoredTypes<Types...>> = (std::is_same_v<Stored, Types> || ...);

/// Width elements of a leaf, `step` apart.
template <int Width, class Number>
struct RunReader {
  const std::byte* data;
  std::int64_t offset, step;
  int together;
  Number* to;

  template <class Stored>
  __device__ void operator()(Stored) const {
    if constexpr (is_one_of<Stored, typename packet_types<Number>::type>) {
      if (together > 1) return read_packets(reinterpret_cast<const Stored*>(data) + offset);
    }
#pragma unroll
    for (int l = 0; l < Width; ++l) Reader<Number>{data, offset + l * step, to + l}(Stored{});
  }

 private:
  template <class Stored>
  __device__ void read_packets(const Stored* p) const {
    constexpr int piece = packet_width<Stored> < Width ? packet_width<Stored> : Width;
    Stored x[Width];
#pragma unroll
    for (int l = 0; l < Width; l += piece) load_packet<piece>(x + l, p + l, together);
#pragma unroll
    for (int l = 0; l < Width; ++l) to[l] = number_from<Number>(x[l]);
  }
};

template <int Width, class Number>
__device__ inline void read_run(Number* to, const MapLeaf<Number>& leaf, std::int64_t offset, std::int64_t step,
                                int together) {
  if (leaf.data && step != 0) {
    return visit_stored<Number>(leaf.type, RunReader<Width, Number>{leaf.data, offset, step, together, to});
  }
  const Number x = leaf.data ? read_element<Number>(leaf.data, leaf.type, offset) : leaf.number;
#pragma unroll
  for (int l = 0; l < Width; ++l) to[l] = x;
}

/// The program's value for element j of the output whose leaves begin at `at`.
template <class Program, class Join, class Index, int Leaves>
__device__ inline typename Join::Number reduced_element(const Reduction<Join, Index, Leaves>& r,
                                                        const std::make_signed_t<Index>* at, Index j) {
  std::make_signed_t<Index> offset[Leaves];
  r.reduced.locate(j, offset);
  typename Join::Number value[Leaves];
#pragma unroll
  for (int k = 0; k < Leaves; ++k) {
    const auto& leaf = r.leaf[k];
    value[k] =
        leaf.data ? read_element<typename Join::Number>(leaf.data, leaf.type, at[k] + offset[k]) : leaf.number;
  }
  return Formula<Program>::value(value);
}

/// The values of elements j ... of the reduced axes.
template <class Program, int Width, class Join, class Index, int Leaves>
__device__ inline void reduced_packet(typename Join::Number (&y)[Width], const Reduction<Join, Index, Leaves>& r,
                                      const std::make_signed_t<Index>* at, Index j) {
  using Number = typename Join::Number;
  const int inner = r.reduced.rank - 1;
  if (inner == 0 || r.reduced.extent[inner].divide(j).rest + Width <= r.run) {
    std::make_signed_t<Index> offset[Leaves];
    r.reduced.locate(j, offset);
    Number x[Leaves][Width];
#pragma unroll
    for (int k = 0; k < Leaves; ++k) {
      const auto step = r.reduced.stride[inner][k];
      read_run<Width>(x[k], r.leaf[k], std::int64_t(at[k]) + offset[k], step, r.together[k]);
    }
#pragma unroll
    for (int l = 0; l < Width; ++l) {
      Number value[Leaves];
#pragma unroll
      for (int k = 0; k < Leaves; ++k) value[k] = x[k][l];
      y[l] = Formula<Program>::value(value);
    }
    return;
  }
#pragma unroll 1
  for (int n = 0; n < Width; ++n) {
#pragma unroll
    for (int l = 0; l + 1 < Width; ++l) y[l] = y[l + 1];  // so that y needs no index at run time
    y[Width - 1] = reduced_element<Program>(r, at, Index(j + Index(n)));
  }
}

}  // namespace detail

template <class Program, class Join, class Index>
__global__ void __launch_bounds__(reduce_threads, (reduce_blocks<typename Join::Number, Program::leaves>))
    reduce_elements(Reduction<Join, Index, Program::leaves> r) {
  using Number = typename Join::Number;
  constexpr int width = reduce_width<Number>;
  const int thread = int(threadIdx.x), lane = r.teams.lane(thread);
  const Index mine = Index(r.teams.output(thread)), together = Index(r.teams.outputs());
  const Index begin = Index(blockIdx.y) * r.chunk, rest = r.length - begin;
  const Index end = begin + (rest < r.chunk ? rest : r.chunk), step = Index(r.teams.lanes() * width);
  for (Index base = blockIdx.x * together; base < r.outputs; base += gridDim.x * together) {
    const Index output = base + mine;
    typename Join::State total = r.join.nothing();
    if (output < r.outputs) {
      std::make_signed_t<Index> at[Program::leaves];
      r.kept.locate(output, at);
      Index j = begin + Index(lane * width);
      for (; j + width <= end; j += step) {
        Number y[width]{};
        detail::reduced_packet<Program>(y, r, at, j);
        total = r.join.with(total, y, std::int64_t(j));
      }
      for (; j < end; ++j) {  // in the last lane that has any
        Number y[1] = {detail::reduced_element<Program>(r, at, j)};
        total = r.join.with(total, y, std::int64_t(j));
      }
    }
    total = detail::join_lanes<Join>(total, r.teams);
    if (lane != 0 || output >= r.outputs) continue;
    if (r.parts) r.parts[std::int64_t(output) * gridDim.y + blockIdx.y] = total;
    else r.join.store(r.out, r.out_type, std::int64_t(output), total);
  }
}

template <class Join>
__global__ void __launch_bounds__(reduce_threads) join_parts(PartJoin<Join> p) {
  const int thread = int(threadIdx.x), lane = p.teams.lane(thread), together = p.teams.outputs();
  const std::int64_t step = std::int64_t(gridDim.x) * together;
  for (std::int64_t base = std::int64_t(blockIdx.x) * together; base < p.outputs; base += step) {
    const std::int64_t output = base + p.teams.output(thread);
    typename Join::State total = p.join.nothing();
    if (output < p.outputs) {
      for (int i = lane; i < p.count; i += p.teams.lanes()) total = Join::join(total, p.parts[output * p.count + i]);
    }
    total = detail::join_lanes<Join>(total, p.teams);
    if (lane == 0 && output < p.outputs) p.join.store(p.out, p.out_type, output, total);
  }
}

#endif

}  // namespace tt::gpu
