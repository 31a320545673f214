// Running a scan: rows and the axes around them, result, kernel, tape.
#pragma once
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/expr/scan.hpp>
#include <tt/expr/view.hpp>  // view_axis

namespace tt::detail {

/// Not on the tape.
TT_NOINLINE inline AnyTensor scan_axis(const ScanKernel& k, const AnyTensor& x, int axis, dtype result, bool from_end) {
  const AnyTensor out = AnyTensor::empty(result, x.sizes());
  ScanSpace s{{}, 1, x.data_ptr(), out.data_ptr(), x.dtype(), result, 1, 1, {}, {}};
  for (int i = 0; i < x.rank(); ++i) {
    if (i == axis) {
      s.length = x.sizes()[i], s.from_step = x.strides()[i], s.to_step = out.strides()[i];
    } else {
      s.from_stride[s.around.rank] = x.strides()[i], s.to_stride[s.around.rank] = out.strides()[i];
      s.around.push_back(x.sizes()[i]);
    }
  }
  if (from_end && s.length > 0) {
    s.from += (s.length - 1) * s.from_step * index_t(size_of(x.dtype()));
    s.to += (s.length - 1) * s.to_step * index_t(size_of(result));
    s.from_step = -s.from_step, s.to_step = -s.to_step;
  }
  k.drive(k, s);
  return out;
}

inline AnyTensor run_scan(const ScanKernel& k, const AnyTensor& x, index_t along, dtype result, bool from_end,
                          RecordScan record) {
  const int axis = view_axis(k.name.data(), along, x.rank());
  const AnyTensor* const input = &x;
  return dispatched({"scan", {&k.name, 1}, {&input, 1}}, [&] {
    AnyTensor out = scan_axis(k, x, axis, result, from_end);
    if (record && recording && x.requires_grad()) record(out, x, k, axis, from_end);
    return out;
  });
}

inline AnyTensor run_position_scan(const PositionScanKernel& k, const AnyTensor& x, index_t along) {
  const int axis = view_axis(k.name.data(), along, x.rank());
  const AnyTensor* const input = &x;
  return dispatched({"scan", {&k.name, 1}, {&input, 1}}, [&] {
    const AnyTensor out = AnyTensor::empty(dtype::int64, x.sizes()), flat = x.packed();
    index_t length = 1, inner = 1;
    for (int i = 0; i < x.rank(); ++i)
      if (i == axis) length = x.sizes()[i];
      else if (i > axis) inner *= x.sizes()[i];
    auto* const to = reinterpret_cast<std::int64_t*>(out.data_ptr());
    for (index_t at = 0, n = x.numel(); at < n; at += length * inner)
      k.scan(flat.data_ptr() + at * index_t(size_of(x.dtype())), to + at, length, inner);
    return out;
  });
}

}  // namespace tt::detail
