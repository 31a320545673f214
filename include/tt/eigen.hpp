// The door between tensors and Eigen: as_eigen, wrap_eigen, from_eigen.
#pragma once
#include <tt/interop/eigen.hpp>
#include <tt/tensor.hpp>
