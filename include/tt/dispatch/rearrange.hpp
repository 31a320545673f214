// Joining, reordering and repeating: each says which elements move where.
#pragma once
#include <tt/dispatch/move.hpp>
#include <tt/dispatch/view_extents.hpp>

namespace tt::detail {

// ---- several inputs into one ----

TT_NOINLINE inline void check_joined(const char* name, std::span<const AnyTensor> inputs) {
  if (inputs.empty()) fail({"tt::", name, ": the list of tensors is empty"});
  for (const AnyTensor& x : inputs) {
    if (!x.defined()) no_elements("tt::cat");
    if (x.dtype() != inputs[0].dtype())
      fail({"tt::", name, ": the dtypes ", name_of(inputs[0].dtype()), " and ", name_of(x.dtype()),
            " differ: cast one"});
  }
}

inline AnyTensor run_cat(const char* name, std::span<const AnyTensor> inputs, index_t along, RecordMove record) {
  check_joined(name, inputs);
  const auto nothing = [](const AnyTensor& x) { return x.rank() == 1 && x.size(0) == 0; };
  const AnyTensor* first = &inputs[0];
  for (const AnyTensor& x : inputs) {
    if (x.rank() == 0) fail({"tt::", name, ": tensors without axes cannot be joined: stack() gives them one"});
    if (nothing(*first)) first = &x;
  }
  const int axis = view_axis(name, along, first->rank());
  dims size = first->sizes();
  size.extent[axis] = 0;
  for (const AnyTensor& x : inputs) {
    if (nothing(x)) continue;
    dims rest = x.sizes();
    const index_t part = rest.rank == size.rank ? std::exchange(rest.extent[axis], size.extent[axis]) : 0;
    if (!(rest == size))
      fail({"tt::", name, ": the extents ", first->sizes(), " and ", x.sizes(), " may differ along axis ", axis,
            " only"});
    size.extent[axis] += part;
  }
  return dispatched_moves(name, inputs, [&] {
    Mover mover(size, inputs, int(inputs.size()), record);
    index_t at = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      mover.move(int(i), mover.stride, at * mover.stride[axis], [](ViewLayout&) {});
      if (!nothing(inputs[i])) at += inputs[i].sizes()[axis];
    }
    return mover.finish(name, true);
  });
}

inline AnyTensor at_least(const AnyTensor& x, int rank, RecordView record) {
  if (x.rank() >= rank) return x;
  dims size;
  while (size.rank + x.rank() < rank) size.push_back(1);
  for (index_t e : x.sizes()) size.push_back(e);
  return reshape_view(x, size, record);
}

inline AnyTensor run_stack(const char* name, std::span<const AnyTensor> inputs, index_t along, RecordMove record) {
  check_joined(name, inputs);
  const dims& each = inputs[0].sizes();
  for (const AnyTensor& x : inputs)
    if (!(x.sizes() == each)) fail({"tt::", name, ": the extents ", each, " and ", x.sizes(), " differ"});
  const int axis = view_axis(name, along, each.rank + 1);
  dims size;
  for (int i = 0; i <= each.rank; ++i) size.push_back(i == axis ? index_t(inputs.size()) : each.extent[i - (i > axis)]);
  return dispatched_moves(name, inputs, [&] {
    Mover mover(size, inputs, int(inputs.size()), record);
    const index_t step = mover.stride[axis];
    for (int i = axis; i < each.rank; ++i) mover.stride[i] = mover.stride[i + 1];
    for (std::size_t i = 0; i < inputs.size(); ++i)
      mover.move(int(i), mover.stride, index_t(i) * step, [](ViewLayout&) {});
    return mover.finish(name, true);
  });
}

// ---- another order of the same elements ----

/// The walk along an axis turned round.
inline void reverse(ViewLayout& v, int axis) {
  v.offset += ((std::max)(v.size.extent[axis], index_t(1)) - 1) * v.stride[axis];
  v.stride[axis] = -v.stride[axis];
}

inline AnyTensor run_flip(const char* name, const AnyTensor& x, std::span<const index_t> axes, RecordMove record) {
  unsigned set = 0;
  for (index_t a : axes) {
    const unsigned bit = 1u << view_axis(name, a, x.rank());
    if (set & bit) fail({"tt::", name, ": axis ", a, " is named twice"});
    set |= bit;
  }
  return moved_whole(name, x, x.sizes(), true, record, [&](ViewLayout& v) {
    for (int i = 0; i < v.size.rank; ++i)
      if (set >> i & 1) reverse(v, i);
  });
}

inline AnyTensor run_rot90(const AnyTensor& x, index_t k, index_t from, index_t towards, RecordMove record) {
  if (x.rank() < 2) fail({"tt::rot90: the extents ", x.sizes(), " are no plane: it needs two axes"});
  const int a = view_axis("rot90", from, x.rank()), b = view_axis("rot90", towards, x.rank());
  if (a == b) fail("tt::rot90: the two axes must differ");
  const int turns = int((k % 4 + 4) % 4);
  dims size = x.sizes();
  if (turns % 2) std::swap(size.extent[a], size.extent[b]);
  return moved_whole("rot90", x, size, true, record, [&](ViewLayout& v) {
    if (turns == 1 || turns == 2) reverse(v, b);
    if (turns == 2 || turns == 3) reverse(v, a);
    if (turns % 2) {
      std::swap(v.size.extent[a], v.size.extent[b]);
      std::swap(v.stride[a], v.stride[b]);
    }
  });
}

/// Each axis is cut in two where it wraps, so that 2^axes moves do it at most.
inline AnyTensor run_roll(const AnyTensor& x, std::span<const index_t> shifts, std::span<const index_t> axes,
                          RecordMove record) {
  if (shifts.empty() || shifts.size() != axes.size())
    fail({"tt::roll: ", shifts.size(), " shifts for ", axes.size(), " axes"});
  index_t shift[max_rank]{};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = view_axis("roll", axes[i], x.rank());
    const index_t n = x.rank() ? (std::max)(x.sizes()[axis], index_t(1)) : 1;
    shift[axis] = (shift[axis] + shifts[i] % n + n) % n;
  }
  unsigned wraps = 0;
  for (int i = 0; i < x.rank(); ++i) wraps |= unsigned(shift[i] != 0) << i;
  return dispatched_moves("roll", {&x, 1}, [&] {
    Mover mover(x.sizes(), {&x, 1}, 1 << std::popcount(wraps), record);
    unsigned part = 0;  // bit i: the elements that come round the end of axis i
    do {
      index_t at = 0;
      for (int i = 0; i < x.rank(); ++i)
        if (!(part >> i & 1)) at += shift[i] * mover.stride[i];
      mover.move(0, mover.stride, at, [&](ViewLayout& v) {
        for (int i = 0; i < v.size.rank; ++i) {
          const index_t rest = v.size.extent[i] - shift[i];
          if (part >> i & 1) v.offset += rest * v.stride[i];
          if (wraps >> i & 1) v.size.extent[i] = part >> i & 1 ? shift[i] : rest;
        }
      });
      part = (part - wraps) & wraps;  // the next subset
    } while (part);
    return mover.finish("roll", true);
  });
}

// ---- elements more than once ----

inline index_t repeated_extent(const char* name, index_t extent, index_t times) {
  index_t out;
  if (times < 0) fail({"tt::", name, ": an axis cannot be repeated ", times, " times"});
  if (__builtin_mul_overflow(extent, times, &out))
    fail({"tt::", name, ": ", times, " times ", extent, " elements are too many"});
  return out;
}

/// Result axis i is (repeats, extent), of which the first is read with stride 0. Where that takes more axes than a
/// move has, the leading half is repeated first.
inline AnyTensor run_repeat(const char* name, const AnyTensor& x, const dims& repeats, RecordMove record) {
  const int more = repeats.rank - x.rank();
  if (more < 0) fail({"tt::", name, ": ", repeats.rank, " repeats for a tensor with ", x.rank(), " axes"});
  dims size, trailing = repeats;
  int needed = 0;
  for (int i = 0; i < repeats.rank; ++i) {
    const index_t extent = i < more ? 1 : x.sizes()[i - more];
    size.push_back(repeated_extent(name, extent, repeats.extent[i]));
    needed += (extent != 1) + (repeats.extent[i] != 1);
  }
  if (needed > max_rank) {
    dims leading = repeats;
    for (int i = 0; i < repeats.rank; ++i) (i < repeats.rank / 2 ? trailing : leading).extent[i] = 1;
    return run_repeat(name, run_repeat(name, x, leading, record), trailing, record);
  }
  return dispatched_moves(name, {&x, 1}, [&] {
    Mover mover(size, {&x, 1}, 1, record);
    index_t to[max_rank];
    int axes = 0;
    for (int i = 0; i < size.rank; ++i) {
      const index_t extent = i < more ? 1 : x.sizes()[i - more];
      if (repeats.extent[i] != 1) to[axes++] = extent * mover.stride[i];
      if (extent != 1) to[axes++] = mover.stride[i];
    }
    mover.move(0, to, 0, [&](ViewLayout& v) {
      const ViewLayout before = v;
      v.size.rank = 0;
      const auto axis = [&v](index_t extent, index_t stride) {
        v.stride[v.size.rank] = stride;
        v.size.push_back(extent);
      };
      for (int i = 0; i < size.rank; ++i) {
        const index_t extent = i < more ? 1 : before.size.extent[i - more];
        if (repeats.extent[i] != 1) axis(repeats.extent[i], 0);
        if (extent != 1) axis(extent, before.stride[i - more]);
      }
    });
    return mover.finish(name, false);
  });
}

/// Axis i of the result is (extent, repeats). A move for each repeat, since an axis more may be one too many.
inline AnyTensor run_interleave(const AnyTensor& x, index_t repeats, index_t along, RecordMove record) {
  const char* const name = "repeat_interleave";
  const int axis = view_axis(name, along, x.rank());
  if (x.rank() == 0) fail("tt::repeat_interleave: a tensor without axes has none to repeat along");
  dims size = x.sizes();
  size.extent[axis] = repeated_extent(name, size.extent[axis], repeats);
  return dispatched_moves(name, {&x, 1}, [&] {
    const bool one_move = x.rank() < max_rank;
    Mover mover(size, {&x, 1}, one_move ? 1 : int((std::max)(repeats, index_t(1))), record);
    index_t to[max_rank];
    std::copy_n(mover.stride, size.rank, to);
    const index_t step = std::exchange(to[axis], to[axis] * repeats);
    if (one_move) {
      std::copy_backward(to + axis + 1, to + size.rank, to + size.rank + 1);
      to[axis + 1] = step;
      mover.move(0, to, 0, [&](ViewLayout& v) {
        v.size.push_back(0);
        for (int i = v.size.rank - 1; i > axis + 1; --i)
          v.size.extent[i] = v.size.extent[i - 1], v.stride[i] = v.stride[i - 1];
        v.size.extent[axis + 1] = repeats, v.stride[axis + 1] = 0;
      });
    } else {
      index_t r = 0;
      do {
        mover.move(0, to, r * step, [&](ViewLayout& v) { v.size.extent[axis] *= repeats != 0; });
      } while (++r < repeats);
    }
    return mover.finish(name, false);
  });
}
inline AnyTensor interleaved_positions(const AnyTensor& counts, index_t n) {
  if (counts.dtype() != dtype::int64)
    fail({"tt::repeat_interleave: the repeats must be int64, not ", name_of(counts.dtype())});
  if (counts.rank() > 1 || (counts.numel() != n && counts.numel() != 1))
    fail({"tt::repeat_interleave: repeats of the extents ", counts.sizes(), " for an axis of ", n});
  const AnyTensor flat = counts.packed();
  const auto* count = reinterpret_cast<const std::int64_t*>(flat.data_ptr());
  const auto times = [&](index_t i) { return count[counts.numel() == 1 ? 0 : i]; };
  index_t total = 0;
  for (index_t i = 0; i < n; ++i) {
    if (times(i) < 0) fail({"tt::repeat_interleave: an element cannot be repeated ", times(i), " times"});
    if (__builtin_add_overflow(total, times(i), &total)) fail("tt::repeat_interleave: the repeats are too many");
  }
  const AnyTensor positions = AnyTensor::empty(dtype::int64, {total});
  auto* p = reinterpret_cast<std::int64_t*>(positions.data_ptr());
  for (index_t i = 0; i < n; ++i) p = std::fill_n(p, times(i), i);
  return positions;
}

}  // namespace tt::detail
