// Running a product along an axis: halves are multiplied elementwise until one element is left, so that views and
// elementwise products carry the gradients.
#pragma once
#include <tt/dispatch/create.hpp>
#include <tt/dispatch/map.hpp>
#include <tt/dispatch/rearrange.hpp>
#include <tt/dispatch/view_parts.hpp>
#include <tt/ops/prod.hpp>

namespace tt::detail {

inline AnyTensor run_product(const AnyTensor& x, index_t along, const MapKernel& mul, RecordView record,
                             RecordMove record_empty) {
  if (x.rank() == 0) {
    view_axis("prod", along, 0);
    return x;
  }
  const int axis = view_axis("prod", along, x.rank());
  const auto times = [&](const AnyTensor& a, const AnyTensor& b) {
    const Entry entry[] = {{&a, a.version(), {}}, {&b, b.version(), {}}};
    return run_map(mul, entry, 2);
  };
  AnyTensor y = x, odd;
  if (x.sizes()[axis] == 0) {  // of nothing 1, but on the tape
    dims one = x.sizes();
    one.extent[axis] = 1;
    const AnyTensor inputs[] = {x, in_memory(create_full(x.dtype(), one, Constant(1)), x.memory())};
    return run_cat("prod", inputs, axis, record_empty);
  }
  while (y.sizes()[axis] > 1) {
    const index_t n = y.sizes()[axis], half = n / 2;
    if (n % 2) {
      const AnyTensor last = slice_view(y, axis, n - 1, n, 1, record);
      odd = odd.defined() ? times(odd, last) : last;
    }
    y = times(slice_view(y, axis, 0, half, 1, record), slice_view(y, axis, half, 2 * half, 1, record));
  }
  return odd.defined() ? times(y, odd) : y;
}

}  // namespace tt::detail
