// The door to tensors: types, elementwise operations, reductions, products, views, evaluation on the CPU, the tape. All
// operations come with <tt/ops.hpp>. The tape's tools, networks, files and the operator registry have doors of their own.
#pragma once
#ifdef __CUDACC__
// Formulas are for devices and for the vectors of the host, of which nvcc warns where a file uses both.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011,20012,20013,20014,20015
#endif
// The kinds first: a refusal stands in them, and a compiler names every file on the way there.
#include <tt/expr/map.hpp>
#include <tt/expr/reduce.hpp>
#include <tt/expr/contract.hpp>

#include <tt/autograd/any_views.hpp>
#include <tt/autograd/backward.hpp>
#include <tt/autograd/batched.hpp>
#include <tt/autograd/contract.hpp>
#include <tt/autograd/index.hpp>
#include <tt/autograd/map.hpp>
#include <tt/autograd/reduce.hpp>
#include <tt/autograd/row_loss.hpp>
#include <tt/autograd/view.hpp>
#include <tt/autograd/write.hpp>
#include <tt/cpu/backend.hpp>
#include <tt/core/print.hpp>
#include <tt/core/copy.hpp>
#include <tt/dispatch/batched.hpp>
#include <tt/dispatch/create.hpp>
#include <tt/dispatch/drawing.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/dispatch/write.hpp>
#include <tt/interop/containers.hpp>
#include <tt/core/visit.hpp>
#include <tt/ops/basic.hpp>
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
