// What one evaluated expression costs in tt itself: the time of 16 elements, blocks taken from the pool and their bytes,
// with and without recording for backward. Prints the table of docs/benchmarks.md, and fuse() beside separate writes.
#include <tt/fuse.hpp>
#include <tt/nn.hpp>
#include <tt/ops.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using tt::Shape, tt::dyn;
using Vector = Shape<dyn>;
using Square = Shape<dyn, dyn>;

namespace {

struct Times {
  double least, median;
};
/// Nanoseconds of one f(), the least and the median of 15 rounds.
template <class Function>
Times time_of(Function&& f, int repeats) {
  using clock = std::chrono::steady_clock;
  std::vector<double> rounds;
  for (int i = 0; i < repeats; ++i) f();
  for (int round = 0; round < 15; ++round) {
    const auto start = clock::now();
    for (int i = 0; i < repeats; ++i) f();
    rounds.push_back(std::chrono::duration<double, std::nano>(clock::now() - start).count() / repeats);
  }
  std::sort(rounds.begin(), rounds.end());
  return {rounds.front(), rounds[rounds.size() / 2]};
}

struct Memory {
  long blocks;
  long bytes;
};
/// What f() takes while its result lives.
template <class Function>
Memory memory_of(Function&& f) {
  { const tt::Tensor warm = f(); }
  const auto blocks = tt::memory_stats().allocations;
  const auto bytes = tt::memory_allocated();
  const tt::Tensor result = f();
  return {long(tt::memory_stats().allocations - blocks), long(tt::memory_allocated() - bytes)};
}

template <class Plain, class Tracked>
void row(const char* name, Plain&& plain, Tracked&& tracked) {
  const Times p = time_of([&] { const tt::Tensor y = plain(); }, 20000), t = time_of([&] { const tt::Tensor y = tracked(); }, 20000);
  const Memory pm = memory_of(plain), tm = memory_of(tracked);
  std::printf("| `%s` | %.0f / %.0f ns | %ld | %ld | %.0f / %.0f ns | %ld | %ld | %.2f |\n", name, p.least, p.median, pm.blocks, pm.bytes,
              t.least, t.median, tm.blocks, tm.bytes, t.median / p.median);
}
#define TT_ROW(expression)                                                                       \
  row(                                                                                           \
      #expression,                                                                               \
      [&] {                                                                                      \
        const auto &a = plain_a, &b = plain_b, &c = plain_c, &d = plain_d;                       \
        (void)a, (void)b, (void)c, (void)d;                                                      \
        return tt::eval(expression);                                                             \
      },                                                                                         \
      [&] { return tt::eval(expression); })

void fused(tt::index_t n) {
  tt::Tensor p = tt::ones<float, Vector>({n}), g = tt::ones<float, Vector>({n}), m = tt::zeros<float, Vector>({n}), v = tt::zeros<float, Vector>({n});
  const int repeats = int(20'000'000 / n) + 1;
  const Times apart = time_of([&] {
    m.copy_(0.9f * m + 0.1f * g);
    v.copy_(0.99f * v + 0.01f * square(g));
    p.copy_(p - 0.1f * m / (sqrt(v) + 1e-8f));
  }, repeats);
  const Times together = time_of([&] {
    tt::fuse(tt::into(m) = 0.9f * m + 0.1f * g, tt::into(v) = 0.99f * v + 0.01f * square(g), tt::into(p) -= 0.1f * m / (sqrt(v) + 1e-8f));
  }, repeats);
  std::printf("| %ld | %.0f / %.0f ns | %.0f / %.0f ns | %.2f |\n", long(n), apart.least, apart.median, together.least, together.median,
              together.median / apart.median);
}

}  // namespace

int main() {
  tt::set_num_threads(1);
  const auto plain_a = tt::rand<float, Square>({4, 4}), plain_b = tt::rand<float, Square>({4, 4}), plain_c = tt::rand<float, Square>({4, 4}),
             plain_d = tt::rand<float, Square>({4, 4});
  tt::Variable<float, Square> a = tt::clone(plain_a), b = tt::clone(plain_b), c = tt::clone(plain_c), d = tt::clone(plain_d);
  for (const auto* t : {&a, &b, &c, &d}) t->requires_grad_();
  std::puts("| expression of 4 x 4 floats | plain, min / median | blocks | bytes | recorded, min / median | blocks | bytes | ratio |\n"
            "|---|---|---|---|---|---|---|---|");
  TT_ROW(a + b);
  TT_ROW(tanh(a));
  TT_ROW((a + b) * c - d);
  TT_ROW(tanh(a * b + c) * d);
  TT_ROW(tt::sum(a * b));
  TT_ROW(tt::sum<0>(a));
  TT_ROW(tt::matmul(a, b));
  TT_ROW(relu(tt::matmul(a, b) + tt::select<0>(c, 0)));
  TT_ROW(tt::select<0>(a, 1));
  TT_ROW(tt::softmax<1>(a));
  TT_ROW((tt::cat<0>(a, b)));

  std::puts("\n| floats | three copy_, min / median | one fuse, min / median | ratio |\n|---|---|---|---|");
  for (tt::index_t n : {64, 4096, 200'000, 4'000'000}) fused(n);
}
