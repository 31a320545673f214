// What becomes of the losses of rows.
#pragma once
#include <cstdint>

namespace tt {

/// Left as they are, added up, or averaged.
enum class reduction : std::uint8_t { none, sum, mean };

}  // namespace tt
