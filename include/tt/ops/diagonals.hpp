// Diagonals and triangles of matrices: diag, diag_embed, tril, triu, all copies; and trace.
#pragma once
#include <tt/ops/joining.hpp>
#include <tt/ops/parts.hpp>
#include <tt/ops/reductions.hpp>

namespace tt {

namespace detail {

inline void record_triangle(const AnyTensor& out, const AnyTensor& x, index_t diagonal,
                            triangle part);  // autograd/move.hpp
template <int Order>
inline constexpr RecordTriangle triangle_record = Order > 0 ? record_triangle : nullptr;

template <class ShapeType, index_t Offset>
struct diag_of {
  static constexpr dims value = [] {
    const index_t rows = ShapeType::value[0], out = Offset < 0 ? -Offset : Offset;
    if constexpr (ShapeType::rank == 1) {
      const index_t side = rows < 0 ? (out ? dyn : rows) : rows + out;
      return dims{side, side};
    } else {
      const index_t columns = ShapeType::value[1],
                    length = (std::min)(Offset < 0 ? rows + Offset : rows, Offset < 0 ? columns : columns - Offset);
      return dims{rows < 0 || columns < 0 ? (rows == columns && Offset == 0 ? rows : dyn)
                                          : (std::max)(length, index_t(0))};
    }
  }();
};
template <class ShapeType, index_t Offset, int First, int Second>
struct diag_embed_of {
  static constexpr dims value = [] {
    const dims& x = ShapeType::value;
    const int rank = x.rank + 1, a = repaired_axis(First, rank), b = repaired_axis(Second, rank);
    const index_t side = x[-1] < 0 ? (Offset ? dyn : x[-1]) : x[-1] + (Offset < 0 ? -Offset : Offset);
    dims out;
    for (int i = 0, j = 0; i < rank; ++i) out.push_back(i == a || i == b ? side : x.extent[j++]);
    return out;
  }();
};
template <class X>
consteval void check_diag() {
  static_assert(rank_of<X> == 1 || rank_of<X> == 2, "tt::diag: it takes a vector or a matrix");
}
template <class X>
consteval void check_triangle() {
  static_assert(rank_of<X> >= 2, "tt: a triangle is one of a matrix: the tensor needs two axes");
}

}  // namespace detail

/// A vector onto a diagonal of a matrix of zeros, or a diagonal of a matrix as a vector; Offset counts upwards.
/// https://pytorch.org/docs/stable/generated/torch.diag.html
template <index_t Offset = 0, expression X>
auto diag(const X& x) {
  detail::check_diag<X>();
  using shape = shape_from<detail::diag_of<shape_t<X>, Offset>>;
  return detail::view_of<X, shape>(detail::run_diag(evaluate(x), Offset, detail::move_record<order_of<X>>));
}
template <expression X>
auto diag(const X& x, index_t offset, const place& where = place::current()) {
  detail::check_diag<X>();
  const detail::Noted noted(where);
  using shape = dynamic_shape<3 - rank_of<X>>;
  return detail::view_of<X, shape>(detail::run_diag(evaluate(x), offset, detail::move_record<order_of<X>>));
}

/// The last axis of x onto a diagonal of new axes First and Second, zeros beside it.
/// https://pytorch.org/docs/stable/generated/torch.diag_embed.html
template <index_t Offset = 0, int First = -2, int Second = -1, expression X>
auto diag_embed(const X& x) {
  static_assert(rank_of<X> >= 1, "tt::diag_embed: a tensor without axes has no diagonal to put anywhere");
  (void)detail::static_axes<rank_of<X> + 1, First, Second>();
  using shape = shape_from<detail::diag_embed_of<shape_t<X>, Offset, First, Second>>;
  return detail::view_of<X, shape>(
      detail::run_diag_embed("diag_embed", evaluate(x), Offset, First, Second, detail::move_record<order_of<X>>));
}
template <expression X>
auto diag_embed(const X& x, index_t offset, int first = -2, int second = -1, const place& where = place::current()) {
  const detail::Noted noted(where);
  using shape = dynamic_shape<rank_of<X> + 1>;
  return detail::view_of<X, shape>(
      detail::run_diag_embed("diag_embed", evaluate(x), offset, first, second, detail::move_record<order_of<X>>));
}

/// Elements on and below a diagonal of the last two axes, zeros above.
/// https://pytorch.org/docs/stable/generated/torch.tril.html
template <expression X>
auto tril(const X& x, index_t diagonal = 0) {
  detail::check_triangle<X>();
  return detail::view_of<X, shape_t<X>>(
      detail::run_triangle(evaluate(x), diagonal, detail::triangle::lower, detail::triangle_record<order_of<X>>));
}
/// Elements on and above a diagonal of the last two axes, zeros below.
/// https://pytorch.org/docs/stable/generated/torch.triu.html
template <expression X>
auto triu(const X& x, index_t diagonal = 0) {
  detail::check_triangle<X>();
  return detail::view_of<X, shape_t<X>>(
      detail::run_triangle(evaluate(x), diagonal, detail::triangle::upper, detail::triangle_record<order_of<X>>));
}
/// The sum of a matrix's diagonal; integers and bools give int64.
/// https://pytorch.org/docs/stable/generated/torch.trace.html
template <expression X>
auto trace(const X& x) {
  static_assert(rank_of<X> == 2, "tt::trace: it takes a matrix");
  return eval(sum(diagonal(x)));
}

}  // namespace tt
