// Whether operations are recorded, for each thread. The guards that change it are in dispatch/grad_mode.hpp.
#pragma once

namespace tt::detail {
inline constinit thread_local bool recording = true;
}  // namespace tt::detail
