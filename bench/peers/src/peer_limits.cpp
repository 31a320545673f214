// What the machine can do: peak FMA GFLOP/s, triad and read bandwidth at several working-set sizes, for N threads.
// Also prints the workload table (flops, bytes) for compare.py. Different JSON keys from the other peers.
#include <atomic>
#include <cmath>
#include <thread>

#include "harness.hpp"

#if defined(__AVX512F__)
constexpr int W = 16;
#else
constexpr int W = 8;
#endif
typedef float vec __attribute__((vector_size(W * 4)));

// run body(thread) on n threads started together; returns wall ns of the slowest
template <class F>
static double together(int n, F body) {
  std::atomic<int> ready{0};
  std::vector<double> t0(n), t1(n);
  std::vector<std::thread> ts;
  for (int i = 0; i < n; ++i)
    ts.emplace_back([&, i] {
      ++ready;
      while (ready < n) {
      }
      t0[i] = n == 1 ? bench::cpu_ns() : bench::now_ns();
      body(i);
      t1[i] = n == 1 ? bench::cpu_ns() : bench::now_ns();
    });
  for (auto& t : ts) t.join();
  return *std::max_element(t1.begin(), t1.end()) - *std::min_element(t0.begin(), t0.end());
}

static double peak_gflops(int threads) {
  constexpr int accumulators = 12;
  const long it = 400000;
  double best = 0;
  for (int rep = 0; rep < 40; ++rep) {
    double ns = together(threads, [&](int) {
      vec acc[accumulators], x, y;
      for (int i = 0; i < W; ++i) {
        x[i] = 0.999f;
        y[i] = 0.001f;
      }
      for (auto& a : acc) a = x;
      for (long i = 0; i < it; ++i) {
#pragma GCC unroll 12
        for (int k = 0; k < accumulators; ++k) acc[k] = acc[k] * x + y;
        asm volatile("" : "+v"(x), "+v"(y));
      }
      for (auto& a : acc) bench::keep(a);
    });
    best = std::max(best, threads * 2.0 * W * accumulators * it / ns);
  }
  return best;
}

// total working set ws bytes over 3 arrays (triad) or 1 array (read), split over threads; GB/s of useful bytes
static double bandwidth(int threads, double ws, bool triad) {
  size_t n = std::max<size_t>(W * 8, size_t(ws / 4 / (triad ? 3 : 1) / threads) / (W * 8) * (W * 8));
  std::vector<std::vector<float>> bufs(threads * 3);
  std::vector<float*> p(threads * 3);
  for (int i = 0; i < threads * 3; ++i) {
    bufs[i].assign(n + 64, 1.0f);
    p[i] = (float*)((uintptr_t(bufs[i].data()) + 63) & ~uintptr_t(63));
  }
  // Sets above 4 MB an array are walked in windows of 1 MB an array, each a sample short enough to escape preemption.
  const size_t win = n > (4 << 18) ? 1 << 18 : n, windows = n / win;
  const long it = std::max(1L, long(3e6 / (double(win) * 12)));
  const int reps = windows > 1 ? 2 * int(windows) : 40;
  double best = 0;
  for (int rep = 0; rep < reps; ++rep) {
    double ns = together(threads, [&](int t) {
      const size_t at = rep % windows * win;
      float *a = p[3 * t] + at, *b = p[3 * t + 1] + at, *c = p[3 * t + 2] + at;
      for (long k = 0; k < it; ++k) {
        if (triad) {
          vec s = vec{} + 0.5f;
          for (size_t i = 0; i < win; i += W) *(vec*)(a + i) = *(vec*)(b + i) + s * *(vec*)(c + i);
        } else {
          vec s[8] = {};
          for (size_t i = 0; i < win; i += W * 8)
#pragma GCC unroll 8
            for (int u = 0; u < 8; ++u) s[u] += *(vec*)(a + i + u * W);
          for (auto& v : s) bench::keep(v);
        }
        bench::clobber();
      }
    });
    best = std::max(best, double(threads) * double(it) * double(win) * 4 * (triad ? 3 : 1) / ns);
  }
  return best;
}

int main(int argc, char** argv) {
  bench::Runner r(argc, argv, "limits");
  for (auto& w : bench::workloads)
    std::printf("{\"workload\":\"%s\",\"flops\":%.0f,\"bytes\":%.0f,\"read_only\":%s}\n", std::string(w.name).c_str(),
                w.flops, w.bytes, w.read_only ? "true" : "false");
  std::printf("{\"limit\":\"flops\",\"threads\":%d,\"isa\":\"%s\",\"value\":%.3f,\"spin_ns\":%.0f}\n", r.threads,
              bench::isa(), peak_gflops(r.threads), bench::spin_ns());
  for (double ws : {6e3, 2.4e4, 1.2e5, 1.2e6, 4e6, 1.6e7, 6e7, 2e8, 6e8})
    for (bool triad : {true, false})
      std::printf("{\"limit\":\"%s\",\"threads\":%d,\"isa\":\"%s\",\"ws\":%.0f,\"value\":%.3f}\n",
                  triad ? "triad" : "read", r.threads, bench::isa(), ws, bandwidth(r.threads, ws, triad));
}
