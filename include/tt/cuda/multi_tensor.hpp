// Many tensors in one launch: an optimiser's step over a network of a hundred small parameters would else be a hundred
// launches. Their addresses travel as the kernel's parameter.
#pragma once
#include <tt/cuda/launch.hpp>
#include <tt/cuda/packet.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tt::gpu {

/// As many tensors as one launch takes. Tensor t is `Arrays` arrays of count[t] elements: parameter, gradient, moments.
template <class Number, int Arrays>
struct TensorBatch {
  static constexpr int most = (4096 - 64) / (8 * Arrays + 12);
  Number* data[most][Arrays];
  index_t count[most];
  std::uint32_t blocks_up_to[most];  ///< of this tensor and those before it
};

namespace detail {
/// Elements that one block updates.
inline constexpr index_t elements_of_block = 16384;

#if TT_CUDA_KERNELS
/// Where a block works.
struct Span {
  int tensor;
  index_t begin, end;
};
template <class Number, int Arrays>
__device__ inline Span span_of_block(const TensorBatch<Number, Arrays>& batch) {
  int t = 0;
  while (blockIdx.x >= batch.blocks_up_to[t]) ++t;
  const index_t begin = index_t(blockIdx.x - (t > 0 ? batch.blocks_up_to[t - 1] : 0)) * elements_of_block;
  const index_t end = begin + elements_of_block;
  return {t, begin, end < batch.count[t] ? end : batch.count[t]};
}
/// update(x) changes x[0 .. Arrays); those that Update::writes names (bit k: array k) are stored.
template <class Update, class Number, int Arrays>
__global__ void __launch_bounds__(256) update_kernel(TensorBatch<Number, Arrays> batch, Update update) {
  constexpr int width = packet_width<Number>;
  using P = Packet<Number>;
  const Span span = span_of_block(batch);
  Number* const* const data = batch.data[span.tensor];
  bool aligned = true;
  for (int k = 0; k < Arrays; ++k) aligned &= reinterpret_cast<std::uintptr_t>(data[k]) % 16 == 0;
  const index_t packed = aligned ? span.begin + (span.end - span.begin) / width * width : span.begin;
  for (index_t i = span.begin + index_t(threadIdx.x) * width; i < packed; i += index_t(blockDim.x) * width) {
    P pack[Arrays];
    for (int k = 0; k < Arrays; ++k) pack[k] = *reinterpret_cast<const P*>(data[k] + i);
    for (int j = 0; j < width; ++j) {
      Number x[Arrays];
      for (int k = 0; k < Arrays; ++k) x[k] = pack[k].lane[j];
      update(x);
      for (int k = 0; k < Arrays; ++k) pack[k].lane[j] = x[k];
    }
    for (int k = 0; k < Arrays; ++k)
      if (Update::writes >> k & 1) *reinterpret_cast<P*>(data[k] + i) = pack[k];
  }
  for (index_t i = packed + index_t(threadIdx.x); i < span.end; i += blockDim.x) {
    Number x[Arrays];
    for (int k = 0; k < Arrays; ++k) x[k] = data[k][i];
    update(x);
    for (int k = 0; k < Arrays; ++k)
      if (Update::writes >> k & 1) data[k][i] = x[k];
  }
}
#endif
}  // namespace detail

/// Tensors to be updated together.
template <class Number, int Arrays>
class TensorList {
 public:
  void add(index_t count, const std::array<Number*, Arrays>& arrays) { tensors_.push_back({count, arrays}); }

  /// How many blocks visit them all.
  index_t blocks() const {
    index_t n = 0;
    for (const One& one : tensors_) n += blocks_of(one.count);
    return n;
  }
  /// run(batch, blocks) for as few batches as hold all tensors that have elements.
  template <class Run>
  void each_batch(Run&& run) const {
    TensorBatch<Number, Arrays> batch{};
    int used = 0;
    std::uint32_t blocks = 0;
    for (const One& one : tensors_) {
      if (one.count == 0) continue;
      if (used == batch.most || blocks + blocks_of(one.count) > most_blocks) {
        run(batch, blocks);
        used = 0, blocks = 0;
      }
      std::copy(one.arrays.begin(), one.arrays.end(), batch.data[used]);
      batch.count[used] = one.count;
      batch.blocks_up_to[used++] = blocks += std::uint32_t(blocks_of(one.count));
    }
    if (used > 0) run(batch, blocks);
  }

#if TT_CUDA_KERNELS
  /// update(x) for each element of each tensor, where x[k] is that of array k: see detail::update_kernel.
  template <class Update>
  void apply(const Update& update, const StreamRef& stream) const {
    const DeviceGuard guard(stream.device());
    each_batch([&](const TensorBatch<Number, Arrays>& batch, std::uint32_t blocks) {
      launch(detail::update_kernel<Update, Number, Arrays>, blocks, 256, 0, stream, batch, update);
    });
  }
#endif

 private:
  struct One {
    index_t count;
    std::array<Number*, Arrays> arrays;
  };
  static constexpr index_t most_blocks = (index_t(1) << 31) - 1;  // of a grid
  static index_t blocks_of(index_t count) {
    return (count + detail::elements_of_block - 1) / detail::elements_of_block;
  }

  std::vector<One> tensors_;
};

}  // namespace tt::gpu
