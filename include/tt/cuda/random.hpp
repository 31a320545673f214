// Random numbers on the device: element i of a stream of Philox is a function of (seed, i) (core/philox.hpp), so that
// any grid draws what the CPU draws. Bits and uniform numbers are the CPU's bit for bit; normal and exponential ones as
// far as log, sin and cos agree.
#pragma once
#include <tt/core/random.hpp>
#include <tt/cuda/launch.hpp>
#include <tt/cuda/packet.hpp>

namespace tt::gpu {

#if TT_CUDA_KERNELS
namespace detail {

/// out[i] = draw<Distribution>(seed, first + i). A thread makes whole blocks of Philox; those inside of out are stored
/// at once where `aligned` says that they start at multiples of 16 bytes.
template <class Distribution>
__global__ void __launch_bounds__(256) draw_kernel(typename Distribution::value_type* out, std::int64_t count,
                                                   std::uint64_t seed, std::uint64_t first, bool aligned) {
  using value = typename Distribution::value_type;
  constexpr int width = packet_width<value>;  // what one block of Philox becomes
  const std::uint64_t first_block = first / width;
  const auto skipped = std::int64_t(first % width);  // lanes of the first block that are not asked for
  const std::int64_t blocks = (skipped + count + width - 1) / width;
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t b = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; b < blocks; b += step) {
    const auto drawn = Distribution::from(philox::block(seed, first_block + std::uint64_t(b)));
    const std::int64_t at = b * width - skipped;
    if (aligned && at >= 0 && at + width <= count) {
      Packet<value> whole;
      for (int k = 0; k < width; ++k) whole.lane[k] = drawn[k];
      *reinterpret_cast<Packet<value>*>(out + at) = whole;
    } else {
      for (int k = 0; k < width; ++k)
        if (at + k >= 0 && at + k < count) out[at + k] = drawn[k];
    }
  }
}

}  // namespace detail

/// Elements first .. first + count - 1 of a seed's stream into device memory, as philox::fill draws them on the CPU.
/// Distribution is one of philox: bits, bits64, uniform, normal, exponential.
template <class Distribution>
void draw(typename Distribution::value_type* out, index_t count, std::uint64_t seed, std::uint64_t first,
          const StreamRef& stream) {
  constexpr int threads = 256, per_thread = packet_width<typename Distribution::value_type>;
  if (count <= 0) return;
  const DeviceGuard guard(stream.device());
  const auto skipped = index_t(first % std::uint64_t(per_thread));
  const bool aligned = (reinterpret_cast<std::uintptr_t>(out) - std::uintptr_t(skipped) * sizeof *out) % 16 == 0;
  launch(detail::draw_kernel<Distribution>, blocks_for(count + skipped, per_thread * threads, 4096), threads, 0, stream,
         out, count, seed, first, aligned);
}
/// The generator's next n numbers: what generator.fill<Distribution>(out, n) draws on the CPU.
template <class Distribution>
void draw(typename Distribution::value_type* out, index_t n, Generator& generator, const StreamRef& stream) {
  const std::uint64_t first = generator.pass<Distribution>(n);
  draw<Distribution>(out, n, generator.seed(), first, stream);
}
#endif

}  // namespace tt::gpu
