// Whether operations are recorded, for each thread. The guards that change it are in dispatch/grad_mode.hpp.
#pragma once

namespace tt::detail {
inline constinit thread_local bool recording = true;
/// Nodes are looked at when they are recorded and run: anomaly mode is on, or saved tensors go through a user's functions.
inline constinit thread_local bool watching = false;
}  // namespace tt::detail
