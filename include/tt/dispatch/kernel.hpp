// What expressions are lowered to, and the tables through which the rank-free core calls typed kernels.
#pragma once
#include <tt/expr/map.hpp>

namespace tt {

/// A tensor, or a gradient, as a kernel's driver sees it: laid over the iteration space, stride 0 where it is broadcast.
struct Strided {
  std::byte* data;
  dtype type;
  bool spare;  ///< whole vectors may be read (and, of a new result, written) past the last element
  index_t stride[max_rank];
};

/// Where a leaf's gradient goes. `data` null: not wanted. `first`: nothing has arrived yet, so write instead of adding.
struct GradientSlot {
  Strided to;
  index_t count;
  bool first;
};

/// One operand of one row, without flags: packet i is read at read + (i & read_mask); its gradient is stored at
/// write + (i & write_mask) as what stands at base + (i & base_mask) plus its own part. Broadcast: mask 0 over one packet
/// of copies. Not wanted: a scratch packet. First writer: a packet of -0, since -0 + x is x bit for bit.
struct Operand {
  const void* read;
  index_t read_mask;
  void* write;
  index_t write_mask;
  const void* base;
  index_t base_mask;
};

/// Computes n elements (a multiple of the vector width) from operands into out; backward reads the gradient as the operand
/// after the last leaf, and has no out.
using RowFunction = void (*)(const Operand* operands, void* out, index_t n);

/// An elementwise region over its iteration space.
struct Region {
  dims size;
  int leaves;
  Strided* leaf;           ///< [leaves], and for backward the incoming gradient after them
  Strided out;             ///< forward
  GradientSlot* gradient;  ///< backward: [leaves]
  unsigned numbers = 0;    ///< bit k: leaf k is a number of the program's text, on the host as dispatch/lower.hpp writes it
};

struct MapKernel;
namespace detail {
template <class Number, class Program, int Order>
void recorded_map(Node&, RecordedRun&, const AnyTensor& gradient);
/// An iteration space. Flat: all operands are row-major and of the same extents, so it is one row of all elements.
struct Space {
  dims size;
  bool flat = false;
};
using RecordMap = void (*)(const AnyTensor& out, const MapKernel&, const Entry*, int count, const Space& space);
}

/// The kernels of one program in one compute type. `record` and `backward` are null where nothing can be tracked, so that
/// no node and no backward is compiled there.
struct MapKernel {
  dtype compute, value;
  unsigned wants, passes;  ///< bit k: backward code was made for leaf k; and it does nothing but hand the gradient on
  unsigned reads;          ///< bit k: backward reads the value of leaf k
  RowFunction forward, backward;
  RowFunction undo;        ///< backward of one op from its stored output, which is then the leaf; null where it needs x
  void (*drive)(RowFunction, Region&);
  void (*drive_back)(RowFunction, Region&);
  detail::RecordMap record;
  const std::string_view* names;  ///< of the ops, depth first
  int name_count;
  detail::BackwardRecorded recorded;
  device where = device::cpu;  ///< where all operands and the result lie
};

/// The most assignments that one fuse() takes.
inline constexpr int max_assignments = 8;

/// Elements one after another, as they lie in memory; single: one element for all places.
struct FlatOperand {
  std::byte* data;
  dtype type;
  bool single;
};
/// Several programs that compute and store one dtype, in one pass. Operands: the leaves of all programs in order, then what
/// each program writes. @pre what is written is read, if at all, in the same places
struct SeveralKernel {
  dtype type;
  RowFunction row;
  void (*drive)(RowFunction, const FlatOperand*, int leaves, int written, index_t n);
};

/// How one reduction keeps and joins partial results of rows of the compute type. Typed on the op, not on the program.
struct ReduceKernel {
  std::string_view name;
  dtype accumulator;
  bool divides;  ///< by the number of elements: mean
  void (*fill)(void* accumulators, index_t n);
  void (*row)(void* accumulator, const void* values, index_t n);       ///< joins n values into one
  void (*columns)(void* accumulators, const void* values, index_t n);  ///< accumulators[i] joined with values[i]
  void (*join)(void* accumulators, const void* others, index_t n);
  /// Joins a region into region.out: accumulators, stride 0 along reduced axes.
  void (*drive)(const MapKernel&, const ReduceKernel&, Region&, index_t out_count);
  /// Writes accumulators, divided, as the result type.
  void (*finish)(const void* accumulators, std::byte* out, dtype out_type, index_t n, double divisor);
  /// Of a device, in place of all these: joins a region into region.out, the result, divided.
  void (*whole)(Region&, index_t out_count, double divisor) = nullptr;
  /// Of a device and an extremum: adds to `to`, laid out as x is by rows, each gradient shared by those that reached it.
  void (*share)(const Strided& x, const dims& size, std::uint32_t axes, std::byte* extreme, std::byte* gradient,
                std::byte* to) = nullptr;
};

/// argmax and argmin: out[o] = position of the best of `length` elements, `step` apart.
struct ArgKernel {
  std::string_view name;
  std::int64_t (*best)(const std::byte* first, index_t length, index_t step);
  device where = device::cpu;
  /// Of a device, in place of that: positions among the elements along the reduced axes, from region.leaf into region.out.
  void (*whole)(Region&, index_t out_count) = nullptr;
};

}  // namespace tt
