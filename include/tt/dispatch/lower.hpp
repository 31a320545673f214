// Lowering: leaves laid over one iteration space. Below this nothing knows which tensor an element came from.
#pragma once
#include <tt/dispatch/kernel.hpp>

namespace tt::detail {

/// Extends the iteration space by one operand's extents.
inline void broadcast_into(dims& space, const dims& d) {
  if (d.rank > space.rank) {
    const int more = d.rank - space.rank;
    for (int i = d.rank - 1; i >= more; --i) space.extent[i] = space.extent[i - more];
    for (int i = 0; i < more; ++i) space.extent[i] = 1;
    space.rank = d.rank;
  }
  for (int j = 1; j <= d.rank; ++j) {
    index_t& a = space.extent[space.rank - j];
    const index_t b = d.extent[d.rank - j];
    if (a == 1) a = b;
    else if (b != 1 && b != a)
      fail({"tt: the extents ", space, " and ", d, " do not broadcast: each pair must be equal, or one of them 1"});
  }
}

/// Strides of an operand over the space: 0 where it is broadcast.
inline void lay_over(index_t* to, const dims& space, const dims& size, const index_t* stride) {
  for (int i = 0, j = size.rank - space.rank; i < space.rank; ++i, ++j)
    to[i] = j < 0 || (size.extent[j] == 1 && space.extent[i] != 1) ? 0 : stride[j];
}

/// A literal as the kernel's compute type reads it: int64 exactly, else double or complex<double>.
inline std::byte* constant_data(Constant& c, dtype compute) {
  return compute == dtype::int64 ? reinterpret_cast<std::byte*>(&c.integer) : reinterpret_cast<std::byte*>(&c.floating);
}
inline dtype constant_dtype(dtype compute) {
  return compute == dtype::int64 ? dtype::int64 : is_complex(compute) ? dtype::complex128 : dtype::float64;
}

inline void lower_entry(Strided& to, const Entry& e, const Space& space, dtype compute) {
  if (e.tensor) {
    const TensorBody& body = *e.tensor->body();
    if (body.storage->version != e.version) changed_in_place(*e.tensor);
    to.data = body.data;
    to.type = body.type;
    to.spare = body.storage->spare;
    if (space.flat) to.stride[0] = 1;
    else lay_over(to.stride, space.size, body.size, body.stride);
  } else {
    if (compute == dtype::int64 && e.constant.integer < 0 && e.constant.floating > 0) beyond_int64(e.constant.floating);
    to.data = constant_data(const_cast<Constant&>(e.constant), compute);
    to.type = constant_dtype(compute);
    to.spare = false;
    for (int i = 0; i < space.size.rank; ++i) to.stride[i] = 0;
  }
}
inline void lower_tensor(Strided& to, const AnyTensor& t, const Space& space) {
  lower_entry(to, {&t, t.version(), {}}, space, t.dtype());
}

}  // namespace tt::detail
