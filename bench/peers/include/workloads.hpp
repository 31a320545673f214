// The one list of workloads. Every peer uses these names; harness.hpp refuses a name that is not here.
// All float32. `flops` and `bytes` give the speed of light used by compare.py:
//   time >= max(flops / peak_flops(threads), bytes / bandwidth(working set = bytes, threads))
// bytes = compulsory traffic (each input read once, each output written once; no write-allocate).
// flops = 2 per multiply-add; weights for functions, as issue slots of a good rational/polynomial form:
//   tanh 24, exp 16, div/sqrt 8.
#pragma once
#include <string_view>

namespace bench {

struct Workload {
  std::string_view name;
  double flops;
  double bytes;
  bool read_only;  // judge against read bandwidth instead of triad bandwidth
};

constexpr double tanh_flops = 24, exp_flops = 16, div_flops = 8;

constexpr double gemm_flops(double m, double k, double n) { return 2 * m * k * n; }
constexpr double gemm_bytes(double m, double k, double n) { return 4 * (m * k + k * n + m * n); }
// forward + dW + dX (no dX for the first layer) + SGD update (one FMA per parameter)
constexpr double mlp784_flops =
    64 * 2. * (2 * 784 * 256 + 3 * 256 * 128 + 3 * 128 * 10) + 2. * (784 * 256 + 256 * 128 + 1280 + 394);
constexpr double mlp784_bytes = 4. * (64 * 784 + 2 * (784 * 256 + 256 * 128 + 1280 + 394));
constexpr double mlp64_flops = 16 * 2. * (2 * 64 * 32 + 3 * 32 * 10) + 2. * (64 * 32 + 320 + 42);
constexpr double mlp64_bytes = 4. * (16 * 64 + 2 * (64 * 32 + 320 + 42));
// LeNet: conv5x5 1->6 pad 2, relu, maxpool2, conv5x5 6->16, relu, maxpool2, 400-120-84-10
constexpr double lenet_macs = 28. * 28 * 6 * 25 + 10. * 10 * 16 * 150 + 400. * 120 + 120. * 84 + 84. * 10;
constexpr double lenet_first = 28. * 28 * 6 * 25;
constexpr double lenet_params = 6 * 26 + 16 * 151 + 401. * 120 + 121. * 84 + 85. * 10;

inline constexpr Workload workloads[] = {
    // fused elementwise chains: y = tanh(a*b+c)*d and y = (a+b)*c-d, into y or (/new) as a new tensor
    {"ew/tanh_chain/1e3", 1e3 * (tanh_flops + 4), 1e3 * 20, false},
    {"ew/tanh_chain/1e3/new", 1e3 * (tanh_flops + 4), 1e3 * 20, false},
    {"ew/tanh_chain/1e5", 1e5 * (tanh_flops + 4), 1e5 * 20, false},
    {"ew/tanh_chain/1e5/new", 1e5 * (tanh_flops + 4), 1e5 * 20, false},
    {"ew/tanh_chain/1e7", 1e7 * (tanh_flops + 4), 1e7 * 20, false},
    {"ew/tanh_chain/1e7/new", 1e7 * (tanh_flops + 4), 1e7 * 20, false},
    {"ew/arith_chain/1e3", 1e3 * 4, 1e3 * 20, false},
    {"ew/arith_chain/1e3/new", 1e3 * 4, 1e3 * 20, false},
    {"ew/arith_chain/1e5", 1e5 * 4, 1e5 * 20, false},
    {"ew/arith_chain/1e5/new", 1e5 * 4, 1e5 * 20, false},
    {"ew/arith_chain/1e7", 1e7 * 4, 1e7 * 20, false},
    {"ew/arith_chain/1e7/new", 1e7 * 4, 1e7 * 20, false},
    // y[i,j] = max(x[i,j] + b[j], 0);  y = 0.5 x (1 + tanh(0.79788456 (x + 0.044715 x^3)))
    {"nn/bias_relu/1024x1024", 1048576. * 4, 1048576. * 8, false},
    {"nn/gelu_tanh/1e6", 1e6 * (tanh_flops + 10), 1e6 * 8, false},
    // reductions over [2048,2048]: all, axis 0 (-> one value a column), axis 1 (-> one value a row)
    {"red/sum_all/2048x2048", 4194304., 4194304. * 4, true},
    {"red/sum_axis0/2048x2048", 4194304., 4194304. * 4, true},
    {"red/sum_axis1/2048x2048", 4194304., 4194304. * 4, true},
    {"red/meanvar_rows/2048x2048", 4194304. * 3, 4194304. * 4, true},
    {"nn/softmax_rows/512x1000", 512000. * (exp_flops + 4), 512000. * 8, false},
    {"nn/layernorm/512x768", 393216. * 8, 393216. * 8, false},  // with gamma, beta
    // C = A*B, row-major
    {"mm/sgemm/64", gemm_flops(64, 64, 64), gemm_bytes(64, 64, 64), false},
    {"mm/sgemm/256", gemm_flops(256, 256, 256), gemm_bytes(256, 256, 256), false},
    {"mm/sgemm/1024", gemm_flops(1024, 1024, 1024), gemm_bytes(1024, 1024, 1024), false},
    {"mm/linear/64x784x256", gemm_flops(64, 784, 256), gemm_bytes(64, 784, 256), false},
    // fixed-extent matmul, 64 independent products per op; ns is per PRODUCT
    {"mm/small/4", gemm_flops(4, 4, 4), gemm_bytes(4, 4, 4), false},
    {"mm/small/8", gemm_flops(8, 8, 8), gemm_bytes(8, 8, 8), false},
    {"mm/small/16", gemm_flops(16, 16, 16), gemm_bytes(16, 16, 16), false},
    // forward, cross-entropy, backward, SGD
    {"train/mlp784-256-128-10/b64", mlp784_flops, mlp784_bytes, false},
    {"train/mlp784-256-128-10/b64/stored", mlp784_flops, mlp784_bytes, false},  // gradients first, then SGD
    {"train/mlp64-32-10/b16", mlp64_flops, mlp64_bytes, false},
    {"train/mlp64-32-10/b16/threaded", mlp64_flops, mlp64_bytes, false},  // after the process had a second thread
    {"cnn/lenet_fwd/b32", 32 * 2 * lenet_macs, 4 * (32 * 784. + lenet_params), false},
    {"cnn/lenet_train/b32", 32 * 2 * (3 * lenet_macs - lenet_first), 4 * (32 * 784. + 2 * lenet_params), false},
    {"cnn/conv3x3/8x64x28x28", 2. * 8 * 64 * 28 * 28 * 64 * 9, 4. * (2 * 8 * 64 * 784 + 64 * 64 * 9), false},
    // forward + backward of the tanh chain for gradients of a, b, c, d, upstream gradient given:
    // forward reads 4, writes 1; backward reads 5 (recompute), writes 4
    {"bwd/tanh_chain/1e3", 1e3 * (2 * tanh_flops + 16), 1e3 * 56, false},
    {"bwd/tanh_chain/1e6", 1e6 * (2 * tanh_flops + 16), 1e6 * 56, false},
    // z = x + y incl. allocation of z; the _grad forms record for autograd and drop the graph
    {"op/add/1", 1, 12, false},
    {"op/add/16", 16, 192, false},
    {"op/add_grad/1", 1, 12, false},
    {"op/add_grad/16", 16, 192, false},
    {"op/add/1/threaded", 1, 12, false},
    {"op/add/16/threaded", 16, 192, false},
    {"op/add_grad/1/threaded", 1, 12, false},
    {"op/add_grad/16/threaded", 16, 192, false},
    // B=4 H=8 T=128 D=64, no mask
    {"attn/sdpa/4x8x128x64", 32. * (4. * 128 * 128 * 64 + 128. * 128 * (exp_flops + 4)), 4. * 4 * 32 * 128 * 64, false},
};

}  // namespace bench
