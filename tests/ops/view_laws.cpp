// Laws of views, over chains of views drawn at random.
#include <tt/autograd/backward.hpp>

#include "../catch.hpp"
#include "../view_chains.hpp"

using tests::any_chain;
using tests::Chain;
using tests::check_law;
using tests::Draw;
using tests::positions;
using tests::same_bits;
using tests::values;
using tt::AnyTensor;
using tt::dims;
using tt::dyn;
using tt::index_t;

namespace {

AnyTensor reals(const dims& size, std::uint64_t seed) {
  return tests::numbers<double, tt::Shape<dyn>>({size.count()}, -3, 3, seed);
}

}  // namespace

TEST_CASE("view laws: a chain of views shows the elements that its positions say, and shares them", "[ops]") {
  int shared = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Draw draw(seed);
    const Chain chain = any_chain(draw);
    const AnyTensor x = tt::reshape(reals(chain.base, seed), chain.base);
    const auto base = values(x);
    const AnyTensor y = chain(x);
    const auto at = values<index_t>(chain(positions(chain.base)));
    std::vector<double> want;
    for (index_t i : at) want.push_back(base[std::size_t(i)]);
    REQUIRE(values(y) == want);
    if (!(y.storage() == x.storage()) || y.is_expanded()) continue;
    ++shared;
    const auto before = x.version();
    const AnyTensor fresh = reals(y.sizes(), seed + 1);
    y.copy_(tt::reshape(fresh, y.sizes()));
    auto written = base;
    for (std::size_t i = 0; i < at.size(); ++i) written[std::size_t(at[i])] = values(fresh)[i];
    REQUIRE(values(x) == written);
    CHECK(x.version() == before + 1);
  }
  CHECK(shared > 1000);
}

TEST_CASE("view laws: elements of every dtype are moved whole", "[ops]") {
  for (int t = 0; t < tt::dtype_count; ++t) {
    const tt::dtype type = tt::dtype(t);
    const std::size_t item = tt::size_of(type);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Draw draw(seed + 3000);
      const Chain chain = any_chain(draw);
      const AnyTensor x = AnyTensor::empty(type, chain.base);
      const auto fill = [&](const AnyTensor& any, index_t salt) {
        for (std::size_t i = 0; i < std::size_t(any.numel()) * item; ++i)
          any.data_ptr()[i] = type == tt::dtype::boolean ? std::byte((i + std::size_t(salt)) % 2) : std::byte(i * 7 + std::size_t(salt));
      };
      fill(x, 1);
      const AnyTensor y = chain(x), packed = y.packed();
      const auto at = values<index_t>(chain(positions(chain.base)));
      for (std::size_t i = 0; i < at.size(); ++i)
        REQUIRE(std::memcmp(packed.data_ptr() + i * item, x.data_ptr() + std::size_t(at[i]) * item, item) == 0);
      if (!(y.storage() == x.storage()) || y.is_expanded()) continue;
      const AnyTensor fresh = AnyTensor::empty(type, y.sizes());
      fill(fresh, 5);
      if (tt::is_floating(type) || tt::category_of(type) == tt::category::complex) continue;  // NaN may change its bits
      y.copy_(fresh);
      for (std::size_t i = 0; i < at.size(); ++i)
        REQUIRE(std::memcmp(fresh.data_ptr() + i * item, x.data_ptr() + std::size_t(at[i]) * item, item) == 0);
    }
  }
}

TEST_CASE("view laws: the gradient of a chain of views is added where its positions say", "[ops]") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Draw draw(seed + 5000);
    const Chain chain = any_chain(draw);
    const AnyTensor x = tt::reshape(reals(chain.base, seed), chain.base);
    x.requires_grad_();
    const AnyTensor y = chain(x);
    const AnyTensor g = reals(y.sizes(), seed + 1);
    tt::detail::backward_from(y, tt::reshape(g, y.sizes()), false);
    std::vector<double> want(std::size_t(x.numel()));
    const auto at = values<index_t>(chain(positions(chain.base)));
    for (std::size_t i = 0; i < at.size(); ++i) want[std::size_t(at[i])] += values(g)[i];
    const auto got = values(x.grad());
    for (std::size_t i = 0; i < want.size(); ++i) REQUIRE(got[i] == Approx(want[i]).margin(1e-12));
  }
}

TEST_CASE("view laws: inverses", "[ops]") {
  const auto law = [](const char* name, auto holds) {
    check_law(name, 500, [&](Draw& draw) {
      const Chain chain = any_chain(draw);
      return holds(chain(positions(chain.base)), draw);
    });
  };
  law("permute", [](const AnyTensor& x, Draw& draw) {
    const dims order = draw.order(x.rank());
    dims back = order;
    for (int i = 0; i < x.rank(); ++i) back.extent[order.extent[i]] = i;
    return same_bits(tt::permute(tt::permute(x, order), back), x);
  });
  law("T", [](const AnyTensor& x, Draw&) { return same_bits(tt::T(tt::T(x)), x); });
  law("reshape", [](const AnyTensor& x, Draw& draw) {
    return same_bits(tt::reshape(tt::reshape(x, draw.factors(x.numel())), x.sizes()), x);
  });
  law("unsqueeze and squeeze", [](const AnyTensor& x, Draw& draw) {
    const index_t at = draw(0, x.rank());
    return same_bits(tt::squeeze(tt::unsqueeze(x, at), at), x);
  });
  law("movedim and transpose", [](const AnyTensor& x, Draw& draw) {
    const int rank = x.rank();
    if (rank == 0) return true;
    const index_t a = draw(-rank, rank - 1), b = draw(-rank, rank - 1);
    return same_bits(tt::movedim(tt::movedim(x, a, b), b, a), x) &&
           same_bits(tt::transpose(tt::transpose(x, a, b), b, a), x);
  });
  law("flatten and unflatten", [](const AnyTensor& x, Draw&) {
    return x.rank() == 0 || same_bits(tt::unflatten(tt::flatten(x, 0, -1), 0, x.sizes()), x);
  });
  law("as_strided as it is", [](const AnyTensor& x, Draw&) {
    dims stride;
    for (int i = 0; i < x.rank(); ++i) stride.push_back(x.stride(i));
    return same_bits(tt::as_strided(x, x.sizes(), stride), x);
  });
  law("windows of one", [](const AnyTensor& x, Draw& draw) {
    if (x.rank() == 0) return true;
    const index_t axis = draw(0, x.rank() - 1);
    return x.size(int(axis)) == 0 || same_bits(tt::squeeze(tt::unfold(x, axis, 1), x.rank()), x);
  });
}

TEST_CASE("view laws: the parts of an axis make up the whole", "[ops]") {
  using Matrix = tt::Shape<dyn, dyn>;
  const auto law = [](const char* name, auto parts) {
    check_law(name, 500, [&](Draw& draw) {
      const dims size = draw.extents(2, 0, 6);
      const auto x = tests::numbers<float, Matrix>(size);
      const tt::Tensor y = tt::transpose(x, 0, int(draw(0, 1)));
      const int axis = int(draw(-2, 1));
      return same_bits(tt::cat(parts(y, axis, draw), axis), y);
    });
  };
  law("split", [](const auto& y, int axis, Draw& draw) { return tt::split(y, draw(1, 7), axis); });
  law("chunk", [](const auto& y, int axis, Draw& draw) { return tt::chunk(y, draw(1, 7), axis); });
  law("tensor_split", [](const auto& y, int axis, Draw& draw) { return tt::tensor_split(y, draw(1, 7), axis); });
  law("tensor_split at a place", [](const auto& y, int axis, Draw& draw) {
    return tt::tensor_split(y, {draw(0, y.size(axis))}, axis);
  });
  law("split by sizes", [](const auto& y, int axis, Draw& draw) {
    const index_t n = y.size(axis), cut = draw(0, n);
    return tt::split(y, {cut, n - cut}, axis);
  });
  check_law("unbind and stack", 500, [](Draw& draw) {
    const auto x = tests::numbers<float, Matrix>(draw.extents(2, 1, 6));
    const int axis = int(draw(-2, 1));
    return same_bits(tt::stack(tt::unbind(x, axis), axis), x);
  });
}

// Bit for bit: what a kernel does with a view is what it does with a copy of it.
TEST_CASE("view laws: a view and its contiguous copy give the same bits", "[ops]") {
  using Matrix = tt::Shape<dyn, dyn>;
  int strided = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Draw draw(seed + 17000);
    const auto base = tests::numbers<float, tt::Shape<dyn, dyn, dyn>>({draw(1, 9), draw(1, 40), draw(1, 9)});
    AnyTensor any = tt::permute(AnyTensor(base), draw.order(3));
    any = tt::slice(any, draw(0, 2), draw(0, 1), 40, draw(1, 3));
    if (any.numel() == 0) continue;
    any = draw(0, 1) ? tt::select(any, draw(0, 2), -1) : tt::diagonal(any, 0, draw(0, 1), 2);
    if (draw(0, 4) == 0) any = tt::expand(tt::narrow(any, 0, 0, 1), {5, -1});
    strided += !any.is_contiguous();
    const auto x = any.as<float, Matrix>(), y = any.copied().as<float, Matrix>();
    CHECK(same_bits(exp(x) * 2 + x, exp(y) * 2 + y));
    CHECK(same_bits(sum(x), sum(y)));
    CHECK(same_bits(sum<0>(x * x), sum<0>(y * y)));
    CHECK(same_bits(mean<1>(x), mean<1>(y)));
    CHECK(same_bits(amax<0>(x), amax<0>(y)));
    CHECK(same_bits(sum(exp(x) * x), sum(exp(y) * y)));
    CHECK(same_bits(tt::matmul(x, tt::transpose(x)), tt::matmul(y, tt::transpose(y))));
    CHECK(same_bits(tt::matmul(tt::transpose<0, 1>(x), x), tt::matmul(tt::transpose<0, 1>(y), y)));
  }
  CHECK(strided > 150);
}

// The order in which values are joined follows from the shape: large enough here for several chunks, segments and blocks.
TEST_CASE("view laws: sums of many elements have the same bits in every layout", "[ops]") {
  for (const dims& size : {dims{3, 5, 20011}, dims{300, 7, 143}, dims{41, 8192}, dims{8192, 41}, dims{100003}}) {
    const AnyTensor x = tt::reshape(AnyTensor(tests::numbers<float, tt::Shape<dyn>>({size.count()}, -1, 2)), size);
    const auto all = [](const AnyTensor& any, auto f) {
      if (any.rank() == 1) return f(any.as<float, tt::Shape<dyn>>());
      if (any.rank() == 2) return f(any.as<float, tt::Shape<dyn, dyn>>());
      return f(any.as<float, tt::Shape<dyn, dyn, dyn>>());
    };
    const auto agree = [&](auto f) {
      const AnyTensor want = all(x, f);
      CHECK(same_bits(all(tests::scattered(x), f), want));
      CHECK(same_bits(all(tt::T(tt::T(x).copied()), f), want));
      AnyTensor wide = AnyTensor::empty(tt::dtype::float32, {size.count(), 2});
      const AnyTensor gaps = tt::reshape(tt::select(wide, 1, 1), size);
      gaps.copy_(x);
      CHECK(same_bits(all(gaps, f), want));
    };
    agree([](const auto& v) { return AnyTensor(tt::eval(sum(v))); });
    agree([](const auto& v) { return AnyTensor(tt::eval(sum(v * 3 + v))); });
    agree([](const auto& v) { return AnyTensor(tt::eval(mean<0>(v))); });
    agree([](const auto& v) { return AnyTensor(tt::eval(sum<-1>(v * v))); });
    agree([](const auto& v) { return AnyTensor(tt::eval(amax(v))); });
  }
}
