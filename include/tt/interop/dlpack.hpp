// Between tensors and every library that speaks DLPack (NumPy, PyTorch, JAX, ..), without copying.
#pragma once
#include <tt/interop/containers.hpp>
#include <tt/interop/dlpack_abi.hpp>

#include <memory>

namespace tt {

namespace dlpack {

template <class Struct>
struct Release {
  void operator()(Struct* m) const {
    if (m->deleter) m->deleter(m);
  }
};
/// Owns what a producer gave. release() hands it to a consumer, who then calls its deleter.
using Handle = std::unique_ptr<ManagedVersioned, Release<ManagedVersioned>>;
using UnversionedHandle = std::unique_ptr<Managed, Release<Managed>>;

/// The pointer to a structure of another dlpack.h, DLManagedTensor or DLManagedTensorVersioned, as ours: it owns it
/// from now on.
template <class Foreign>
auto adopt(Foreign* managed) {
  constexpr bool versioned = requires { managed->version; };
  using own = std::conditional_t<versioned, ManagedVersioned, Managed>;
  static_assert(sizeof(Foreign) == sizeof(own) && sizeof(managed->dl_tensor) == sizeof(Tensor),
                "tt::dlpack: this is no structure of DLPack 1.x");
  return std::unique_ptr<own, Release<own>>(reinterpret_cast<own*>(managed));
}
/// The other way: release<DLManagedTensorVersioned>(to_dlpack(x)).
template <class Foreign, class Struct>
Foreign* release(std::unique_ptr<Struct, Release<Struct>> own) {
  static_assert(
      sizeof(Foreign) == sizeof(Struct) &&
          requires(Foreign * f) { f->version; } == requires(Struct * s) { s->version; },
      "tt::dlpack: this is not the same structure of another dlpack.h");
  return reinterpret_cast<Foreign*>(own.release());
}

inline DataType type_of(tt::dtype t) {
  const std::string_view name = name_of(t);
  const type_code code = t == dtype::boolean           ? type_code::boolean
                         : name.starts_with("uint")    ? type_code::unsigned_integer
                         : name.starts_with("int")     ? type_code::signed_integer
                         : name.starts_with("bfloat")  ? type_code::bfloat
                         : name.starts_with("complex") ? type_code::complex
                                                       : type_code::floating;
  return {code, std::uint8_t(8 * size_of(t)), 1};
}
inline tt::dtype dtype_from(DataType t) {
  for (int i = 0; i < dtype_count; ++i) {
    const DataType own = type_of(tt::dtype(i));
    if (own.code == t.code && own.bits == t.bits && t.lanes == 1) return tt::dtype(i);
  }
  fail({"tt::from_dlpack: there is no dtype for DLPack's code ", int(t.code), " with ", int(t.bits), " bits and ",
        int(t.lanes), " lanes"});
}

}  // namespace dlpack

namespace detail {

/// What an exported tensor keeps alive, and where its extents stand.
template <class Struct>
struct Exported {
  Struct managed{};
  AnyTensor tensor;
  std::int64_t shape[max_rank], strides[max_rank];
};
template <class Struct>
std::unique_ptr<Struct, dlpack::Release<Struct>> export_dlpack(const AnyTensor& x) {
  if (!x.defined()) no_elements("tt::to_dlpack");
  if (x.requires_grad())
    fail("tt::to_dlpack: a tensor that requires a gradient cannot be handed out: detach() it first");
  auto out = std::make_unique<Exported<Struct>>();
  for (int i = 0; i < x.rank(); ++i) {
    out->shape[i] = x.sizes()[i];
    out->strides[i] = x.strides()[i];
  }
  out->managed.manager_ctx = out.get();
  out->managed.deleter = [](Struct* self) { delete static_cast<Exported<Struct>*>(self->manager_ctx); };
  out->managed.dl_tensor = {
      x.data_ptr(), {dlpack::device_type::cpu, 0}, x.rank(), dlpack::type_of(x.dtype()), out->shape, out->strides, 0};
  out->tensor = x.detach();
  return std::unique_ptr<Struct, dlpack::Release<Struct>>(&out.release()->managed);
}

/// The extents and strides of a foreign tensor, checked.
struct Imported {
  tt::dtype type;
  dims size;
  index_t stride[max_rank];
  void* data;

  explicit Imported(const dlpack::Tensor& t) {
    if (t.device.type != dlpack::device_type::cpu)
      fail({"tt::from_dlpack: the tensor lies on a device of DLPack's type ", int(t.device.type),
            ", not in the CPU's memory"});
    if (t.ndim < 0 || t.ndim > max_rank)
      fail({"tt::from_dlpack: the tensor has ", t.ndim, " axes: at most 16 are possible"});
    if (t.ndim > 0 && !t.shape) fail("tt::from_dlpack: the tensor has no shape");
    type = dlpack::dtype_from(t.dtype);
    for (int i = 0; i < t.ndim; ++i) size.push_back(t.shape[i]);
    const index_t n = row_major(size, stride);
    for (int i = 0; t.strides && i < t.ndim; ++i) stride[i] = t.strides[i];
    data = static_cast<std::byte*>(t.data) + (t.data ? t.byte_offset : 0);
    if (n == 0) row_major(size, stride);
    else if (!t.data)
      fail({"tt::from_dlpack: there are no elements for the extents ", size, ": the pointer to them is null"});
    else if (reinterpret_cast<std::uintptr_t>(data) % (std::min)(size_of(type), std::size_t(8)))
      fail({"tt::from_dlpack: the elements are not aligned for ", name_of(type)});
  }
};
template <class Struct>
AnyTensor import_dlpack(std::unique_ptr<Struct, dlpack::Release<Struct>>& managed, bool read_only) {
  const Imported t(managed->dl_tensor);
  AnyTensor out = strided_memory(
      t.type, t.size, t.data, t.stride,
      [](void*, void* context) { dlpack::Release<Struct>()(static_cast<Struct*>(context)); }, managed.get());
  (void)managed.release();
  return read_only ? out.copied() : out;
}

}  // namespace detail

/// A tensor over a producer's elements: the producer's deleter is called when the last tensor over them is gone.
/// Read-only elements are copied, since tensors can be written. What is refused (devices, dtypes, another major
/// version) stays the handle's. https://dmlc.github.io/dlpack/latest/
inline AnyTensor from_dlpack(dlpack::Handle&& managed) {
  if (!managed) fail("tt::from_dlpack: there is no tensor");
  if (managed->version.major != dlpack::version.major)
    fail({"tt::from_dlpack: DLPack version ", managed->version.major, " is not read: ask the producer for 1"});
  return detail::import_dlpack(managed, managed->flags & dlpack::flag_read_only);
}
/// The same from the structure without a version, which old producers give.
inline AnyTensor from_dlpack(dlpack::UnversionedHandle&& managed) {
  if (!managed) fail("tt::from_dlpack: there is no tensor");
  return detail::import_dlpack(managed, false);
}

/// The tensor's elements for a consumer, shared for as long as it wants. `read_only` asks it not to write; expanded
/// views, in which several indices reach one element, always do.
inline dlpack::Handle to_dlpack(const AnyTensor& x, bool read_only = false) {
  dlpack::Handle out = detail::export_dlpack<dlpack::ManagedVersioned>(x);
  out->version = dlpack::version;
  out->flags = read_only || x.is_expanded() ? dlpack::flag_read_only : 0;
  return out;
}
/// The same for consumers from before version 1, which know neither versions nor flags.
inline dlpack::UnversionedHandle to_dlpack_unversioned(const AnyTensor& x) {
  return detail::export_dlpack<dlpack::Managed>(x);
}

}  // namespace tt
