// Runs a grid, one block at a time. A thread that has to wait gets a stack of its own; threads that never wait run one
// after the other on one stack, without a switch. Barriers, shuffles and votes are rendezvous of the threads they name.
// Stricter than a device: threads that have left count as missing, in a barrier and in a mask.
#define TT_CUDA_SIM 1
#include "executor.hpp"

#include "control.hpp"
#include "fiber.hpp"
#include "sanitizers.hpp"
#include "shared_memory.hpp"
#include "tt_cuda_sim.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tt::sim {
namespace {

enum class State : char { fresh, ready, at_barrier, at_warp, done };
constexpr int votes_wanted = -1;  // as a source: all lanes' predicates instead of one lane's bits

struct Thread {
  State state;
  bool predicate;
  bool fenced;
  int source;
  unsigned mask;
  place where;
  std::uint64_t offered, received;
  uint3 index;
  Fiber* fiber;
};

/// The block that runs.
struct Block {
  std::vector<Thread> threads;
  std::vector<int> order;
  int size = 0, current = -1, next_fresh = 0;
  int waiting = 0, predicates = 0, barrier_count = 0;
  unsigned arrived[32] = {};  // lanes of a warp that wait for a rendezvous
  SharedMemory shared;

  Thread& self() { return threads[std::size_t(current)]; }
} block;

Order thread_order = Order::forward;
unsigned seed = 1;
Random random_order;
const std::function<void()>* kernel_body;
std::vector<Fiber*> spare_fibers;
// With ThreadSanitizer a fiber serves one thread of a grid: it takes who has the stack, or the number, of a fiber that
// has ended for the same thread, and sees no race between the two.
std::vector<Fiber*> used_fibers;
constexpr std::size_t most_fibers = 4096;  // of the 8128 that ThreadSanitizer can tell apart
char end_of_kernel;  // its address: the end of a grid comes before the next operation of any stream

[[noreturn]] void fault(const char* what) {
  std::fprintf(stderr, "tt-sim: %s: block (%u, %u, %u)", what, blockIdx.x, blockIdx.y, blockIdx.z);
  int shown = 0;
  for (int i = 0; i < block.size && shown < 4; ++i) {
    const Thread& thread = block.threads[std::size_t(i)];
    if (thread.state != State::at_barrier && thread.state != State::at_warp) continue;
    std::fprintf(stderr, "; thread %d waits at %s:%d", i, thread.where.file, thread.where.line);
    if (thread.state == State::at_warp) std::fprintf(stderr, " for lanes %08x", thread.mask);
    ++shown;
  }
  std::fprintf(stderr, "\n");
  std::_Exit(kernel_fault_exit_code);
}

int take_fresh() { return block.next_fresh < block.size ? block.order[std::size_t(block.next_fresh++)] : -1; }

void suspend_current() { block.self().fiber->suspend(); }

/// Runs threads of the kernel on the fiber of the first, as long as they do not wait.
void run_threads() {
  Fiber* fiber = block.self().fiber;
  for (;;) {
    (*kernel_body)();
    release(&end_of_kernel);
    block.self().state = State::done;
    if (under_tsan()) return;  // a fiber for each thread, or ThreadSanitizer would see them as ordered
    const int next = take_fresh();
    if (next < 0) return;
    block.current = next;
    block.self().fiber = fiber;
    block.self().state = State::ready;
    threadIdx = block.self().index;
  }
}

void run(int thread) {
  block.current = thread;
  Thread& self = block.self();
  threadIdx = self.index;
  if (self.state == State::fresh) {
    if (spare_fibers.empty()) spare_fibers.push_back(new Fiber);
    self.fiber = spare_fibers.back();
    spare_fibers.pop_back();
    self.fiber->start(run_threads);
    self.state = State::ready;
  }
  self.fiber->resume();
  if (block.self().state == State::done) {  // current may be another thread by now
    (under_tsan() ? used_fibers : spare_fibers).push_back(block.self().fiber);
  }
}

/// The last lane of the mask to arrive serves all of them.
void serve_warp(int warp, unsigned mask) {
  Thread* lanes = block.threads.data() + 32 * warp;
  const int line = block.self().where.line;
  unsigned votes = 0;
  for (int i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    if (lanes[i].mask != mask || lanes[i].where.line != line) {
      fault("lanes of one warp meet at different places or with different masks");
    }
    votes |= unsigned(lanes[i].predicate) << i;
  }
  for (int i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    const int source = lanes[i].source;
    lanes[i].state = State::ready;
    if (source == votes_wanted) lanes[i].received = votes;
    else lanes[i].received = (mask >> source & 1) ? lanes[source].offered : ~std::uint64_t(0);  // undefined: NaN
  }
  block.arrived[warp] &= ~mask;
}

std::uint64_t meet_warp(unsigned mask, std::uint64_t bits, int source, bool predicate, place where) {
  const int me = block.current, warp = me / 32, lane = me % 32;
  Thread& self = block.self();
  self.mask = mask;
  self.offered = bits;
  self.source = source;
  self.predicate = predicate;
  self.where = where;
  self.state = State::at_warp;
  if (!(mask >> lane & 1)) fault("a thread is not in the mask it names");
  block.arrived[warp] |= 1u << lane;
  if ((block.arrived[warp] & mask) == mask) {
    serve_warp(warp, mask);
    if (thread_order != Order::forward) suspend_current();  // the last to arrive need not be the first to go on
  } else {
    suspend_current();
  }
  return block.threads[std::size_t(me)].received;
}

/// 0 .. n-1 as the order says.
template <class Index>
std::vector<Index> in_order(std::size_t n) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index(0));
  if (thread_order == Order::reverse) std::reverse(order.begin(), order.end());
  if (thread_order == Order::random) {
    for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[random_order.below(unsigned(i) + 1)]);
  }
  return order;
}

void run_block() {
  const std::size_t size = std::size_t(block.size);
  for (std::size_t i = 0; i < size; ++i) {
    block.threads[i] = {};
    const unsigned x = unsigned(i);
    block.threads[i].index = {x % blockDim.x, x / blockDim.x % blockDim.y, x / blockDim.x / blockDim.y};
  }
  block.order = in_order<int>(size);
  block.next_fresh = block.waiting = block.predicates = 0;
  for (unsigned& lanes : block.arrived) lanes = 0;
  for (int thread; (thread = take_fresh()) >= 0;) run(thread);
  for (bool ran = true; ran;) {  // a pass visits each thread that may go on
    ran = false;
    const std::size_t shift = thread_order == Order::random ? random_order.below(unsigned(size)) : 0;
    for (std::size_t i = 0; i < size; ++i) {
      const int thread = block.order[(i + shift) % size];
      if (block.threads[std::size_t(thread)].state != State::ready) continue;
      run(thread);
      ran = true;
    }
  }
  for (const Thread& thread : block.threads) {
    if (thread.state != State::done) fault("threads wait for others that have left or wait elsewhere");
  }
  block.current = -1;
}

}  // namespace

void set_order(Order order, unsigned new_seed) {
  thread_order = order;
  seed = new_seed;
}

int block_barrier(bool predicate, place where) {
  Thread& self = block.self();
  self.where = where;
  self.state = State::at_barrier;
  block.predicates += predicate;
  release(block.shared.token(0));
  if (++block.waiting == block.size) {
    block.barrier_count = block.predicates;
    block.waiting = block.predicates = 0;
    for (const Thread& thread : block.threads) {
      if (thread.where.line != where.line) fault("threads of a block wait at different barriers");
    }
    for (Thread& thread : block.threads) thread.state = State::ready;
  }
  suspend_current();
  acquire(block.shared.token(0));
  return block.barrier_count;
}

void warp_barrier(unsigned mask, place where) {
  void* token = block.shared.token(1 + block.current / 32);
  release(token);
  meet_warp(mask, 0, votes_wanted, false, where);
  acquire(token);
}

std::uint64_t warp_exchange(unsigned mask, std::uint64_t bits, int source, place where) {
  return meet_warp(mask, bits, source, false, where);
}

unsigned warp_vote(unsigned mask, bool predicate, place where) {
  return unsigned(meet_warp(mask, 0, votes_wanted, predicate, where));
}

bool before_atomic() {
  if (block.current < 0) return false;  // a test calls it on the host
  if (thread_order == Order::random && random_order.below(4) == 0) suspend_current();
  return std::exchange(block.self().fenced, false);
}

void fence() { block.self().fenced = true; }

void* shared_array_of(const void* key, std::size_t bytes, std::size_t align) {
  void* array = block.shared.array(key, bytes, align);
  if (!array) fault("the arrays in shared memory do not fit");
  return array;
}

void* shared_dynamic() { return block.shared.dynamic(); }

void run_grid(dim3 grid, dim3 block_shape, std::size_t dynamic_shared_bytes, const std::function<void()>& body) {
  gridDim = grid;
  blockDim = block_shape;
  block.size = int(block_shape.x * block_shape.y * block_shape.z);
  block.threads.resize(std::size_t(block.size));
  random_order = Random(seed);
  kernel_body = &body;
  for (const unsigned i : in_order<unsigned>(std::size_t(grid.x) * grid.y * grid.z)) {
    blockIdx = {i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y};
    if (!block.shared.begin_block(dynamic_shared_bytes)) fault("too many blocks for one process with ThreadSanitizer");
    if (used_fibers.size() + std::size_t(block.size) > most_fibers) fault("over 4096 threads with ThreadSanitizer");
    run_block();
  }
  for (Fiber* fiber : used_fibers) fiber->finish();
  spare_fibers.insert(spare_fibers.end(), used_fibers.begin(), used_fibers.end());
  used_fibers.clear();
  acquire(&end_of_kernel);
}

}  // namespace tt::sim
