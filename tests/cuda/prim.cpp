// Sorting, scanning and runs on the device, held to the standard library's.
#include <tt/cuda/prim.hpp>

#include "cuda/device_test.hpp"
#include "cuda/workspace.hpp"

#include <numeric>

using tt::index_t;

namespace {

std::vector<std::size_t> sizes() {
  if (small_sizes_only) return {1, 33};
  return {0, 1, 2, 3, 31, 255, 256, 257, 1000, 2049};
}
/// Below `end`, many of them equal.
template <class Key>
std::vector<Key> random_keys(std::size_t n, std::uint64_t end) {
  std::vector<Key> keys(n);
  std::uint64_t state = 88172645463325252u;
  for (Key& key : keys) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    key = Key(state % end);
  }
  return keys;
}
/// DeviceArray has no element where there is none.
template <class T>
std::vector<T> padded(std::vector<T> values) {
  values.push_back(T(77));
  return values;
}

}  // namespace

TEMPLATE_TEST_CASE("pairs are sorted by the bits that count, and equal keys keep their order", "[cuda]", std::uint32_t,
                   std::uint64_t) {
  using Key = TestType;
  in_every_order([] {
    for (const std::size_t n : sizes())
      for (const int bits : {1, 5, int(8 * sizeof(Key))}) {
        const auto keys = random_keys<Key>(n, bits == 1 ? 2 : bits == 5 ? 100 : ~std::uint64_t(0));
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t(0));
        const Key mask = bits == int(8 * sizeof(Key)) ? Key(~Key(0)) : Key((Key(1) << bits) - 1);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return (keys[a] & mask) < (keys[b] & mask); });
        std::vector<Key> values(n), want_keys, want_values;
        for (std::size_t i = 0; i < n; ++i) values[i] = Key(3 * i);
        for (const std::size_t i : order) want_keys.push_back(keys[i]), want_values.push_back(values[i]);

        Workspace workspace;
        const DeviceArray<Key> from(padded(keys)), carried(padded(values));
        const DeviceArray<Key> to(padded(std::vector<Key>(n))), moved(padded(std::vector<Key>(n)));
        tt::gpu::sort_pairs(from.data(), to.data(), carried.data(), moved.data(), index_t(n), bits, workspace,
                            default_stream());
        REQUIRE(to.host() == padded(want_keys));
        REQUIRE(moved.host() == padded(want_values));
        REQUIRE(from.host() == padded(keys));
      }
  });
}

TEMPLATE_TEST_CASE("sums of what stands before", "[cuda]", std::uint32_t, std::uint64_t) {
  using Number = TestType;
  in_every_order([] {
    for (const std::size_t n : sizes()) {
      const auto numbers = random_keys<Number>(n, 1000);
      std::vector<Number> want(n);
      std::exclusive_scan(numbers.begin(), numbers.end(), want.begin(), Number(0));
      Workspace workspace;
      const DeviceArray<Number> from(padded(numbers)), to(padded(std::vector<Number>(n)));
      tt::gpu::exclusive_scan(from.data(), to.data(), index_t(n), workspace, default_stream());
      REQUIRE(to.host() == padded(want));
    }
  });
}

TEMPLATE_TEST_CASE("where runs begin, and how many", "[cuda]", std::uint32_t, std::uint64_t) {
  using Index = TestType;
  in_every_order([] {
    for (const std::size_t n : sizes())
      for (const unsigned distinct : {1u, 7u, 10000u}) {
        auto keys = random_keys<Index>(n, distinct);
        std::sort(keys.begin(), keys.end());
        std::vector<Index> want;
        for (std::size_t i = 0; i < n; ++i)
          if (i == 0 || keys[i] != keys[i - 1]) want.push_back(Index(i));
        Workspace workspace;
        const DeviceArray<Index> from(padded(keys)), starts(padded(std::vector<Index>(n))), runs(padded<Index>({5}));
        tt::gpu::run_starts(from.data(), starts.data(), runs.data(), index_t(n), workspace, default_stream());
        REQUIRE(runs.host() == padded<Index>({Index(want.size())}));
        auto got = starts.host();
        REQUIRE(got.back() == 77);
        got.resize(want.size());
        REQUIRE(got == want);
      }
  });
}

TEST_CASE("they wait for what the stream was given before", "[cuda]") {
  in_every_order([] {
    const tt::gpu::Stream stream;
    Workspace workspace(stream);
    using Words = std::vector<std::uint32_t>;
    const DeviceArray<std::uint32_t> keys(Words(4, 9)), values(Words{0, 1, 2, 3}), sorted(Words(4)), order(Words(4));
    const DeviceArray<std::uint32_t> sums(Words(4)), starts(Words(4)), runs(Words(1));
    tt::gpu::synchronize();
    tt::gpu::check(cudaMemsetAsync(keys.data() + 1, 0, 8, stream), "test");  // 9, 0, 0, 9
    const auto sorted_in_stream = [&] {
      tt::gpu::sort_pairs(keys.data(), sorted.data(), values.data(), order.data(), 4, 4, workspace, stream);
      tt::gpu::exclusive_scan(sorted.data(), sums.data(), 4, workspace, stream);
      tt::gpu::run_starts(sorted.data(), starts.data(), runs.data(), 4, workspace, stream);
    };
    sorted_in_stream();
    CHECK(order.host(stream) == Words{1, 2, 0, 3});
    CHECK(sums.host(stream) == Words{0, 0, 0, 9});
    CHECK(runs.host(stream) == Words{2});
    CHECK(starts.host(stream)[1] == 2);
  });
}
