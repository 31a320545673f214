// Laws for whatever is drawn: what views compose to, and that neither layout, nor when extents are known, nor the number
// of threads changes a bit of a result.
#include <tt/autograd/backward.hpp>

#include "../typed.hpp"
#include "../view_chains.hpp"

using tests::check_law;
using tests::Draw;
using tests::same_bits;
using tt::AnyTensor;
using tt::dims;
using tt::dyn;
using tt::index_t;

namespace {

/// A tensor of positions, seen through a chain of views, with at least one axis and no extent of 0.
AnyTensor any_tensor(Draw& draw) {
  for (;;) {
    const tests::Chain chain = tests::any_chain(draw);
    const AnyTensor x = chain(tests::positions(chain.base));
    if (x.rank() > 0 && x.numel() > 0) return x;
  }
}

/// The elements of x in memory as drawn: axes in any order, gaps between elements, an offset.
AnyTensor laid_out(const AnyTensor& x, Draw& draw) {
  const dims order = draw.order(x.rank());
  index_t stride[tt::max_rank], unit = 1;
  for (index_t axis : order) {
    unit *= draw(1, 3);
    stride[axis] = unit;
    unit *= x.size(int(axis));
  }
  const index_t offset = draw(0, 5);
  const AnyTensor y = AnyTensor::empty(x.dtype(), {offset + unit}).with_layout(x.sizes(), stride, offset);
  y.copy_(x);
  return y;
}

using vector = tt::Shape<dyn>;
using matrix = tt::Shape<dyn, dyn>;
using cube = tt::Shape<dyn, dyn, dyn>;

AnyTensor reals(const dims& size, Draw& draw) {
  const auto x = tests::numbers<float, vector>({size.count()}, -3, 3, std::uint64_t(draw(0, 1 << 20)));
  return tt::reshape(AnyTensor(x), size);
}

/// Kinds of operations on a tensor, to be compared with those on a tensor that is the same but for one thing.
template <class X>
std::vector<AnyTensor> results(const X& x) {
  std::vector<AnyTensor> all;
  all.push_back(tt::eval(exp(x * 0.5f) * x + 1));
  all.push_back(tt::eval(sum(x * x)));
  all.push_back(tt::eval(tt::mean<-1>(x)));
  all.push_back(tt::eval(tt::amax<0>(x)));
  all.push_back(tt::eval(tt::softmax<-1>(x)));
  all.push_back(tt::eval(tt::cat<-1>(x, x)));
  all.push_back(tt::eval(tt::cumsum<-1>(x)));
  if constexpr (tt::rank_of<X> >= 2) all.push_back(tt::eval(tt::matmul(x, mT(x))));
  return all;
}
bool same(const std::vector<AnyTensor>& a, const std::vector<AnyTensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const AnyTensor& x, const AnyTensor& y) { return same_bits(x, y); });
}

/// As many threads as drawn for one scope.
struct Threads {
  explicit Threads(int n) { tt::set_num_threads(n); }
  ~Threads() { tt::set_num_threads(0); }
};

}  // namespace

TEST_CASE("properties: a law that does not hold is told with what was drawn", "[ops]") {
  CHECK(tests::broken([](Draw& draw) { return draw(0, 9) <= 9; }, 100) == "");
  const std::string fault = tests::broken([](Draw& draw) { return draw(5, 5) + draw(0, 9) < 14; }, 1000);
  CHECK_THAT(fault, Contains("seed ") && Contains(" drew 5 9"));
  CHECK_THAT(tests::broken([](Draw& draw) -> bool { tt::fail("broke at " + std::to_string(draw(3, 3))); }, 1),
             Contains("seed 0 drew 3: broke at 3"));
}

TEST_CASE("properties: views compose", "[ops]") {
  check_law("permute of permute", 200, [](Draw& draw) {
    const AnyTensor x = any_tensor(draw);
    const dims p = draw.order(x.rank()), q = draw.order(x.rank());
    dims both;
    for (index_t axis : q) both.push_back(p[int(axis)]);
    return same_bits(tt::permute(tt::permute(x, p), q), tt::permute(x, both));
  });
  check_law("narrow of narrow, and select of it", 200, [](Draw& draw) {
    const AnyTensor x = any_tensor(draw);
    const index_t axis = draw(0, x.rank() - 1), n = x.size(int(axis));
    const index_t start = draw(0, n - 1), length = draw(1, n - start);
    const index_t inner = draw(0, length - 1), rest = draw(1, length - inner);
    const AnyTensor part = tt::narrow(x, axis, start, length);
    return same_bits(tt::narrow(part, axis, inner, rest), tt::narrow(x, axis, start + inner, rest)) &&
           same_bits(tt::select(part, axis, inner), tt::select(x, axis, start + inner));
  });
  check_law("slice of slice", 200, [](Draw& draw) {
    const AnyTensor x = any_tensor(draw);
    const index_t axis = draw(0, x.rank() - 1), n = x.size(int(axis));
    const index_t start = draw(0, n), step = draw(1, 3), inner = draw(0, n), times = draw(1, 3);
    return same_bits(tt::slice(tt::slice(x, axis, start, n, step), axis, inner, n, times),
                     tt::slice(x, axis, start + inner * step, n, step * times));
  });
  check_law("selects in either order", 200, [](Draw& draw) {
    const AnyTensor x = tt::unsqueeze(any_tensor(draw), 0);
    const index_t b = draw(1, x.rank() - 1), j = draw(0, x.size(int(b)) - 1);
    return same_bits(tt::select(tt::select(x, 0, 0), b - 1, j), tt::select(tt::select(x, b, j), 0, 0));
  });
  check_law("a window is a part, an expanded index is any other", 200, [](Draw& draw) {
    const AnyTensor x = any_tensor(draw);
    const index_t axis = draw(0, x.rank() - 1), n = x.size(int(axis));
    const index_t length = draw(1, n), step = draw(1, 3), window = draw(0, (n - length) / step);
    const AnyTensor windows = tt::movedim(tt::unfold(x, axis, length, step), x.rank(), axis + 1);
    dims wide{draw(1, 4)};
    for (index_t e : x.sizes()) wide.push_back(e);
    return same_bits(tt::select(windows, axis, window), tt::narrow(x, axis, window * step, length)) &&
           same_bits(tt::select(tt::expand(x, wide), 0, wide[0] - 1), x);
  });
  check_law("flatten in steps", 200, [](Draw& draw) {
    const AnyTensor x = any_tensor(draw);
    const index_t first = draw(0, x.rank() - 1), last = draw(first, x.rank() - 1);
    return same_bits(tt::flatten(tt::flatten(x, first, last), 0, -1), tt::flatten(x, 0, -1)) &&
           same_bits(tt::reshape(tt::flatten(x, first, last), x.sizes()), x);
  });
}

TEST_CASE("properties: neither layout nor when extents are known changes a bit", "[ops]") {
  check_law("layouts of tensors of drawn extents", 300, [](Draw& draw) {
    const int rank = int(draw(1, 3));
    const AnyTensor x = reals(draw.extents(rank, 1, 40 / rank), draw), y = laid_out(x, draw);
    if (rank == 1) return same(results(x.as<float, vector>()), results(y.as<float, vector>()));
    if (rank == 2) return same(results(x.as<float, matrix>()), results(y.as<float, matrix>()));
    return same(results(x.as<float, cube>()), results(y.as<float, cube>()));
  });
  tests::each_rank<1>([]<class Sizes>(Sizes) {
    check_law("static and run-time extents, rank " + std::to_string(Sizes::rank), 100, [](Draw& draw) {
      const AnyTensor x = reals(Sizes::size(), draw), y = laid_out(x, draw);
      const auto want = results(x.as<float, typename Sizes::dynamic>());
      return same(results(x.as<float, typename Sizes::fixed>()), want) &&
             same(results(y.as<float, typename Sizes::fixed>()), want);
    });
  });
}

TEST_CASE("properties: one thread and two give the same bits", "[ops]") {
  check_law("forward and back", 20, [](Draw& draw) {
    const dims size = draw.extents(3, 20, 60);
    const AnyTensor drawn = laid_out(reals(size, draw), draw);
    const auto all = [&](int threads) {
      const Threads scope(threads);
      tt::Variable<float, cube> x = drawn.as<float, cube>();
      x.requires_grad_();
      const tt::Tensor y = tanh(x) * x, z = tt::matmul(y, mT(x));
      const tt::Tensor total = sum(z * 0.01f) + sum(tt::softmax<1>(x) * x);
      const tt::Tensor means = tt::mean<0>(y);
      tt::backward(total);
      return std::vector<AnyTensor>{y.detach(), z.detach(), total.detach(), means.detach(), x.grad()};
    };
    return same(all(1), all(2));
  });
}
