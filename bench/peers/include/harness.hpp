// Timing and output shared by all peers. One JSON object a line on stdout.
//   peer --threads N --filter REGEX --min-time SECONDS
// One thread is timed in process CPU time, more in wall time (so only those need a calm machine).
// For each workload: warm up, size a batch to about 0.5 ms (short, so that some samples escape preemption on a busy
// machine), sample batches for min-time; report the minimum and the median.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "workloads.hpp"

namespace bench {

inline const char* isa() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "sse2";
#endif
}

/// Makes the compiler believe that v, or all memory, is read here.
template <class T>
inline void keep(T const& v) {
  asm volatile("" : : "r,m"(v) : "memory");
}
inline void clobber() { asm volatile("" : : : "memory"); }

/// CPU time of this process, all threads: on one thread the wall time of an idle machine, even when ours is shared.
inline double cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}
inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A fixed chain of dependent integer operations: its time says whether the core was ours and at speed.
inline double spin_ns() {
  const double start = now_ns();
  unsigned long x = 1;
  for (int i = 0; i < 200000; ++i) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    asm volatile("" : "+r"(x));
  }
  return now_ns() - start;
}

inline void fill(float* p, std::size_t n, unsigned seed = 1, float lo = -1, float hi = 1) {
  std::minstd_rand g(seed);
  std::uniform_real_distribution<float> d(lo, hi);
  for (std::size_t i = 0; i < n; ++i) p[i] = d(g);
}

class Runner {
 public:
  int threads = 1;

  Runner(int argc, char** argv, std::string peer, std::string isa_used = isa())
      : peer_(std::move(peer)), isa_(std::move(isa_used)) {
    std::string filter = ".";
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string key = argv[i], value = argv[i + 1];
      if (key == "--threads") threads = std::stoi(value);
      if (key == "--filter") filter = value;
      if (key == "--min-time") min_time_ = std::stod(value);
    }
    filter_ = std::regex(filter);
  }

  /// make() builds the data and returns the callable to time; it runs only if the workload was asked for.
  /// `per`: operations in one call, by which the time is divided.
  template <class Make>
  void run(std::string_view name, Make&& make, double per = 1) {
    if (std::ranges::none_of(workloads, [&](const Workload& w) { return w.name == name; })) {
      std::fprintf(stderr, "%s: unknown workload %s\n", peer_.c_str(), std::string(name).c_str());
      std::exit(2);
    }
    if (!std::regex_search(std::string(name), filter_)) return;
    auto f = make();
    const double spin = std::min({spin_ns(), spin_ns(), spin_ns()});
    for (int i = 0; i < 3; ++i) f();
    const long batch = batch_of(f);
    std::vector<double> sample;
    for (const double start = now_ns(); sample.size() < 5 || now_ns() - start < min_time_ * 1e9;)
      sample.push_back(timed(f, batch) / double(batch) / per);
    std::ranges::sort(sample);
    std::printf(
        "{\"peer\":\"%s\",\"workload\":\"%s\",\"threads\":%d,\"isa\":\"%s\",\"ns\":%.3f,\"median_ns\":%.3f,\"spin_ns\":"
        "%.0f}\n",
        peer_.c_str(), std::string(name).c_str(), threads, isa_.c_str(), sample[0], sample[sample.size() / 2], spin);
    std::fflush(stdout);
  }

 private:
  /// How many calls take about 0.5 ms.
  template <class Function>
  long batch_of(Function& f) const {
    for (long batch = 1;; batch *= 4) {
      const double t = timed(f, batch);
      if (t > 2e5 || batch > (1 << 24)) return std::max(1L, long(double(batch) * 5e5 / t));
    }
  }
  template <class Function>
  double timed(Function& f, long n) const {
    const double start = threads == 1 ? cpu_ns() : now_ns();
    for (long i = 0; i < n; ++i) f();
    return (threads == 1 ? cpu_ns() : now_ns()) - start;
  }
  std::string peer_, isa_;
  std::regex filter_;
  double min_time_ = 0.05;
};

}  // namespace bench
