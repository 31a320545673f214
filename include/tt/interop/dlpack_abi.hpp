// The structures of DLPack 1.x, as published: https://dmlc.github.io/dlpack/latest/c_api.html. Under names of our own,
// so that they stand beside any dlpack.h; they may alias its types, whose layout they have.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tt::dlpack {

struct [[gnu::may_alias]] Version {
  std::uint32_t major, minor;
};
/// What we write and read: other minor versions add what we do not use, another major version is another layout.
inline constexpr Version version{1, 0};

enum class device_type : std::int32_t { cpu = 1, cuda = 2 };
struct [[gnu::may_alias]] Device {
  device_type type;
  std::int32_t id;
};

enum class type_code : std::uint8_t { signed_integer, unsigned_integer, floating, opaque, bfloat, complex, boolean };
struct [[gnu::may_alias]] DataType {
  type_code code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

/// DLTensor. Strides count elements; null means row-major. The first element is at data + byte_offset.
struct [[gnu::may_alias]] Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

/// DLManagedTensor: a tensor that its consumer ends by deleter(this).
struct [[gnu::may_alias]] Managed {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(Managed*);
};

inline constexpr std::uint64_t flag_read_only = 1, flag_is_copied = 2;
/// DLManagedTensorVersioned: version, context and deleter stay in place in all versions to come.
struct [[gnu::may_alias]] ManagedVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor dl_tensor;
};

static_assert(sizeof(DataType) == 4 && sizeof(Device) == 8 && offsetof(Tensor, shape) == 24 && sizeof(Tensor) == 48);
static_assert(offsetof(Managed, deleter) == 56 && sizeof(Managed) == 64);
static_assert(offsetof(ManagedVersioned, deleter) == 16 && offsetof(ManagedVersioned, dl_tensor) == 32 &&
              sizeof(ManagedVersioned) == 80);

}  // namespace tt::dlpack
