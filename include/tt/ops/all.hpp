// All operations: registry, tests and docs fold over the lists of elementwise ones and reductions in these files.
#pragma once
#include <tt/ops/basic.hpp>

#include <tt/ops/cumulative.hpp>
#include <tt/ops/diagonals.hpp>
#include <tt/ops/index_put.hpp>
#include <tt/ops/joining.hpp>
#include <tt/ops/moments.hpp>
#include <tt/ops/nan_reductions.hpp>
#include <tt/ops/norms.hpp>
#include <tt/ops/prod.hpp>
#include <tt/ops/rearranging.hpp>
