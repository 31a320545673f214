// Elements that one instruction moves: 16 bytes at most.
#pragma once
#include <tt/cuda/config.hpp>

#include <cstddef>

namespace tt::gpu {

/// Elements of 16 bytes; two that are as large.
constexpr int packet_width_of(std::size_t bytes) { return bytes == 16 ? 2 : 16 / int(bytes); }
template <class Stored>
inline constexpr int packet_width = packet_width_of(sizeof(Stored));

/// Count elements that are moved at once. @pre they are aligned to as much
template <class Stored, int Count = packet_width<Stored>>
struct alignas(Count == 1 ? alignof(Stored) : sizeof(Stored) * Count) Packet {
  Stored lane[Count];
};

}  // namespace tt::gpu
