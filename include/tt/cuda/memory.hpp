// A device's memory as tensors have it: storage from the caching allocator, and copies on the current stream. Compiles
// without nvcc; what takes kernels is filled in by the files that have them (cuda/memory_kernels.hpp).
#pragma once
#include <tt/core/copy.hpp>
#include <tt/cuda/allocator.hpp>
#include <tt/cuda/stream.hpp>

#include <array>

namespace tt::gpu {

/// The allocator that tensors on a device take their memory from. It is never destroyed: tensors may outlive all else.
inline CachingAllocator& allocator(int device) {
  static auto* const each = [] {
    auto* all = new std::array<CachingAllocator*, detail::max_devices>;
    for (int i = 0; i < detail::max_devices; ++i) (*all)[std::size_t(i)] = new CachingAllocator(i);
    return all;
  }();
  return *each->at(std::size_t(device));
}
inline CachingAllocator& allocator() { return allocator(current_device()); }

namespace detail {

using tt::detail::Memory;
using tt::detail::Move;
using tt::detail::Ref;

/// Functions of tt::detail::Memory that launch kernels; null until a file that has kernels is part of the program.
struct MemoryKernels {
  decltype(Memory::move) move = nullptr;
  decltype(Memory::fill) fill = nullptr;
  decltype(Memory::add) add = nullptr;
  decltype(Memory::divide) divide = nullptr;
};
inline constinit MemoryKernels memory_kernels{};

[[noreturn]] TT_NOINLINE inline void no_kernels() {
  fail_not_implemented({"tt: this takes a kernel, and no file of the program that includes <tt/cuda.hpp> was compiled by nvcc or clang"});
}

/// The stream that work on a memory is queued in. What is queued later finds it done.
/// @throws Error if another device is current: its streams would be taken for this one's
inline StreamRef stream_of(const Memory& m) {
  const StreamRef stream = current_stream();
  if (stream.device() != m.index)
    fail({"tt: the tensor is on CUDA device ", m.index, ", and ", stream.device(), " is current: make it so with gpu::DeviceGuard"});
  return stream;
}

TT_NOINLINE inline Ref<Storage> allocate_storage(const Memory& m, std::size_t bytes) {
  CachingAllocator& from = allocator(m.index);
  void* const data = from.allocate(bytes, stream_of(m));
  const auto release = [](void* p, void* context) {
    try {
      static_cast<CachingAllocator*>(context)->free(p);
    } catch (const Error&) {  // NOLINT: the driver is going away with the process
    }
  };
  Ref<Storage> s = tt::detail::make_foreign_storage(data, bytes, release, &from);
  s->memory = &m;
  s->spare = true;
  return s;
}
inline void zero(const Memory& m, std::byte* to, std::size_t bytes) {
  if (bytes) check(cudaMemsetAsync(to, 0, bytes, stream_of(m)), "zero");
}
inline void copy(const Memory& m, std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(m)), "copy");
}
/// From pageable memory, which CUDA has read when this returns; a graph would read it at each replay.
inline void upload(const Memory& m, std::byte* to, const std::byte* host, std::size_t bytes) {
  if (stream_of(m).is_capturing()) fail("to<cuda>: a copy from the host cannot be part of a graph: copy before the capture");
  if (bytes) check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream_of(m)), "to<cuda>");
}
inline void download(const Memory& m, std::byte* host, const std::byte* from, std::size_t bytes) {
  const StreamRef stream = stream_of(m);
  if (bytes) check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream), "to<cpu>");
  stream.synchronize();
}
inline void move(const Memory& m, const Move& move, std::byte* to, dtype to_type, const std::byte* from, dtype from_type) {
  const bool run = move.size.rank == 0 || (move.size.rank == 1 && move.from[0] == 1 && move.to[0] == 1);
  const index_t item = index_t(size_of(to_type));
  if (run && to_type == from_type)
    return copy(m, to + move.to_at * item, from + move.from_at * item, std::size_t(move.size.count() * item));
  if (!memory_kernels.move) no_kernels();
  memory_kernels.move(m, move, to, to_type, from, from_type);
}
inline void fill(const Memory& m, const Move& move, std::byte* to, dtype to_type, const std::byte* host, dtype from_type) {
  if (!memory_kernels.fill) no_kernels();
  memory_kernels.fill(m, move, to, to_type, host, from_type);
}
inline void add(const Memory& m, const Move& move, std::byte* to, const std::byte* from, dtype type) {
  if (!memory_kernels.add) no_kernels();
  memory_kernels.add(m, move, to, from, type);
}
inline void divide(const Memory& m, std::byte* to, const std::byte* from, dtype type, index_t n, double by) {
  if (!memory_kernels.divide) no_kernels();
  memory_kernels.divide(m, to, from, type, n, by);
}

inline constexpr auto memories = [] {
  std::array<Memory, max_devices> all{};
  for (int i = 0; i < max_devices; ++i)
    all[std::size_t(i)] = {device::cuda, i, allocate_storage, zero, copy, upload, download, move, fill, add, divide};
  return all;
}();

}  // namespace detail

/// Another stream uses the tensor's elements: they are not given to anybody else before what that stream was given so far
/// is done. https://pytorch.org/docs/stable/generated/torch.Tensor.record_stream.html
inline void record_stream(const AnyTensor& t, const StreamRef& stream) {
  if (t.device() != device::cuda) fail("tt::record_stream: the tensor is not on CUDA");
  allocator(t.memory()->index).record_stream(t.storage()->data, stream);
}

}  // namespace tt::gpu

namespace tt::detail {
/// New tensors lie on the current device.
template <>
struct new_memory<cuda> {
  static const Memory* get() { return &gpu::detail::memories[std::size_t(gpu::current_device())]; }
};
}  // namespace tt::detail
