// Where a tensor's elements live. A tag type in the tensor's type, an enumerator at run time.
#pragma once
#include <cstdint>
#include <string_view>

namespace tt {

enum class device : std::uint8_t { cpu };

constexpr std::string_view name_of(device) { return "cpu"; }

/// The host. Kernels are in tt/cpu/.
struct cpu {
  static constexpr device id = device::cpu;
};

}  // namespace tt
