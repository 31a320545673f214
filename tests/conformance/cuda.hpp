// Inputs of samples on CUDA.
#pragma once
#include <tt/core/any_tensor.hpp>

namespace conformance {

/// The whole storage of a tensor on the current device, and the tensor in it as it lay on the host.
tt::AnyTensor place_on_cuda(const tt::AnyTensor& t);

/// Waits, and throws IndexError for an index out of range.
void settle_cuda();

}  // namespace conformance
