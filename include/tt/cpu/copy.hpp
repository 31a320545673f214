// copy_ between layouts and dtypes, outside the tape.
#pragma once
#include <tt/core/copy.hpp>
#include <tt/core/overlap.hpp>
#include <tt/cpu/map.hpp>
#include <tt/dispatch/map.hpp>

namespace tt {

namespace detail {
/// Copies compute in the type that loses nothing of the source.
inline const MapKernel& copy_kernel(dtype from) {
  using namespace cpu_kernels;
  switch (compute_dtype(from)) {
    case dtype::int64: return map_kernel<dtype::int64, dtype::int64, prog::copy, prog::copy>;
    case dtype::float32: return map_kernel<dtype::float32, dtype::float32, prog::copy, prog::copy>;
    case dtype::complex64: return map_kernel<dtype::complex64, dtype::complex64, prog::copy, prog::copy>;
    case dtype::complex128: return map_kernel<dtype::complex128, dtype::complex128, prog::copy, prog::copy>;
    default: return map_kernel<dtype::float64, dtype::float64, prog::copy, prog::copy>;
  }
}
/// PyTorch's rule: `from` has no more axes than `to`, and each of its extents is to's or 1.
TT_NOINLINE inline void check_written(const AnyTensor& to, const AnyTensor& from) {
  if (!to.defined() || !from.defined()) no_elements("tt::copy_");
  if (to.is_expanded()) fail("tt::copy_: an expanded view is read-only: several of its indices reach one element");
  const dims &a = from.sizes(), &b = to.sizes();
  bool fits = a.rank <= b.rank;
  for (int i = 1; fits && i <= a.rank; ++i) fits = a[-i] == 1 || a[-i] == b[-i];
  if (!fits) fail({"tt::copy_: the extents ", a, " do not fit into ", b});
}

inline void copy_elements(const AnyTensor& to, const AnyTensor& from) {
  check_written(to, from);
  const AnyTensor source = overlap(*from.storage(), *to.storage()) ? from.copied() : from;  // they may overlap
  const Entry entry{&source, source.version(), {}};
  run_map_into(copy_kernel(source.dtype()), &entry, 1, {to.sizes()}, to, ends_storage(to));
  to.bump_version();
}
inline AnyTensor copied_as(const AnyTensor& x, dtype type) {
  const AnyTensor out = AnyTensor::empty(type, x.sizes());
  copy_elements(out, x);
  return out;
}

}  // namespace detail
}  // namespace tt
