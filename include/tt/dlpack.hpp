// The door between tensors and DLPack: from_dlpack, to_dlpack.
#pragma once
#include <tt/interop/dlpack.hpp>
#include <tt/tensor.hpp>
