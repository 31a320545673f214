// The door between tensors and std::mdspan: from_mdspan, to_mdspan.
#pragma once
#include <tt/interop/mdspan.hpp>
#include <tt/tensor.hpp>
