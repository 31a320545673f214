// Where a tensor's elements live. A tag type in the tensor's type, an enumerator at run time.
#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tt {

enum class device : std::uint8_t { cpu, cuda };

constexpr std::string_view name_of(device d) { return d == device::cpu ? "cpu" : "cuda"; }

/// The host. Kernels are in tt/cpu/.
struct cpu {
  static constexpr device id = device::cpu;
};
/// NVIDIA's devices. <tt/cuda.hpp> has what tensors on them need.
struct cuda {
  static constexpr device id = device::cuda;
};

template <class Candidate>
concept device_tag = std::is_same_v<std::remove_cv_t<decltype(Candidate::id)>, device>;

}  // namespace tt
