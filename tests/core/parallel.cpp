#include <tt/core/parallel.hpp>

#include "../catch.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace {
struct threads {   // a setting for one scope
  explicit threads(int n) { tt::set_num_threads(n); }
  ~threads() { tt::set_num_threads(0); }
};
}  // namespace

TEST_CASE("parallel: the number of threads is the machine's until it is set", "[core]") {
  CHECK(tt::get_num_threads() >= 1);
#ifdef _OPENMP
  const threads three(3);
  CHECK(tt::get_num_threads() == 3);
#endif
}

TEST_CASE("parallel: every chunk runs once, for any number of chunks and threads", "[core]") {
  for (int n : {1, 2, 3, 8}) {
    const threads set(n);
    for (tt::index_t chunks : {0, 1, 2, 3, 7, 64}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(chunks));
      tt::parallel_chunks(chunks, [&](tt::index_t c) { ++runs[std::size_t(c)]; });
      for (auto& r : runs) CHECK(r == 1);
    }
  }
}

TEST_CASE("parallel: chunks inside a chunk run on its thread", "[core]") {
  const threads set(2);
  std::atomic<int> strangers = 0;
  tt::parallel_chunks(4, [&](tt::index_t) {
    const auto self = std::this_thread::get_id();
    tt::parallel_chunks(4, [&](tt::index_t) { strangers += std::this_thread::get_id() != self; });
  });
  CHECK(strangers == 0);
}

TEST_CASE("parallel: with one thread set nothing leaves the caller's", "[core]") {
  const threads set(1);
  const auto self = std::this_thread::get_id();
  bool stayed = true;
  tt::parallel_chunks(16, [&](tt::index_t) { stayed &= std::this_thread::get_id() == self; });
  CHECK(stayed);
}
