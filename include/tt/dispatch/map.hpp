// Running a map kernel: iteration space, result, kernel, tape.
#pragma once
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/lower.hpp>
#include <tt/dispatch/mode.hpp>

namespace tt::detail {

/// Whether whole vectors may be written past the last element of an existing tensor: nobody's elements follow.
inline bool ends_storage(const AnyTensor& t) {
  return t.data_ptr() + t.numel() * index_t(size_of(t.dtype())) == t.storage()->data + t.storage()->bytes;
}
/// Writes a region into `out`, laid over the space. Not on the tape. `out` may be any view; whether its storage ends with
/// it (a new tensor's does) the caller says.
TT_NOINLINE inline void run_map_into(const MapKernel& k, const Entry* entry, int count, const dims& space, const AnyTensor& out,
                                     bool at_end) {
  Strided leaf[max_leaves];
  Region region;
  region.size.rank = space.rank;
  std::copy_n(space.extent, space.rank, region.size.extent);
  region.leaves = count;
  region.leaf = leaf;
  for (int i = 0; i < count; ++i) lower_entry(leaf[i], entry[i], space, k.compute);
  lower_tensor(region.out, out, space);
  region.out.spare &= at_end;
  k.drive(k.forward, region);
}

inline dims iteration_space(const Entry* entry, int count) {
  dims space;
  for (int i = 0; i < count; ++i)
    if (entry[i].tensor) broadcast_into(space, entry[i].tensor->sizes());
  return space;
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
  const dims space = iteration_space(entry, count);
  AnyTensor out = AnyTensor::empty(k.value, space);
  run_map_into(k, entry, count, space, out, true);
  if (k.record && recording && any_tracked(k, entry, count)) k.record(out, k, entry, count, space);
  return out;
}

inline AnyTensor run_map(const MapKernel& k, const Entry* entry, int count) {
  if (!modes.active) [[likely]] return launch_map(k, entry, count);
  const EntryInputs inputs(entry, count);
  return dispatched({"map", {k.names, std::size_t(k.name_count)}, {inputs.tensor, std::size_t(count)}},
                    [&] { return launch_map(k, entry, count); });
}

}  // namespace tt::detail
