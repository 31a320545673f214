// Running a map kernel: iteration space, result, kernel, tape.
#pragma once
#include <tt/core/walk.hpp>
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/mode.hpp>

namespace tt::detail {

inline void record_map(const AnyTensor& out, const MapKernel&, const Entry*, int count, const Space& space);  // autograd/map.hpp

/// Whether whole vectors may be written past the last element of an existing tensor: nobody's elements follow.
inline bool ends_storage(const AnyTensor& t) {
  return t.device_ptr() + t.numel() * index_t(size_of(t.dtype())) == t.storage()->data + t.storage()->bytes;
}
/// Writes a region into `out`, laid over the space. Not on the tape. `out` may be any view; whether its storage ends with
/// it (a new tensor's does) the caller says.
TT_NOINLINE inline void run_map_into(const MapKernel& k, const Entry* entry, int count, const Space& space, const AnyTensor& out,
                                     bool at_end) {
  Strided leaf[max_leaves];
  Region region;
  region.size.rank = space.size.rank;
  for (int i = 0; i < space.size.rank; ++i) region.size.extent[i] = space.size.extent[i];
  region.leaves = count;
  region.leaf = leaf;
  region.numbers = lower_entries(leaf, entry, count, space, k.compute, k.names, k.where, out.storage()->memory);
  lower_tensor(region.out, out, space);
  region.out.spare &= at_end;
  k.drive(k.forward, region);
}

/// The operand whose extents and row-major strides all others share; null if there is none.
inline const TensorBody* flat_layout(const Entry* entry, int count) {
  const TensorBody* first = nullptr;
  for (int k = 0; k < count; ++k) {
    if (!entry[k].tensor) continue;
    const TensorBody& body = *entry[k].tensor->body();
    if (!first) {
      if (!entry[k].tensor->is_contiguous()) return nullptr;
      first = &body;
      continue;
    }
    if (body.size.rank != first->size.rank) return nullptr;
    for (int i = 0; i < body.size.rank; ++i)
      if (body.size.extent[i] != first->size.extent[i] || body.stride[i] != first->stride[i]) return nullptr;
  }
  return first;
}
/// All elements of that layout as one row.
inline Space flat_space(const TensorBody& layout) {
  Space space;
  space.flat = true;
  space.size.push_back(layout.size.count());
  return space;
}
inline dims iteration_space(const Entry* entry, int count) {
  dims space;
  for (int i = 0; i < count; ++i)
    if (entry[i].tensor) broadcast_into(space, entry[i].tensor->sizes());
  return space;
}
inline void check_names(const Entry* a, const Entry* b, const Entry* end, unsigned names) {
  const dims left = iteration_space(a, int(b - a)), right = iteration_space(b, int(end - b));
  for (int j = 0; j < left.rank && j < right.rank; ++j)
    if ((names >> j & 1) && left[-1 - j] != right[-1 - j])
      fail({"tt: equal names are one extent, but the operands are ", left, " and ", right});
}
inline void check_divisor(std::string_view op, const Entry& divisor) {
  bool zero = false;
  if (divisor.tensor) {
    const AnyTensor flat = divisor.tensor->on_host().packed();
    visit_word(size_of(flat.dtype()), [&]<class Word>(Word) {
      if constexpr (std::is_integral_v<Word>) {
        const auto* p = reinterpret_cast<const Word*>(flat.data_ptr());
        for (index_t i = 0, n = flat.numel(); i < n; ++i) zero |= p[i] == 0;
      }
    });
  } else {
    zero = divisor.constant.integer == 0;
  }
  if (zero) fail({"tt::", op, ": an integer is divided by zero"});
}
/// Whether a leaf that backward code was made for requires a gradient: x alone in `x > 0` does not count.
inline bool any_tracked(const MapKernel& k, const Entry* entry, int count) {
  for (int i = 0; i < count; ++i)
    if ((k.wants >> i & 1) && entry[i].tensor && entry[i].tensor->requires_grad()) return true;
  return false;
}

/// The Call of a list of entries, for modes.
struct EntryInputs {
  const AnyTensor* tensor[max_leaves];
  EntryInputs(const Entry* entry, int count) {
    for (int i = 0; i < count; ++i) tensor[i] = entry[i].tensor;
  }
};

TT_NOINLINE inline AnyTensor launch_map(const MapKernel& k, const Entry* entry, int count) {
  const TensorBody* layout = flat_layout(entry, count);
  const Space space = layout ? flat_space(*layout) : Space{iteration_space(entry, count)};
  AnyTensor out = AnyTensor::empty(k.value, layout ? layout->size : space.size, first_memory(entry, count));
  run_map_into(k, entry, count, space, out, true);
  if (k.record && recording && any_tracked(k, entry, count)) k.record(out, k, entry, count, space);
  return out;
}

/// What a mode sees of a region.
TT_NOINLINE inline AnyTensor run_map_in_mode(const MapKernel& k, const Entry* entry, int count) {
  const EntryInputs inputs(entry, count);
  return dispatched({"map", {k.names, std::size_t(k.name_count)}, {inputs.tensor, std::size_t(count)}},
                    [&] { return launch_map(k, entry, count); });
}
inline AnyTensor run_map(const MapKernel& k, const Entry* entry, int count) {
  return modes.active ? run_map_in_mode(k, entry, count) : launch_map(k, entry, count);
}

}  // namespace tt::detail
