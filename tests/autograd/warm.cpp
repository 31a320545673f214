// A warm step takes no memory from the system: neither for tensors and nodes nor, behind their back, from the heap.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations = 0;
}
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

#if TT_POOLED
using tests::leaf;
using tests::numbers;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;
using Vector = tt::Shape<tt::dyn>;

namespace {
/// What ten calls of f take, after three that warm it up.
template <class Function>
void check_warm(const char* what, Function&& f) {
  INFO(what);
  for (int i = 0; i < 3; ++i) f();
  const long heap = allocations;
  const std::size_t blocks = tt::memory_stats().system_blocks;
  const auto held = tt::memory_stats().cached_bytes;
  for (int i = 0; i < 10; ++i) f();
  const long taken = allocations - heap;
  const std::size_t fresh = tt::memory_stats().system_blocks - blocks;
  const auto grown = tt::memory_stats().cached_bytes;
  CHECK(taken == 0);
  CHECK(fresh == 0);
  CHECK(grown == held);
}
}  // namespace

TEST_CASE("warm: evaluating, recording and running back", "[autograd]") {
  const auto x = numbers<float, Matrix>({16, 64}), square = numbers<float, Matrix>({32, 32});
  const auto w = leaf<float, Matrix>({32, 64}, -0.1, 0.1, 2), v = leaf<float, Matrix>({10, 32}, -0.1, 0.1, 3);
  const auto b = leaf<float, Vector>({32}, -0.1, 0.1, 4), c = leaf<float, Vector>({10}, -0.1, 0.1, 5);
  const auto labels = numbers<std::int64_t, Vector>({16}, 0, 10, 6);
  check_warm("a product", [&] { tt::eval(tt::matmul(square, square)); });
  check_warm("a region", [&] { tt::eval(exp(x * 2) + x / 3); });
  check_warm("reductions", [&] { tt::eval(tt::sum<0>(x * x) + tt::mean<0>(x)); });
  check_warm("softmax", [&] { tt::softmax<1>(x); });
  check_warm("a training step", [&] {
    const tt::Tensor h = relu(tt::matmul(x, tt::transpose(w)) + b);
    tt::backward(tt::cross_entropy(tt::matmul(h, tt::transpose(v)) + c, labels));
    for (const tt::AnyTensor& p : {tt::AnyTensor(w), tt::AnyTensor(v), tt::AnyTensor(b), tt::AnyTensor(c)})
      p.set_grad({});
  });
  const auto copied = leaf<float, Matrix>({8, 8});
  check_warm("copies, and products of stacks", [&] {
    const tt::Tensor joined = tt::cat<0>(tt::flip<1>(copied), tt::roll<0>(copied, 3), tt::tril(copied));
    const tt::Tensor stacked = tt::stack<0>(copied, tt::rot90<1>(copied));
    tt::backward(tt::sum(tt::repeat<2, 1>(joined)) + tt::sum(tt::bmm(stacked, stacked)));
    copied.set_grad({});
  });
  const auto narrow = leaf<tt::half, Vector>({8});
  const auto rows = numbers<tt::half, Matrix>({40, 8});
  const auto tall = numbers<float, Matrix>({8192, 32});
  const tt::Tensor<std::int64_t, Vector> at = tt::zeros<std::int64_t, Vector>({20});
  check_warm("gradients that are added up", [&] {
    tt::backward(tt::sum(rows * narrow) + tt::sum(tt::repeat<3>(narrow)) + tt::sum(tt::index_select<0>(narrow, at)));
    tt::backward(tt::sum(tall * b));
    narrow.set_grad({}), b.set_grad({});
  });
  check_warm("views and regions", [&] {
    const tt::Tensor y = tanh(tt::slice<0>(w, 0, 16) * 2) * tt::transpose<0, 1>(tt::slice<1>(w, 0, 16))(0, 0);
    tt::backward(sum(y) + tt::amax(b));
    w.set_grad({}), b.set_grad({});
  });
  check_warm("a recurrence, whose nodes end in a chain", [&] {
    tt::Variable<float, Vector> h = b;
    for (int i = 0; i < 50; ++i) h = tanh(h * 0.5 + b);
    tt::backward(sum(h));
    b.set_grad({});
  });
}

TEST_CASE("warm: a loop that rebinds one name holds no more and no less, recorded or not", "[autograd]") {
  auto m = numbers<float, Matrix>({32, 32}, -0.1, 0.1);
  check_warm("plain", [&] { m = tt::matmul(m, m); });
  const auto w = leaf<float, Matrix>({32, 32}, -0.1, 0.1);
  check_warm("no_grad", [&] {
    const tt::no_grad off;
    tt::Variable<float, Matrix> t = w;
    for (int i = 0; i < 5; ++i) t = tt::matmul(t, t);
  });
  check_warm("recorded", [&] {
    tt::Variable<float, Matrix> t = w;
    for (int i = 0; i < 5; ++i) t = tt::matmul(t, t);
  });
}
#else
TEST_CASE("warm: under AddressSanitizer nothing is pooled", "[autograd]") { CHECK(allocations >= 0); }
#endif
