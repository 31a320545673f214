// Diagonals, onto new axes and off a matrix; and triangles, which clear the rest of each row.
#pragma once
#include <tt/dispatch/create.hpp>
#include <tt/dispatch/move.hpp>

namespace tt::detail {

/// No matrix has a diagonal further out.
inline index_t checked_diagonal(const char* name, index_t offset) {
  if (offset > index_t(1) << 42 || offset < -(index_t(1) << 42))
    fail({"tt::", name, ": the diagonal ", offset, " is too far out"});
  return offset;
}

inline AnyTensor run_diag_embed(const char* name, const AnyTensor& x, index_t offset, index_t first, index_t second,
                                RecordMove record) {
  if (x.rank() == 0) fail({"tt::", name, ": a tensor without axes has no diagonal to put anywhere"});
  const int rank = x.rank() + 1, a = view_axis(name, first, rank), b = view_axis(name, second, rank);
  if (a == b) fail({"tt::", name, ": the two axes must differ"});
  const index_t side = x.size(-1) + std::abs(checked_diagonal(name, offset));
  dims size;
  for (int i = 0, j = 0; i < rank; ++i) size.push_back(i == a || i == b ? side : x.sizes()[j++]);
  return dispatched_moves(name, {&x, 1}, [&] {
    Mover mover(size, {&x, 1}, 1, record);
    mover.zero();
    index_t to[max_rank];
    int axes = 0;
    for (int i = 0; i < rank; ++i)
      if (i != a && i != b) to[axes++] = mover.stride[i];
    to[axes] = mover.stride[a] + mover.stride[b];
    mover.move(0, to, offset < 0 ? -offset * mover.stride[a] : offset * mover.stride[b], [](ViewLayout&) {});
    return mover.finish(name, true);
  });
}

inline AnyTensor run_diag(const AnyTensor& x, index_t offset, RecordMove record) {
  if (x.rank() == 1) return run_diag_embed("diag", x, offset, 0, 1, record);
  if (x.rank() != 2) fail({"tt::diag: it takes a vector or a matrix, not the extents ", x.sizes()});
  checked_diagonal("diag", offset);
  const index_t rows = x.sizes()[0], columns = x.sizes()[1];
  const index_t length =
      (std::max)((std::min)(offset < 0 ? rows + offset : rows, offset < 0 ? columns : columns - offset), index_t(0));
  return moved_whole("diag", x, {length}, false, record, [&](ViewLayout& v) {
    if (length > 0) v.offset += offset < 0 ? -offset * v.stride[0] : offset * v.stride[1];
    v.stride[0] += v.stride[1];
    v.size = {length};
  });
}

inline AnyTensor run_triangle(const AnyTensor& x, index_t diagonal, triangle part, RecordTriangle record) {
  static constexpr std::string_view names[] = {"tril", "triu"};
  const std::string_view& name = names[int(part)];
  if (x.rank() < 2) fail({"tt::", name, ": the extents ", x.sizes(), " are no matrix: it needs two axes"});
  const AnyTensor* input = &x;
  return dispatched({"move", {&name, 1}, {&input, 1}}, [&] {
    const index_t limit = x.size(-1) + x.size(-2);
    const index_t k = std::clamp(diagonal, -limit, limit);
    AnyTensor out = x.copied();
    const index_t rows = x.size(-2), columns = x.size(-1), item = index_t(size_of(x.dtype()));
    std::byte* row = out.data_ptr();
    for (index_t i = 0, all = columns ? x.numel() / columns : 0; i < all; ++i, row += columns * item) {
      const auto [first, last] = triangle_columns(i % rows, columns, k, part);
      std::memset(row, 0, std::size_t(first * item));
      std::memset(row + last * item, 0, std::size_t((columns - last) * item));
    }
    if (record && recording && x.requires_grad()) record(out, x, k, part);
    return out;
  });
}

}  // namespace tt::detail
