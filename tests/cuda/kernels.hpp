// Correct kernels, one for each way in which threads of a kernel work together.
#pragma once
#include <tt/cuda/config.hpp>

#include <cmath>
#include <cstdint>

/// 16 bytes that one instruction loads.
template <class T>
struct alignas(16) Packet {
  static constexpr int size = 16 / sizeof(T);
  T lane[size];
};

/// out = a * b + c by packets, with a scalar tail. No __restrict__: out may be one of the inputs.
template <class T>
__global__ void __launch_bounds__(256) multiply_add(const T* a, const T* b, T c, T* out, std::int64_t n) {
  constexpr int width = Packet<T>::size;
  const std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  const auto* a_packets = reinterpret_cast<const Packet<T>*>(a);
  const auto* b_packets = reinterpret_cast<const Packet<T>*>(b);
  auto* out_packets = reinterpret_cast<Packet<T>*>(out);
  for (std::int64_t i = first; i < n / width; i += stride) {
    Packet<T> x = a_packets[i];
    const Packet<T> y = b_packets[i];
    for (int k = 0; k < width; ++k) x.lane[k] = x.lane[k] * y.lane[k] + c;
    out_packets[i] = x;
  }
  const std::int64_t last = n / width * width + first;
  if (last < n) out[last] = a[last] * b[last] + c;
}

/// Strides of a matrix, 0 where it is broadcast.
struct Strides {
  std::int64_t row, column;
};

/// out[r][c] = a[r][c] * b[r][c] for inputs of any layout; out is contiguous.
template <class T>
__global__ void multiply_strided(const T* a, Strides as, const T* b, Strides bs, T* out, int rows, int columns) {
  const std::int64_t n = std::int64_t(rows) * columns, stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const std::int64_t r = i / columns, c = i % columns;
    out[i] = a[r * as.row + c * as.column] * b[r * bs.row + c * bs.column];
  }
}

struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// The lanes of a warp together; every lane has the result.
template <class T, class Op>
__device__ inline T reduce_warp(T value, Op op) {
  for (int distance = 16; distance > 0; distance /= 2) value = op(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

/// All threads of the block together, of which there are whole warps; every thread has the result.
template <class T, class Op>
__device__ inline T reduce_block(T value, T identity, Op op) {
  TT_SHARED(T, parts, 32);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = reduce_warp(value, op);
  __syncthreads();  // a call before this one may still read parts
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  return reduce_warp(lane < blockDim.x / 32 ? parts[lane] : identity, op);
}

/// (rows, columns): a block for each row.
template <class T>
__global__ void __launch_bounds__(256) softmax_rows(const T* x, T* y, int columns) {
  const T* in = x + std::int64_t(blockIdx.x) * columns;
  T* out = y + std::int64_t(blockIdx.x) * columns;
  const int first = int(threadIdx.x), stride = int(blockDim.x);
  T largest = -T(INFINITY), sum = 0;
  for (int i = first; i < columns; i += stride) largest = Larger{}(largest, in[i]);
  largest = reduce_block(largest, -T(INFINITY), Larger{});
  for (int i = first; i < columns; i += stride) sum += std::exp(in[i] - largest);
  sum = reduce_block(sum, T(0), Sum{});
  for (int i = first; i < columns; i += stride) out[i] = std::exp(in[i] - largest) / sum;
}

inline constexpr int tile = 32, tile_pitch = tile + 1, tile_step = 8;  // the spare column keeps banks apart

/// (rows, columns) -> (columns, rows), by tiles; blocks of 32 x 8 threads, tile * tile_pitch * sizeof(T) bytes shared.
template <class T>
__global__ void __launch_bounds__(256) transpose(const T* in, T* out, int rows, int columns) {
  TT_DYN_SHARED(T, staged);
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  int column = int(blockIdx.x) * tile + x, row = int(blockIdx.y) * tile + y;
  for (int k = 0; k < tile; k += tile_step) {
    if (column < columns && row + k < rows) {
      staged[(y + k) * tile_pitch + x] = in[std::int64_t(row + k) * columns + column];
    }
  }
  __syncthreads();
  column = int(blockIdx.y) * tile + x;
  row = int(blockIdx.x) * tile + y;
  for (int k = 0; k < tile; k += tile_step) {
    if (column < rows && row + k < columns) {
      out[std::int64_t(row + k) * rows + column] = staged[x * tile_pitch + y + k];
    }
  }
}

/// bins[x[i]] += 1, and *odd += the number of odd x, by votes.
template <class T>
__global__ void histogram(const T* x, unsigned* bins, float* odd, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&bins[x[i]], 1u);
  const unsigned votes = __ballot_sync(0xffffffffu, i < n && (x[i] & 1));
  if (threadIdx.x % 32 == 0) atomicAdd(odd, float(__popc(votes)));
}

/// *out = sum of all x by the block that finishes last. `partial` has an element for each block; *finished starts at 0.
template <bool Fence, class T>
__global__ void sum_by_last_block(const T* x, volatile T* partial, unsigned* finished, T* out, int n) {
  TT_SHARED(bool, is_last, 1);
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  const T sum = reduce_block(i < n ? x[i] : T(0), T(0), Sum{});
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    if constexpr (Fence) __threadfence();  // the sum is seen by whoever sees the count
    is_last[0] = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last[0] || threadIdx.x != 0) return;
  T total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
  *out = total;
}
