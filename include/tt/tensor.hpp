// The door to tensors: types, operations, evaluation on the CPU, the tape. Networks, files and the operator registry have
// doors of their own.
#pragma once
#include <tt/autograd/backward.hpp>
#include <tt/autograd/map.hpp>
#include <tt/autograd/reduce.hpp>
#include <tt/cpu/backend.hpp>
#include <tt/cpu/copy.hpp>
#include <tt/ops/activation.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/hyperbolic.hpp>
#include <tt/ops/reductions.hpp>
