// The door to tensors on CUDA: Tensor<T, Shape, tt::cuda>, to<tt::cuda>(x), streams, events, graphs. Files that evaluate
// expressions there are compiled by nvcc or clang; files that store, copy and pass them on by any compiler. Steps of
// optimisers come with <tt/optim/cuda.hpp>, indexing with <tt/cuda/indexing.hpp>: one file of the program includes them.
#pragma once
#ifdef __CUDACC__
// Formulas are for devices and for the vectors of the host, of which nvcc warns where a file uses both.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011,20012,20013,20014,20015
#endif
#include <tt/tensor.hpp>

#include <tt/autograd/transfer.hpp>
#include <tt/cuda/backend.hpp>
#include <tt/cuda/graph.hpp>
#include <tt/cuda/memory.hpp>
#include <tt/cuda/stream.hpp>
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
