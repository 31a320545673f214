// A race that ThreadSanitizer must report, in a chunk of a kernel's loop: where it stays silent, no other test under it
// proves anything. Before it a loop that is right, and must not be reported: libomp's own waiting has to be understood.
#include <tt/core/parallel.hpp>

#include <cstdio>
#include <vector>

int main() {
  tt::set_num_threads(2);
  std::vector<tt::index_t> each(1000);
  for (int round = 0; round < 100; ++round) {
    tt::parallel_chunks(1000, [&](tt::index_t c) { each[std::size_t(c)] += c; });
    tt::parallel_chunks(1000, [&](tt::index_t c) { each[std::size_t(999 - c)] -= 999 - c; });
  }
  tt::index_t sum = 0;
  for (tt::index_t e : each) sum += e;
  std::fprintf(stderr, "without a race: %ld\n", long(sum));
  tt::parallel_chunks(1000, [&](tt::index_t c) { sum += c; });
  std::fprintf(stderr, "with one: %ld\n", long(sum));
}
