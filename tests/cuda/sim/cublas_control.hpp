// What tests may decide about the stand-in for libcublas, and ask of it.
#pragma once

namespace tt::sim {

/// Handles that were made and not destroyed.
int cublas_handles();

/// Blocks of cudaMallocAsync for which cudaFreeAsync was not called.
int blocks_in_order();

}  // namespace tt::sim
