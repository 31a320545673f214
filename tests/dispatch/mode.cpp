// Dispatch keys: handlers see each operation on its way, in a fixed order, and may act on it.
#include "../catch.hpp"
#include "../tensors.hpp"

#include <string>
#include <thread>

using tests::leaf;
using tests::numbers;
using tests::same_bits;
using tests::values;
using tt::dispatch_key;
using tt::dyn;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<std::string>;

namespace {

/// Writes down each call: "kind op op ..".
struct Recorder final : tt::DispatchHandler {
  list seen;
  std::size_t inputs = 0;
  tt::AnyTensor operator()(const tt::Call& call, tt::Next next) override {
    std::string text(call.kind);
    for (std::string_view name : call.names) text += ' ' + std::string(name);
    seen.push_back(text);
    inputs = call.inputs.size();
    return next();
  }
  int count(const std::string& text) const { return int(std::count(seen.begin(), seen.end(), text)); }
};

template <class Function>
list seen_by(Function&& f) {
  Recorder recorder;
  const tt::include_dispatch_key guard(dispatch_key::profiler, recorder);
  f();
  return recorder.seen;
}

const auto a = numbers<float, Matrix>({3, 3}), b = numbers<float, Matrix>({3, 3}, -3, 3, 2);

}  // namespace

TEST_CASE("modes: a handler sees every kind of operation, with the names of the ops in it", "[dispatch]") {
  CHECK(seen_by([] { tt::eval(a + b); }) == list{"map add"});
  CHECK(seen_by([] { tt::eval(exp(a * b) - 1); }) == list{"map sub exp mul"});
  CHECK(seen_by([] { tt::eval(tt::where(a > 0, a, -b)); }) == list{"map where gt neg"});
  CHECK(seen_by([] { tt::eval(tt::sum<0>(a)); }) == list{"reduce sum"});
  CHECK(seen_by([] { tt::eval(tt::mean(a * b)); }) == list{"reduce mean"});
  CHECK(seen_by([] { tt::eval(tt::argmax<1>(a)); }) == list{"reduce argmax"});
  CHECK(seen_by([] { tt::eval(tt::matmul(a, b)); }) == list{"contract matmul"});
  CHECK(seen_by([] { tt::eval(relu(tt::matmul(a, b) + tt::select<0>(a, 0))); }) ==
        list{"view select", "contract relu add matmul"});
  CHECK(seen_by([] { tt::eval(tt::matmul(a, tt::transpose(b))); }) == list{"contract matmul"});
  CHECK(seen_by([] { tt::eval(tt::transpose(b)); }) == list{"view transpose"});
  CHECK(seen_by([] { tt::slice<0>(tt::reshape<-1>(a), 0, 2); }) == list{"view reshape", "view slice"});
  CHECK(seen_by([] { tt::permute<1, 0>(a); }) == list{"view permute"});
  CHECK(seen_by([] { tt::to<double>(a); }) == list{"map copy"});
  CHECK(seen_by([] { tt::zeros<float, tt::Shape<2>>(); }) == list{"create zeros"});
  CHECK(seen_by([] { tt::rand<float, tt::Shape<2>>(); }) == list{"create rand"});
  CHECK(seen_by([] { tt::index_select<0>(a, tt::arange(2)); }) == list{"create arange", "index index_select"});
  CHECK(seen_by([] { tt::cross_entropy(a, tt::arange(3)); }) == list{"create arange", "row_loss cross_entropy"});
  CHECK(seen_by([] { a + b; }).empty());   // nothing runs before it is needed
  CHECK(seen_by([] { numbers<float, Matrix>({3, 3}) += a; }) == list{"write add"});
}

TEST_CASE("modes: what does not fuse runs, and is seen, by itself", "[dispatch]") {
  CHECK(seen_by([] { tt::eval(exp(tt::sum<0>(a)) * b); }) == list{"reduce sum", "map mul exp"});
  CHECK(seen_by([] { tt::eval(tt::matmul(a * 2, b) * a); }) == list{"map mul", "contract matmul", "map mul"});
  CHECK(seen_by([] { tt::eval((a > 0) + (b > 0)); }) == list{"map gt", "map gt", "map add"});
}

TEST_CASE("modes: a product used twice is computed once, and so is a reduction", "[dispatch]") {
  const auto w = leaf<float, Matrix>({3, 3});
  Recorder recorder;
  const tt::include_dispatch_key guard(dispatch_key::profiler, recorder);
  const auto h = tt::matmul(w, b);
  const tt::Tensor y = relu(h) + h;
  CHECK(recorder.count("contract matmul") == 1);
  CHECK(recorder.count("map add relu") == 1);
  CHECK(same_bits(y, relu(tt::Tensor(tt::matmul(w, b))) + tt::matmul(w, b)));
  recorder.seen.clear();
  const auto s = tt::sum<0>(w);
  tt::eval(w / s + s);
  tt::eval(s);
  CHECK(recorder.count("reduce sum") == 1);
  recorder.seen.clear();
  tt::eval(relu(tt::matmul(w, b)));
  CHECK(recorder.seen == list{"contract relu matmul"});
}

TEST_CASE("modes: keys run outermost first, whatever the order they were included in", "[dispatch]") {
  struct Named final : tt::DispatchHandler {
    std::string name;
    list& order;
    Named(std::string n, list& o) : name(std::move(n)), order(o) {}
    tt::AnyTensor operator()(const tt::Call&, tt::Next next) override {
      order.push_back(name);
      tt::AnyTensor y = next();
      order.push_back("/" + name);
      return y;
    }
  };
  list order;
  Named autocast("autocast", order), tracer("tracer", order), profiler("profiler", order), other("other", order);
  {
    const tt::include_dispatch_key p(dispatch_key::profiler, profiler), c(dispatch_key::autocast, autocast),
        t(dispatch_key::tracer, tracer);
    tt::eval(a + b);
    CHECK(order == list{"autocast", "tracer", "profiler", "/profiler", "/tracer", "/autocast"});
    order.clear();
    {
      const tt::exclude_dispatch_key without(dispatch_key::tracer);
      tt::eval(a + b);
      CHECK(order == list{"autocast", "profiler", "/profiler", "/autocast"});
      order.clear();
      const tt::include_dispatch_key again(dispatch_key::tracer, other);
      tt::eval(a + b);
      CHECK(order == list{"autocast", "other", "profiler", "/profiler", "/other", "/autocast"});
      order.clear();
    }
    tt::eval(a + b);
    CHECK(order.size() == 6);
    CHECK(order[1] == "tracer");
    order.clear();
  }
  tt::eval(a + b);
  CHECK(order.empty());
}

TEST_CASE("modes: a handler may replace the result, or run the operation again", "[dispatch]") {
  struct Replace final : tt::DispatchHandler {
    tt::AnyTensor operator()(const tt::Call& call, tt::Next next) override {
      if (call.names[0] == "exp") return tt::full<float, Matrix>({3, 3}, 7);
      next();
      return next();
    }
  } replace;
  const tt::include_dispatch_key guard(dispatch_key::autocast, replace);
  CHECK(values(tt::eval(exp(a))) == std::vector<double>(9, 7));
  const tt::Tensor y = a + b;
  const tt::exclude_dispatch_key off(dispatch_key::autocast);
  CHECK(same_bits(y, a + b));
}

TEST_CASE("modes: a handler may use tensors, sees its inputs, and is restored after an error", "[dispatch]") {
  struct Checks final : tt::DispatchHandler {
    int calls = 0;
    double total = 0;
    tt::AnyTensor operator()(const tt::Call& call, tt::Next next) override {
      ++calls;
      for (const tt::AnyTensor* t : call.inputs)
        if (t) total += values(tt::sum(tt::Matrix<float>(*t)))[0];   // an operation inside: not seen again
      if (call.names[0] == "neg") throw tt::Error("refused");
      return next();
    }
  } checks;
  const double want = values(tt::sum(a))[0] + values(tt::sum(b))[0];
  const tt::include_dispatch_key guard(dispatch_key::tracer, checks);
  tt::eval(a * 2 + b);
  CHECK(checks.calls == 1);
  CHECK(checks.total == Approx(want));
  checks.calls = 0;
  CHECK_THROWS_WITH(tt::eval(-a), Contains("refused"));
  tt::eval(a + b);
  CHECK(checks.calls == 2);
}

TEST_CASE("modes: belong to the thread that included them", "[dispatch]") {
  Recorder recorder;
  const tt::include_dispatch_key guard(dispatch_key::profiler, recorder);
  std::thread([] { tt::eval(a + b); }).join();
  CHECK(recorder.seen.empty());
}

TEST_CASE("modes: recorded operations and their backward are as without", "[dispatch]") {
  const auto run = [] {
    const auto x = leaf<double, Matrix>({4, 4});
    tt::backward(sum(relu(tt::matmul(x, x)) * tanh(x)));
    return values(x.grad());
  };
  Recorder recorder;
  const auto want = run();
  const tt::include_dispatch_key guard(dispatch_key::tracer, recorder);
  CHECK(run() == want);
  CHECK_FALSE(recorder.seen.empty());
}
