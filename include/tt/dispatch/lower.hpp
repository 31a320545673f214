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


[[noreturn]] TT_NOINLINE inline void not_in_one_memory(std::string_view op, device kernels, const Memory* a, const Memory* b) {
  const auto name = [](const Memory* m) { return name_of(m ? m->where : device::cpu); };
  if (a != b && a && b && a->where == b->where)
    fail({"tt::", op, ": the operands are on the devices ", a->index, " and ", b->index, " of ", name(a), ": copy them to one"});
  if (a != b) fail({"tt::", op, ": the operands are on ", name(a), " and on ", name(b), ": copy them to one device with to<Device>(x)"});
  fail_not_implemented({"tt::", op, ": the operands are on ", name(a), ", and this call runs on ", name_of(kernels), " only"});
}
/// Where the tensors of a call lie, which is one place that its kernels reach; the others are refused.
TT_NOINLINE inline const Memory* checked_memory(std::string_view op, device kernels, const AnyTensor* const* tensor, int count) {
  const Memory* memory = nullptr;
  bool first = true;
  for (int i = 0; i < count; ++i) {
    if (!tensor[i] || !tensor[i]->defined()) continue;
    const Memory* const mine = tensor[i]->memory();
    if (first) memory = mine, first = false;
    if (mine != memory) not_in_one_memory(op, kernels, memory, mine);
  }
  if ((memory ? memory->where : device::cpu) != kernels) not_in_one_memory(op, kernels, memory, memory);
  return memory;
}
inline const Memory* memory_of(std::string_view op, device kernels, std::initializer_list<const AnyTensor*> tensors) {
  return checked_memory(op, kernels, tensors.begin(), int(tensors.size()));
}
/// Where the first tensor of a region lies.
inline const Memory* first_memory(const Entry* entry, int count) {
  for (int i = 0; i < count; ++i)
    if (entry[i].tensor) return entry[i].tensor->body()->storage->memory;
  return nullptr;
}
[[noreturn]] TT_NOINLINE inline void not_reached(std::string_view op, device kernels, const Entry* entry, int count,
                                                 const Memory* memory) {
  for (int i = 0; i < count; ++i)
    if (entry[i].tensor && entry[i].tensor->memory() != memory) not_in_one_memory(op, kernels, memory, entry[i].tensor->memory());
  not_in_one_memory(op, kernels, memory, memory);
}
/// Leaves of a region, in order, which all lie in `memory`, where the kernels of `op` reach them.
/// @return bit k: leaf k is a number
TT_INLINE unsigned lower_entries(Strided* leaf, const Entry* entry, int count, const Space& space, dtype compute,
                                 const std::string_view* op, device kernels, const Memory* memory) {
  bool apart = kernels != (memory ? memory->where : device::cpu);
  unsigned numbers = 0;
  for (int i = 0; i < count; ++i) {
    lower_entry(leaf[i], entry[i], space, compute);
    if (!entry[i].tensor) numbers |= 1u << i;
    else apart |= entry[i].tensor->body()->storage->memory != memory;
  }
  if (apart) [[unlikely]] not_reached(*op, kernels, entry, count, memory);
  return numbers;
}

}  // namespace tt::detail
