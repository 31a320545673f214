// explain(): what it says is what evaluation then does.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <tt/explain.hpp>

#include <sstream>

using tests::leaf;
using tests::numbers;
using tt::explain;
using tt::Explanation;
using Square = tt::Shape<tt::dyn, tt::dyn>;
using list = std::vector<std::string>;

namespace {

/// The kind and the outermost op of each kernel that runs, and the bytes of its result.
struct Recorder final : tt::DispatchHandler {
  list seen;
  std::vector<double> written;
  tt::AnyTensor operator()(const tt::Call& call, tt::Next next) override {
    seen.push_back(std::string(call.kind) + ' ' + std::string(call.names[0]));
    tt::AnyTensor out = next();
    written.push_back(double(out.numel()) * double(tt::size_of(out.dtype())));
    return out;
  }
};

/// Explains, evaluates, and compares: kernels in their order, what they write, the type and extents of the result.
template <class Make>
Explanation check(const char* what, Make&& make) {
  INFO(what);
  const auto e = make();
  Explanation said = explain(e);
  Recorder recorder;
  const tt::include_dispatch_key guard(tt::dispatch_key::profiler, recorder);
  const tt::Tensor result = e;
  list kernels;
  std::vector<double> written;
  for (const auto& k : said.kernels) {
    const auto second = k.name.find(' ', k.name.find(' ') + 1);
    kernels.push_back(k.name.substr(0, second));
    written.push_back(k.bytes_written);
    CHECK(k.bytes_read >= 0);
  }
  CHECK(kernels == recorder.seen);
  CHECK(written == recorder.written);
  CHECK(said.tree.at(0).size == result.sizes());
  CHECK(said.tree.at(0).type == result.dtype());
  CHECK(explain(result).kernels.empty());
  return said;
}
#define CHECK_EXPLAINED(expression) check(#expression, [&] { return expression; })

const auto a = numbers<float, Square>({4, 6}), b = numbers<float, Square>({6, 3}, -3, 3, 2), row = numbers<float, Square>({1, 6});
const auto bias = numbers<float, tt::Shape<tt::dyn>>({3});

}  // namespace

TEST_CASE("explain: the kernels are those that run", "[explain]") {
  CHECK_EXPLAINED(a + a);
  CHECK_EXPLAINED(tanh(a * row + 1) * a);
  CHECK_EXPLAINED(tt::where(a > 0, a, -row));
  CHECK_EXPLAINED(tt::sum(a));
  CHECK_EXPLAINED(tt::sum<0>(a * row));
  CHECK_EXPLAINED(tt::amax<1>(exp(a), tt::keepdim));
  CHECK_EXPLAINED(tt::argmax<1>(a * 2));
  CHECK_EXPLAINED(a - tt::mean<1>(square(a), tt::keepdim));
  CHECK_EXPLAINED(tt::matmul(a, b));
  CHECK_EXPLAINED(tt::matmul(a, b) + bias);
  CHECK_EXPLAINED(relu(tt::matmul(a, b) + bias));
  const tt::Vector<float> one{1};  // stretched over the columns: it does not join the product
  CHECK_EXPLAINED(relu(tt::matmul(a, b) + one));
  CHECK_EXPLAINED(tt::matmul(a, b) + one);
  CHECK_EXPLAINED(tanh(tt::matmul(a, b)));
  CHECK_EXPLAINED(tt::matmul(tt::transpose(a), a) * 2);
  CHECK_EXPLAINED(tt::matmul(tt::transpose(b), tt::transpose(a)));
  CHECK_EXPLAINED(tt::matmul(a, tt::select<1>(b, 0)));
  CHECK_EXPLAINED(tt::matmul(tt::select<0>(a, 0), b));
  CHECK_EXPLAINED(tt::to<double>(a) * 2 + tt::to<double>(a * 2));
}
TEST_CASE("explain: products of stacks, and what is used twice", "[explain]") {
  using Stack = tt::Shape<tt::dyn, tt::dyn, tt::dyn>;
  const auto x = numbers<double, Stack>({2, 3, 4}), y = numbers<double, Stack>({1, 4, 5});
  const auto said = CHECK_EXPLAINED(tt::matmul(x, y) + 1);
  CHECK(said.kernels[0].flops == 2 * 2 * 3 * 4 * 5);
  const auto h = tt::matmul(a, b);
  CHECK(explain(h * h + tt::sum(h)).kernels.size() == 3);
  CHECK_EXPLAINED(h * h + tt::sum(h));
  CHECK(explain(relu(h)).kernels.size() == 1);
  CHECK(explain(relu(h)).kernels[0].name == "map relu");
}
TEST_CASE("explain: 16-bit and small whole numbers store what they round", "[explain]") {
  const auto h = numbers<tt::half, Square>({4, 6});
  const auto u = numbers<std::uint8_t, Square>({4, 6}, 0, 100);
  CHECK(CHECK_EXPLAINED(h * h + h).kernels.size() == 2);
  CHECK(CHECK_EXPLAINED(u * u + u).kernels.size() == 2);
  CHECK(CHECK_EXPLAINED(h * h).kernels[0].bytes_read == 4 * 6 * 2);
}
TEST_CASE("explain: tracked operands and views of them", "[explain]") {
  const auto w = leaf<float, Square>({6, 3});
  CHECK_EXPLAINED(relu(tt::matmul(a, w) + bias));
  CHECK_EXPLAINED(tt::amax(w * 2));
  CHECK(!w.grad().defined());
}
TEST_CASE("explain: flops, bytes and limits", "[explain]") {
  const auto said = explain(relu(tt::matmul(a, b) + bias));
  REQUIRE(said.kernels.size() == 1);
  CHECK(said.flops() == 4 * 3 * (2 * 6 + 2));
  CHECK(said.kernels[0].bytes_read == 4 * (4 * 6 + 6 * 3 + 3));
  CHECK(said.kernels[0].bytes_written == 4 * 4 * 3);
  CHECK(said.bytes() == 4 * (4 * 6 + 6 * 3 + 3 + 4 * 3));
  CHECK(said.kernels[0].limited_by(said.machine) == tt::limit::call);
  CHECK(said.seconds() == said.machine.seconds_per_kernel);

  CHECK(explain(a * a).bytes() == 2 * 4 * 4 * 6);      // a is read once
  CHECK(explain(a * row).bytes() == 4 * (2 * 4 * 6 + 6));  // and a row once, not for every row
  CHECK(explain(exp(a)).flops() == 20 * 4 * 6);

  const tt::Machine slow_memory{.bytes_per_second = 1e3}, slow_arithmetic{.flops_per_second = 1e3};
  CHECK(explain(a + a, slow_memory).kernels[0].limited_by(slow_memory) == tt::limit::memory);
  CHECK(explain(a + a, slow_arithmetic).kernels[0].limited_by(slow_arithmetic) == tt::limit::arithmetic);
  CHECK(explain(a + a, slow_memory).seconds() == Approx(2 * 4 * 4 * 6 / 1e3));
}
TEST_CASE("explain: nothing at all, single elements, and what has no elements", "[explain]") {
  const tt::Tensor<float, Square> none(tt::dims{0, 6});
  CHECK(explain(none * 2).flops() == 0);
  CHECK(explain(tt::sum(none)).kernels.size() == 1);
  const tt::Tensor<float, tt::Shape<>> one = tt::sum(a);
  CHECK(explain(one + 1).bytes() == 8);
  CHECK(explain(one).kernels.empty());
  const auto stale = one + 1;
  one.fill_(3);
  CHECK_NOTHROW(explain(one + 1));
  CHECK_THROWS_AS(explain(tt::sum(stale)), tt::Error);
}
TEST_CASE("explain: as text", "[explain]") {
  std::ostringstream out;
  out << explain(tanh(a * row) + 1);
  CHECK(out.str() ==
        "add                             float32 [4, 6]              #1\n"
        "  tanh                          float32 [4, 6]\n"
        "    mul                         float32 [4, 6]\n"
        "      tensor                    float32 [4, 6]\n"
        "      tensor                    float32 [1, 6]\n"
        "  number                        int64 []\n"
        "#1 map add tanh mul: 528 flop, reads 120 B, writes 96 B, at least 50 ns, limited by the call itself\n"
        "in all: 1 kernel, 528 flop, 216 B, at least 50 ns\n");
}
