// fuse(): several assignments in one pass are what the assignments one after another are.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <tt/fuse.hpp>

using Catch::Contains;
using tests::number;
using tests::numbers;
using tests::same_bits;
using tests::values;
using tt::fuse;
using tt::into;
using tt::Vector;
using list = std::vector<double>;
using Matrix = tt::Shape<tt::dyn, tt::dyn>;

namespace {

/// Counts writes, as a profiler would see them.
struct Writes final : tt::DispatchHandler {
  std::vector<std::string> seen;
  tt::AnyTensor operator()(const tt::Call& call, tt::Next next) override {
    std::string text(call.kind);
    for (std::string_view name : call.names) text += ' ' + std::string(name);
    if (call.kind == "write") seen.push_back(text);
    return next();
  }
};
template <class Function>
std::vector<std::string> writes_of(Function&& f) {
  Writes writes;
  const tt::include_dispatch_key guard(tt::dispatch_key::profiler, writes);
  f();
  return writes.seen;
}

/// Three statements that read what those before them wrote, in one pass and one after another.
template <class Number>
void check_momentum(tt::index_t n) {
  INFO(tt::name_of(tt::dtype_of<Number>) << ", " << n << " elements");
  const tt::dims size{n};
  auto p = numbers<Number, tt::Shape<tt::dyn>>(size), g = numbers<Number, tt::Shape<tt::dyn>>(size, -3, 3, 2);
  auto m = numbers<Number, tt::Shape<tt::dyn>>(size, -3, 3, 3), v = numbers<Number, tt::Shape<tt::dyn>>(size, 1, 3, 4);
  const auto p2 = tt::clone(p), m2 = tt::clone(m), v2 = tt::clone(v);
  fuse(into(m) = m * 3 + g, into(v) = v * 2 + m * m, into(p) -= m * v);
  m2.copy_(m2 * 3 + g);
  v2.copy_(v2 * 2 + m2 * m2);
  p2.copy_(p2 - m2 * v2);
  CHECK(same_bits(m, m2));
  CHECK(same_bits(v, v2));
  CHECK(same_bits(p, p2));
}

}  // namespace

TEST_CASE("fuse: one pass gives the bits of one assignment after another, for every length and thread count", "[fuse]") {
  for (int threads : {1, 2}) {
    tt::set_num_threads(threads);
    for (tt::index_t n : {0, 1, 3, 15, 16, 17, 33, 1000, 200003}) {
      check_momentum<float>(n);
      check_momentum<double>(n);
      check_momentum<std::int64_t>(n);
    }
    check_momentum<std::complex<float>>(37);
    check_momentum<std::complex<double>>(37);
  }
  tt::set_num_threads(0);
}
TEST_CASE("fuse: dtypes that are rounded or wrapped after each operation keep their values", "[fuse]") {
  for (tt::index_t n : {0, 1, 40}) {
    check_momentum<tt::half>(n);
    check_momentum<tt::bfloat16>(n);
    check_momentum<std::int8_t>(n);
    check_momentum<std::uint8_t>(n);
    check_momentum<std::int32_t>(n);
  }
  const Vector<std::int8_t> small{100, 1};
  Vector<std::int64_t> wide{0, 0};
  fuse(into(wide) = small + small);
  CHECK(values(wide) == list{-56, 2});
}
TEST_CASE("fuse: it is one write where it can be, and each assignment its own where it cannot", "[fuse]") {
  const auto a = numbers<float, Matrix>({4, 5}), b = tt::clone(a), row = numbers<float, Matrix>({1, 5});
  CHECK(writes_of([&] { fuse(into(a) = b * 2, into(b) += a); }) == std::vector<std::string>{"write mul add"});
  CHECK(writes_of([&] { fuse(into(a) = b * row, into(b) += a); }).size() == 2);
  const auto c = numbers<float, Matrix>({5, 4});
  CHECK(writes_of([&] { fuse(into(a) = tt::transpose(c) * 2, into(b) += a); }).size() == 2);
}
TEST_CASE("fuse: static, named and dynamic extents, 0-d tensors, numbers and single elements", "[fuse]") {
  tt::Tensor<float, tt::Shape<2, 3>> a{{1, 2, 3}, {4, 5, 6}};
  const tt::Tensor<float, tt::Shape<tt::dyn, 3>> b = a * 10;
  const tt::Tensor<float, tt::Shape<>> one = tt::Tensor<float, tt::Shape<>>(tt::dims{}).fill_(2.0f);
  fuse(into(a) = a * one, into(b) = b - a + 1);
  CHECK(values(a) == list{2, 4, 6, 8, 10, 12});
  CHECK(values(b) == list{9, 17, 25, 33, 41, 49});
  fuse(into(one) = 5, into(one) *= one);
  CHECK(values(one) == list{25});
  fuse(into(a) = 1, into(b) = a);
  CHECK(values(b) == list(6, 1));
}
TEST_CASE("fuse: single elements that another assignment writes are read anew", "[fuse]") {
  Vector<float> x{1, 2, 3};
  const auto first = tt::slice<0>(x, 0, 1);
  fuse(into(x) = x * 10, into(x) += first);
  CHECK(values(x) == list{20, 30, 40});
}
TEST_CASE("fuse: slices of one storage, side by side, one over the other, or turned round", "[fuse]") {
  const auto all = numbers<float, Matrix>({2, 37}), want = tt::clone(all);
  const auto top = tt::select<0>(all, 0), bottom = tt::select<0>(all, 1);
  fuse(into(top) = top + 1, into(bottom) += top);
  tt::select<0>(want, 0).copy_(tt::select<0>(want, 0) + 1);
  tt::select<0>(want, 1).copy_(tt::select<0>(want, 1) + tt::select<0>(want, 0));
  CHECK(same_bits(all, want));

  Vector<float> x{1, 2, 3, 4, 5, 6};
  fuse(into(tt::slice<0>(x, 1, 6)) = tt::slice<0>(x, 0, 5), into(x) *= 2);
  CHECK(values(x) == list{2, 2, 4, 6, 8, 10});

  const tt::Tensor<float, tt::Shape<2, 2>> square{{1, 2}, {3, 4}};
  fuse(into(square) = tt::eval(tt::transpose(square)), into(square) += tt::eval(tt::transpose(square)));
  CHECK(values(square) == list{2, 5, 5, 8});
}
TEST_CASE("fuse: assignments of what is no elementwise expression", "[fuse]") {
  const auto a = numbers<float, Matrix>({3, 3}), y = tt::clone(a), z = tt::clone(a);
  fuse(into(y) = tt::matmul(a, a), into(z) = y - tt::sum(a));
  CHECK(same_bits(y, tt::matmul(a, a)));
  CHECK(same_bits(z, y - tt::sum(a)));
  fuse(into(y) = tt::to<float>(tt::to<int>(a)), into(z) = a > 0);
  CHECK(same_bits(z, tt::to<float>(a > 0)));
}
TEST_CASE("fuse: Variables under no_grad", "[fuse]") {
  const auto w = tests::leaf<float, tt::Shape<tt::dyn>>({20});
  const auto g = numbers<float, tt::Shape<tt::dyn>>({20});
  const auto want = tt::eval(w.detach() - g * 0.5f);
  {
    const tt::no_grad guard;
    CHECK(writes_of([&] { fuse(into(w) -= g * 0.5f, into(g) = 0); }).size() == 1);
  }
  CHECK(same_bits(w.detach(), want));
  CHECK(values(g) == list(20, 0));
  CHECK(w.requires_grad());
}
TEST_CASE("fuse: NaN and infinity go where they belong, in the last packet too", "[fuse]") {
  const float inf = std::numeric_limits<float>::infinity();
  Vector<float> x{1, inf, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0}, y = tt::zeros_like(x);
  fuse(into(y) = 1 / x, into(x) = y * 0);
  CHECK(values(y)[1] == 0);
  CHECK(values(y)[16] == double(inf));
  CHECK(std::isnan(values(x)[16]));
  CHECK(std::isnan(values(x)[2]));
  CHECK(values(x)[15] == 0);
}

TEST_CASE("fuse: what is refused is refused before anything is written", "[fuse]") {
  Vector<float> x{1, 2}, y{3, 4}, three{1, 2, 3};
  CHECK_THROWS_WITH(fuse(into(x) = y * 2, into(y) = three + 1), Contains("[2] and [3]"));
  CHECK_THROWS_WITH(fuse(into(x) = y * 2, into(y) = x * tt::sum(x)), Contains("changed in place"));
  CHECK_THROWS_WITH(fuse(into(x) = y * 2, into(tt::slice<0>(y, 0, 1)) = three), Contains("do not fit"));
  CHECK_THROWS_WITH(fuse(into(x) = y * 2, into(tt::expand(y, {2, 2})) = 1), Contains("read-only"));
  const auto leaf = tests::leaf<float, tt::Shape<tt::dyn>>({2});
  CHECK_THROWS_WITH(fuse(into(x) = y * 2, into(leaf) = x), Contains("not recorded") && Contains("no_grad"));
  CHECK_THROWS_WITH(fuse(into(x) = y * 2, into(x) = leaf.detach() + leaf), Contains("not recorded"));
  CHECK_THROWS_WITH(fuse(into(x) = Vector<float>()), Contains("never given elements"));
  CHECK(values(x) == list{1, 2});
  CHECK(values(y) == list{3, 4});
  Vector<double> wide{1, 2};
  CHECK_THROWS_WITH(fuse(into(x) = x + tt::sum(leaf), into(wide) = wide * 2), Contains("not recorded"));
  CHECK_THROWS_WITH(fuse(into(wide) = wide * 2, into(x) = tt::to<float>(tt::to<int>(x)) * leaf), Contains("not recorded"));
  CHECK(values(wide) == list{1, 2});
  const auto version = x.version();
  const auto waiting = x + 1;
  CHECK_THROWS(fuse(into(x) = y * 2, into(y) = three + 1));
  CHECK(x.version() == version);
  CHECK(values(waiting) == list{2, 3});
  const auto stale = x * 2;
  x += 1;
  CHECK_THROWS_WITH(fuse(into(y) = stale), Contains("changed in place"));
}
TEST_CASE("fuse: expressions that wait for their evaluation notice the write", "[fuse]") {
  Vector<float> x{1, 2}, y{3, 4};
  const auto waiting = x + 1;
  fuse(into(x) = y, into(y) = x);
  CHECK_THROWS_WITH(tt::eval(waiting), Contains("changed in place"));
}
TEST_CASE("write: values take their own type before they take that of the tensor", "[write]") {
  const Vector<std::int8_t> small{100, 1};
  const Vector<std::int64_t> wide{0, 0};
  wide.copy_(small + small);
  CHECK(values(wide) == list{-56, 2});
  const Vector<tt::half> one{tt::half(1.0f)}, little{tt::half(0.0001f)};
  const Vector<float> f{0};
  f.copy_(one + little);
  CHECK(values(f) == list{1});
}
