// What tensors take: statistics, loops that hold no more and no less, and scopes that take nothing from the heap.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <thread>

using tests::leaf;
using tests::numbers;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;

namespace {
constexpr std::ptrdiff_t mebibyte = std::ptrdiff_t(1) << 20;
tt::Matrix<float> of_mebibytes(int n) { return tt::empty<float, Matrix>({256 * n, 1024}); }
}  // namespace

TEST_CASE("memory: what is in use, and the most that was", "[core]") {
  const auto before = tt::memory_allocated();
  const auto allocations = tt::memory_stats().allocations;
  tt::reset_peak_memory_stats();
  CHECK(tt::max_memory_allocated() == before);
  {
    const auto a = of_mebibytes(3);
    const auto held = tt::memory_allocated() - before;
    CHECK(held >= 3 * mebibyte);
    CHECK(held < 4 * mebibyte);
    const auto view = tt::transpose(a), again = tt::transpose(view);   // of the same elements
    CHECK(tt::memory_allocated() - before < held + 4096);
    const auto b = tt::clone(a);
    CHECK(tt::memory_allocated() - before >= 6 * mebibyte);
  }
  CHECK(tt::memory_allocated() == before);
  CHECK(tt::max_memory_allocated() - before >= 6 * mebibyte);
  CHECK(tt::memory_reserved() >= tt::memory_allocated());
  CHECK(tt::memory_stats().allocations > allocations);
  tt::reset_peak_memory_stats();
  CHECK(tt::max_memory_allocated() == before);
  tt::empty_cache();
  CHECK(tt::memory_reserved() == tt::memory_allocated());
}

TEST_CASE("memory: a loop that rebinds one name stays flat, with and without no_grad", "[core]") {
  const auto x = leaf<float, Matrix>({64, 64}, -0.1, 0.1);
  tt::Variable<float, Matrix> temp = tt::matmul(x, x);
  const auto flat = [&](const char* what) {
    INFO(what);
    temp = tt::matmul(x, x);
    const auto held = tt::memory_allocated();
    tt::reset_peak_memory_stats();
    bool same = true;
    for (int i = 0; i < 50; ++i) {
      temp = tt::matmul(x, x);
      same &= tt::memory_allocated() == held;
    }
    CHECK(same);
    CHECK(tt::max_memory_allocated() < held + 2 * 64 * 64 * 4);   // the old product and the new one
  };
  flat("recorded");
  const tt::no_grad off;
  flat("under no_grad");
}

#if TT_POOLED
TEST_CASE("memory: a warm training step needs no heap, which no_alloc_scope holds it to", "[core]") {
  const auto x = numbers<float, Matrix>({16, 64});
  const auto w = leaf<float, Matrix>({10, 64}, -0.1, 0.1, 2);
  const auto labels = numbers<std::int64_t, tt::Shape<tt::dyn>>({16}, 0, 10, 6);
  const auto step = [&] {
    tt::backward(tt::cross_entropy(tt::matmul(relu(x), tt::transpose(w)), labels));
    {
      const tt::no_grad off;
      w -= 0.1 * w.grad();
    }
    w.set_grad({});
  };
  tt::empty_cache();
  {
    const tt::no_alloc_scope closed;
    CHECK_THROWS_WITH(step(), Contains("within a no_alloc_scope"));
  }
  w.set_grad({});
  for (int i = 0; i < 3; ++i) step();
  const float before = w(0, 0);
  {
    const tt::no_alloc_scope closed;
    for (int i = 0; i < 5; ++i) step();
  }
  CHECK(w(0, 0) != before);
}

TEST_CASE("memory: no_alloc_scope is of its thread, may be nested and ends with its block", "[core]") {
  tt::empty_cache();
  {
    const tt::no_alloc_scope outer;
    { const tt::no_alloc_scope inner; }
    CHECK_THROWS_WITH(of_mebibytes(2), Contains("bytes were to be taken from the heap"));
    std::thread([] { CHECK_NOTHROW(of_mebibytes(2)); }).join();
  }
  CHECK_NOTHROW(of_mebibytes(2));
  const tt::no_alloc_scope closed;   // the block of the line before serves again
  CHECK_NOTHROW(of_mebibytes(2));
}
#endif
