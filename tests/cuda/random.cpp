// What a device draws is what the CPU draws, wherever in a stream it begins and wherever it is put.
#include <tt/cuda/random.hpp>

#include "cuda/device_test.hpp"

#include <cstring>
#include <limits>

namespace philox = tt::philox;

namespace {

/// How many numbers of the type lie between two; 0 for equal bits.
template <class Value>
std::int64_t steps_apart(Value a, Value b) {
  if constexpr (std::is_integral_v<Value>) {
    return a == b ? 0 : std::numeric_limits<std::int64_t>::max();
  } else {
    using Bits = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;
    const auto place = [](Value x) {
      Bits bits;
      std::memcpy(&bits, &x, sizeof bits);
      return bits < 0 ? std::int64_t(std::numeric_limits<Bits>::min()) - bits : std::int64_t(bits);
    };
    return std::abs(place(a) - place(b));
  }
}

/// Bits and uniform numbers are the same; log, sin and cos may differ.
template <class Distribution>
inline constexpr int allowed_steps = 0;
template <class Real>
inline constexpr int allowed_steps<philox::normal<Real>> = 4;
template <class Real>
inline constexpr int allowed_steps<philox::exponential<Real>> = 4;

/// Draws `count` numbers from the `first` one on to the element `shift` of an array, and nothing beside them.
template <class Distribution>
void check_draw(tt::index_t count, std::uint64_t seed, std::uint64_t first, int shift) {
  using Value = typename Distribution::value_type;
  INFO("count " << count << ", first " << first << ", shift " << shift);
  const Value untouched(123);
  const std::vector<Value> before(std::size_t(count) + 8, untouched);
  const DeviceArray<Value> out(before);
  tt::gpu::draw<Distribution>(out.data() + shift, count, seed, first, default_stream());
  const std::vector<Value> got = out.host();
  std::vector<Value> want = before;
  philox::fill<Distribution>(want.data() + shift, count, seed, first);
  std::int64_t worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, steps_apart(got[i], want[i]));
  REQUIRE(worst <= allowed_steps<Distribution>);
  for (int i = 0; i < shift; ++i) REQUIRE(got[std::size_t(i)] == untouched);
  for (std::size_t i = std::size_t(count + shift); i < got.size(); ++i) REQUIRE(got[i] == untouched);
}

}  // namespace

TEMPLATE_TEST_CASE("every distribution, from any number on, to any address", "[cuda]", philox::bits, philox::bits64,
                   philox::uniform<float>, philox::uniform<double>, philox::normal<float>, philox::normal<double>,
                   philox::exponential<float>, philox::exponential<double>) {
  in_every_order([] {
    if (small_sizes_only) return check_draw<TestType>(257, 0x123456789abcdefu, 3, 1);
    for (const tt::index_t count : {1, 2, 3, 4, 5, 7, 8, 9, 257})
      for (const std::uint64_t first : {0ull, 1ull, 3ull, 6ull, (1ull << 34) + 1})
        for (const int shift : {0, 1, 3}) check_draw<TestType>(count, 0x123456789abcdefu, first, shift);
    check_draw<TestType>(0, 1, 0, 2);
  });
}

TEST_CASE("more numbers than one grid has threads for", "[cuda]") {
  if (small_sizes_only) return;
  check_draw<philox::uniform<float>>(4096 * 256 * 4 + 1021, 5, 2, 1);
}

TEST_CASE("a generator goes on as if the CPU had drawn", "[cuda]") {
  tt::Generator here(7), there(7);
  for (const tt::index_t n : {5, 1, 6}) {
    std::vector<float> want(std::size_t(n), 0.f);
    here.fill<philox::uniform<float>>(want.data(), n);
    const DeviceArray<float> out(std::vector<float>(std::size_t(n), 0.f));
    tt::gpu::draw<philox::uniform<float>>(out.data(), n, there, default_stream());
    REQUIRE(out.host() == want);
    REQUIRE(there.offset() == here.offset());
    std::vector<double> wide(std::size_t(n), 0.0);
    here.fill<philox::normal<double>>(wide.data(), n);
    const DeviceArray<double> drawn(wide);
    tt::gpu::draw<philox::normal<double>>(drawn.data(), n, there, default_stream());
    REQUIRE(drawn.host()[0] == Approx(wide[0]));
    REQUIRE(there.offset() == here.offset());
  }
}

TEST_CASE("draws wait for their stream and for no other", "[cuda]") {
  in_every_order([] {
    const tt::gpu::Stream first, second;
    const DeviceArray<float> a(std::vector<float>(300, 0.f), first);
    tt::gpu::draw<philox::uniform<float>>(a.data(), 300, 3, 0, first);
    second.wait_stream(first);
    tt::gpu::draw<philox::uniform<float>>(a.data() + 100, 100, 4, 0, second);
    const auto got = a.host(second);
    for (int i = 0; i < 300; ++i) {
      const bool inner = i >= 100 && i < 200;
      const std::uint64_t at = std::uint64_t(inner ? i - 100 : i);
      REQUIRE(got[std::size_t(i)] == philox::draw<philox::uniform<float>>(inner ? 4 : 3, at));
    }
  });
}
