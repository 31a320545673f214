// All operations, and the lists of elementwise ones and reductions that registry, tests and docs fold over.
#pragma once
#include <tt/ops/activation.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/casts.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/creation.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/hyperbolic.hpp>
#include <tt/ops/indexing.hpp>
#include <tt/ops/loss.hpp>
#include <tt/ops/matmul.hpp>
#include <tt/ops/reductions.hpp>
#include <tt/ops/softmax.hpp>
#include <tt/ops/views.hpp>
#include <tt/ops/whole.hpp>
