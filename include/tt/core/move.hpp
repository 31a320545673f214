// A move: elements from one strided layout into another. Copies that rearrange are lists of moves; read backwards they
// bring gradients home.
#pragma once
#include <tt/core/parallel.hpp>
#include <tt/core/walk.hpp>

#include <algorithm>
#include <cstring>

namespace tt::detail {

/// to[to_at + i * to] = from[from_at + i * from] for each index i below size; strides count elements. A stride may be
/// negative, or 0 in `from`: the element is read again.
struct Move {
  dims size;
  index_t from[max_rank], to[max_rank];
  index_t from_at = 0, to_at = 0;

  /// Appends an axis.
  void push_back(index_t extent, index_t from_stride, index_t to_stride) {
    from[size.rank] = from_stride, to[size.rank] = to_stride;
    size.push_back(extent);
  }
};

/// The same move with as few axes as its layouts allow, so that rows are long.
TT_NOINLINE inline Move merged(const Move& m) {
  Move out;
  out.from_at = m.from_at, out.to_at = m.to_at;
  for (int i = 0; i < m.size.rank; ++i) {
    const index_t n = m.size.extent[i];
    const int last = out.size.rank - 1;
    if (n == 1) continue;
    if (last >= 0 && out.from[last] == m.from[i] * n && out.to[last] == m.to[i] * n) {
      out.size.extent[last] *= n;
      out.from[last] = m.from[i], out.to[last] = m.to[i];
    } else {
      out.push_back(n, m.from[i], m.to[i]);
    }
  }
  return out;
}

/// The way back.
inline Move reversed(const Move& m) {
  Move out;
  out.from_at = m.to_at, out.to_at = m.from_at;
  for (int i = 0; i < m.size.rank; ++i) out.push_back(m.size.extent[i], m.to[i], m.from[i]);
  return out;
}

/// row(from, to, length, from step, to step) for each row of a move.
template <class Row>
void each_row(const Move& m, Row&& row) {
  const int outer = m.size.rank - 1;
  if (outer < 0) return void(row(m.from_at, m.to_at, index_t(1), index_t(1), index_t(1)));
  const index_t length = m.size.extent[outer];
  index_t at[max_rank]{}, from = m.from_at, to = m.to_at, left = length > 0;
  for (int axis = 0; axis < outer; ++axis) left *= m.size.extent[axis];
  for (; left > 0; --left) {
    row(from, to, length, m.from[outer], m.to[outer]);
    for (int axis = outer - 1; axis >= 0; --axis) {
      from += m.from[axis], to += m.to[axis];
      if (++at[axis] < m.size.extent[axis]) break;
      from -= at[axis] * m.from[axis], to -= at[axis] * m.to[axis];
      at[axis] = 0;
    }
  }
}

/// f(part of the move) for parts that several threads may run: cut along the outermost axis, by the shape alone.
template <class Function>
void each_part(const Move& m, Function&& f) {
  const index_t n = m.size.rank ? m.size.extent[0] : 1;
  const index_t parts = std::clamp<index_t>(m.size.count() / parallel_grain, 1, std::clamp<index_t>(n, 1, 32));
  if (parts <= 1) return void(f(m));
  parallel_chunks(parts, [&](index_t part) {
    Move mine = m;
    const index_t begin = part * n / parts;
    mine.size.extent[0] = (part + 1) * n / parts - begin;
    mine.from_at += begin * m.from[0], mine.to_at += begin * m.to[0];
    f(mine);
  });
}

/// Runs a merged move of elements of `item` bytes.
TT_NOINLINE inline void run_move(const Move& whole, const std::byte* from, std::byte* to, std::size_t item) {
  each_part(whole, [&](const Move& m) {
    each_row(m, [&](index_t f, index_t t, index_t n, index_t f_step, index_t t_step) {
      const std::byte* p = from + f * index_t(item);
      std::byte* q = to + t * index_t(item);
      if (f_step == 1 && t_step == 1) return void(std::memcpy(q, p, std::size_t(n) * item));
      visit_word(item, [&]<class Word>(Word) {
        constexpr index_t bytes = index_t(sizeof(Word));
        for (index_t j = 0; j < n; ++j) std::memcpy(q + j * t_step * bytes, p + j * f_step * bytes, sizeof(Word));
      });
    });
  });
}

}  // namespace tt::detail
