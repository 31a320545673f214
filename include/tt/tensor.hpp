// The door to tensors: types, elementwise operations, reductions, products, views, evaluation on the CPU, the tape. All
// operations come with <tt/ops.hpp>. The tape's tools, networks, files and the operator registry have doors of their own.
#pragma once
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
