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
}  // namespace detail

TT_NOINLINE inline const AnyTensor& AnyTensor::copy_(const AnyTensor& from) const {
  if (!defined() || !from.defined()) detail::no_elements("tt::copy_");
  if (is_expanded()) fail("tt::copy_: an expanded view is read-only: several of its indices reach one element");
  dims space = sizes();
  detail::broadcast_into(space, from.sizes());
  if (!(space == sizes()))
    fail({"tt::copy_: the extents ", from.sizes(), " do not fit into ", sizes()});
  const AnyTensor source = detail::overlap(*from.storage(), *storage()) ? from.copied() : from;  // they may overlap
  const detail::Entry entry{&source, source.version(), {}};
  detail::run_map_into(detail::copy_kernel(source.dtype()), &entry, 1, {sizes()}, *this, detail::ends_storage(*this));
  bump_version();
  return *this;
}
}  // namespace tt
