// Copies that rearrange: cat, flip, roll, repeat, diag and their like. Each is a list of moves from its inputs into a
// new tensor, whatever the dtype; dispatch/move.hpp runs them.
#pragma once
#include <tt/core/move.hpp>
#include <tt/expr/create.hpp>
#include <tt/expr/view.hpp>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool cannot_be_joined = false;
}  // namespace error

namespace detail {

/// What the tape keeps of a rearrangement: its moves from the row-major inputs, as gradients lie.
struct MoveList {
  struct Entry {
    int input;
    Move move;
  };
  Ref<Storage> entries;  ///< null where nothing is recorded
  int count = 0;
  bool once = false;  ///< every element of an input is moved exactly once

  Entry* begin() const { return reinterpret_cast<Entry*>(entries->data); }
  Entry* end() const { return begin() + count; }
};
/// Null where nothing can be tracked, so that no node is compiled.
using RecordMove = void (*)(const AnyTensor& out, std::span<const AnyTensor> inputs, const MoveList&, const char* name);

/// Inputs of one dtype after another along an axis. 1-d tensors without elements fit everywhere.
inline AnyTensor run_cat(const char* name, std::span<const AnyTensor> inputs, index_t along, RecordMove record);
/// A tensor with as many axes at least: vectors become rows, as NumPy's atleast_2d makes them.
inline AnyTensor at_least(const AnyTensor& x, int rank, RecordView record);
/// Inputs of one dtype and of equal extents along a new axis.
inline AnyTensor run_stack(const char* name, std::span<const AnyTensor> inputs, index_t along, RecordMove record);
inline AnyTensor run_flip(const char* name, const AnyTensor& x, std::span<const index_t> axes, RecordMove record);
inline AnyTensor run_roll(const AnyTensor& x, std::span<const index_t> shifts, std::span<const index_t> axes,
                          RecordMove record);
inline AnyTensor run_rot90(const AnyTensor& x, index_t k, index_t from, index_t towards, RecordMove record);
inline AnyTensor run_repeat(const char* name, const AnyTensor& x, const dims& repeats, RecordMove record);
inline AnyTensor run_interleave(const AnyTensor& x, index_t repeats, index_t along, RecordMove record);
/// The positions 0 .. n-1, each as often as the vector of counts says: what index_select then takes.
inline AnyTensor interleaved_positions(const AnyTensor& counts, index_t n);
inline AnyTensor run_diag_embed(const char* name, const AnyTensor& x, index_t offset, index_t first, index_t second,
                                RecordMove record);
/// A vector onto a diagonal of a new matrix, or a diagonal of a matrix as a new vector.
inline AnyTensor run_diag(const AnyTensor& x, index_t offset, RecordMove record);

/// Zeros beside one triangle of each matrix.
using RecordTriangle = void (*)(const AnyTensor& out, const AnyTensor& x, index_t diagonal, triangle part);
inline AnyTensor run_triangle(const AnyTensor& x, index_t diagonal, triangle part, RecordTriangle record);

/// The extents along an axis one after another; elsewhere they must be equal. A vector without elements fits.
constexpr dims joined(const dims& a, const dims& b, int axis) {
  if (a.rank == 1 && a.extent[0] == 0) return b;
  if (b.rank == 1 && b.extent[0] == 0) return a;
  dims out = a;
  for (int i = 0; i < a.rank && a.rank == b.rank; ++i) {
    if (i != axis) out.extent[i] = unify(a.extent[i], b.extent[i]);
    else out.extent[i] = a.extent[i] < 0 || b.extent[i] < 0 ? dyn : a.extent[i] + b.extent[i];
  }
  if (a.rank != b.rank) out.extent[0] = no_extent;
  return out;
}
/// What joining along Axis makes of shapes; with New, along an axis that is added.
template <bool New, int Axis, class... ShapeType>
struct joined_of {
  static constexpr dims raw = [] {
    constexpr dims each[] = {ShapeType::value...};
    dims out = each[0];
    for (std::size_t i = 1; i < sizeof...(ShapeType); ++i) {
      if constexpr (New) {
        if (out.rank != each[i].rank) out.extent[0] = no_extent;
        else
          for (int j = 0; j < out.rank; ++j) out.extent[j] = unify(out.extent[j], each[i].extent[j]);
      } else {
        const int rank = (std::max)(out.rank, each[i].rank);
        out = joined(out, each[i], repaired_axis(Axis, rank));
      }
    }
    return out;
  }();
  static constexpr bool fit = is_valid(raw);
  static constexpr dims value = [] {
    dims all = repaired(raw);
    if constexpr (New) {
      const int axis = repaired_axis(Axis, all.rank + 1);
      dims out;
      for (int i = 0; i <= all.rank; ++i)
        out.push_back(i == axis ? index_t(sizeof...(ShapeType)) : all.extent[i - (i > axis)]);
      return out;
    } else {
      return all;
    }
  }();
};

template <class Shapes, class... X>
consteval void check_fit() {
  static_assert(
      Shapes::fit || error::cannot_be_joined<error::operands<error::words_t<error::got, shape_t<X>>...>>,
      "tt: these tensors cannot be joined: their extents may differ along the joined axis only, and for stack nowhere");
}
}  // namespace detail
}  // namespace tt
