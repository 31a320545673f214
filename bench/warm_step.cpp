// Counts what a warm training step takes from the heap: it should be nothing. Exits with 1 if it is more.
#include <tt/optim.hpp>
#include <tt/tensor.hpp>

#include <cstddef>
#include <cstdio>

#include "networks.hpp"

static long heap_calls = 0;

// glibc's own allocator under other names; whoever allocates in this process, C or C++, comes through here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t n) { return ++heap_calls, __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { return ++heap_calls, __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { return ++heap_calls, __libc_realloc(p, n); }
void* memalign(std::size_t alignment, std::size_t n) { return ++heap_calls, __libc_memalign(alignment, n); }
void* aligned_alloc(std::size_t alignment, std::size_t n) { return ++heap_calls, __libc_memalign(alignment, n); }
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  ++heap_calls;
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : 12;  // ENOMEM
}
}

/// Heap calls and fresh blocks of tt's pool in one step, after ten others.
template <class Net, tt::index_t In, class Optimizer>
static long count(const char* name, tt::index_t rows, Optimizer make) {
  Net net;
  auto optimizer = make(net);
  const auto x = tt::rand<float, tt::Shape<batch, In>>({rows, In});
  const auto y = tt::zeros<std::int64_t, tt::Shape<batch>>({rows});
  const auto step = [&] {
    tt::Tensor loss = tt::cross_entropy(net(x), y);
    optimizer.zero_grad();
    tt::backward(loss);
    optimizer.step();
  };
  for (int i = 0; i < 10; ++i) step();
  const long heap_before = heap_calls;
  const auto fresh_before = tt::memory_stats().system_blocks;
  step();
  const long calls = heap_calls - heap_before;
  std::printf("%-34s %ld heap calls, %ld fresh pool blocks in a warm step\n", name, calls,
              long(tt::memory_stats().system_blocks - fresh_before));
  return calls;
}

int main() {
  tt::set_num_threads(1);
  const auto sgd = [](auto& net) { return tt::optim::SGD(net, {.lr = 1e-3}); };
  const auto adam = [](auto& net) { return tt::optim::Adam(net, {.lr = 1e-3}); };
  long calls = count<Small, 64>("64-32-10, batch 16, SGD:", 16, sgd);
  calls += count<Small, 64>("64-32-10, batch 16, Adam:", 16, adam);
  count<Large, 784>("784-256-128-10, batch 64, SGD:", 64, sgd);  // Eigen packs large products on the heap
  return calls ? 1 : 0;
}
