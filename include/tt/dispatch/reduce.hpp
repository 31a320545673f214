// Running a reduction: iteration space, accumulators, result, tape.
#pragma once
#include <tt/dispatch/map.hpp>
#include <tt/expr/reduce.hpp>

namespace tt::detail {

using RecordReduce = void (*)(const AnyTensor& out, const MapKernel&, const ReduceKernel&, const Entry*, int count,
                              const dims& space, AxisSet axes);

/// Strides over the space of a result whose reduced axes are gone or 1: 0 there.
inline index_t reduced_strides(index_t* to, const dims& space, AxisSet axes) {
  index_t n = 1;
  for (int i = space.rank - 1; i >= 0; --i) {
    const bool gone = axes >> i & 1;
    to[i] = gone ? 0 : n;
    if (!gone) n *= space.extent[i];
  }
  return n;
}
[[noreturn]] TT_NOINLINE inline void reduce_nothing(std::string_view op, const dims& space) {
  fail_index({"tt::", op, ": the extents ", space, " leave nothing to choose from along the reduced axes"});
}

TT_NOINLINE inline AnyTensor launch_reduce(const MapKernel& map, const ReduceKernel& k, const Entry* entry, int count,
                                           AxisSet axes, bool keep, dtype value, bool selects, RecordReduce record) {
  const dims space = iteration_space(entry, count);
  const index_t joined = reduced_count(space, axes);
  if (selects && joined == 0) reduce_nothing(k.name, space);
  const Memory* const memory = first_memory(entry, count);
  AnyTensor out = AnyTensor::empty(value, reduced(space, axes, keep), memory);
  Strided leaf[max_leaves];
  Region region;
  region.size = space;
  region.leaves = count;
  region.leaf = leaf;
  region.numbers = lower_entries(leaf, entry, count, {space}, map.compute, &k.name, map.where, memory);
  const index_t out_count = reduced_strides(region.out.stride, space, axes);
  const double divisor = k.divides ? double(joined) : 1;
  region.out.spare = true;
  if (k.whole) {
    region.out.data = out.device_ptr();
    region.out.type = value;
    k.whole(region, out_count, divisor);
  } else {
    const auto accumulators = make_storage(std::size_t(out_count) * size_of(k.accumulator));
    region.out.data = accumulators->data;
    region.out.type = k.accumulator;
    k.drive(map, k, region, out_count);
    k.finish(accumulators->data, out.data_ptr(), value, out_count, divisor);
  }
  if (record && recording && (selects ? entry[0].tensor->requires_grad() : any_tracked(map, entry, count))) record(out, map, k, entry, count, space, axes);
  return out;
}
TT_NOINLINE inline AnyTensor run_reduce(const MapKernel& map, const ReduceKernel& k, const Entry* entry, int count, AxisSet axes,
                                        bool keep, dtype value, bool selects, RecordReduce record) {
  const auto launch = [&] { return launch_reduce(map, k, entry, count, axes, keep, value, selects, record); };
  if (!modes.active) [[likely]] return launch();
  const EntryInputs inputs(entry, count);
  return dispatched({"reduce", {&k.name, 1}, {inputs.tensor, std::size_t(count)}}, launch);
}

TT_NOINLINE inline AnyTensor run_arg(const ArgKernel& k, const AnyTensor& x, AxisSet axes, bool keep) {
  const AnyTensor* input = &x;
  return dispatched({"reduce", {&k.name, 1}, {&input, 1}}, [&] {
    const dims& size = x.sizes();
    if (reduced_count(size, axes) == 0) reduce_nothing(k.name, size);
    const Memory* const memory = memory_of(k.name, k.where, {&x});
    AnyTensor out = AnyTensor::empty(dtype::int64, reduced(size, axes, keep), memory);
    if (k.whole) {
      Strided leaf;
      lower_tensor(leaf, x, {size});
      Region region{size, 1, &leaf, {out.device_ptr(), dtype::int64, false, {}}, nullptr};
      const index_t count = reduced_strides(region.out.stride, size, axes);
      k.whole(region, count);
      return out;
    }
    auto* to = reinterpret_cast<std::int64_t*>(out.data_ptr());
    const AnyTensor flat = x.packed();
    const index_t item = index_t(size_of(x.dtype()));
    if (axes == all_axes(size.rank)) {
      *to = k.best(flat.data_ptr(), x.numel(), 1);
      return out;
    }
    int axis = 0;
    while (!(axes >> axis & 1)) ++axis;
    index_t inner = 1, outer = 1;
    for (int i = 0; i < size.rank; ++i) (i < axis ? outer : inner) *= i == axis ? 1 : size.extent[i];
    for (index_t o = 0; o < outer; ++o)
      for (index_t i = 0; i < inner; ++i)
        *to++ = k.best(flat.data_ptr() + (o * size.extent[axis] * inner + i) * item, size.extent[axis], inner);
    return out;
  });
}

}  // namespace tt::detail
