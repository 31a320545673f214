// The door to all operations: those of <tt/tensor.hpp>, and cat, stack, flip, roll, repeat, tril, diag, prod, cumsum,
// var, norm, index_put and their like, which many programs do without.
#pragma once
#ifdef __CUDACC__
// Formulas are for devices and for the vectors of the host, of which nvcc warns where a file uses both.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011,20012,20013,20014,20015
#endif
// The kinds first, as in <tt/tensor.hpp>.
#include <tt/expr/map.hpp>
#include <tt/expr/reduce.hpp>
#include <tt/expr/contract.hpp>
#include <tt/expr/move.hpp>

#include <tt/tensor.hpp>

#include <tt/autograd/index_put.hpp>
#include <tt/autograd/move.hpp>
#include <tt/autograd/scan.hpp>
#include <tt/autograd/still.hpp>
#include <tt/dispatch/diagonal.hpp>
#include <tt/dispatch/grid.hpp>
#include <tt/dispatch/product.hpp>
#include <tt/dispatch/rearrange.hpp>
#include <tt/dispatch/scan.hpp>
#include <tt/ops/all.hpp>
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
