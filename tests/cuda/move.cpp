// Moves on the device put each element where the CPU's put it, and touch no other.
#include <tt/cuda/move.hpp>

#include "cuda/device_test.hpp"

#include <numeric>

using tt::index_t, tt::detail::Move;

namespace {

struct Axis {
  index_t extent, from, to;
};
Move move_of(std::initializer_list<Axis> axes, index_t from_at = 0, index_t to_at = 0) {
  Move m;
  m.from_at = from_at, m.to_at = to_at;
  for (const Axis& a : axes) m.push_back(a.extent, a.from, a.to);
  return m;
}
/// The permutation of a row-major tensor: axis i of the result is axis order[i] of x.
Move permuted(const std::vector<index_t>& extent, const std::vector<int>& order) {
  std::vector<index_t> stride(extent.size());
  index_t n = 1;
  for (std::size_t i = extent.size(); i-- > 0;) stride[i] = n, n *= extent[i];
  Move m;
  for (const int axis : order) m.push_back(extent[std::size_t(axis)], stride[std::size_t(axis)], 0);
  index_t to = 1;
  for (int i = m.size.rank - 1; i >= 0; --i) m.to[i] = to, to *= m.size.extent[i];
  return m;
}

/// One past the last place that a layout reaches. @pre the first place is not negative
index_t reach(const tt::dims& size, const index_t* stride, index_t at) {
  for (int i = 0; i < size.rank; ++i) at += (std::max)(stride[i], index_t(0)) * (size.extent[i] - 1);
  return at + 1;
}

/// The CPU's move.
void run_here(const Move& m, const void* from, void* to, std::size_t item) {
  tt::detail::run_move(tt::detail::merged(m), static_cast<const std::byte*>(from), static_cast<std::byte*>(to), item);
}

void check_move(const Move& m, std::size_t item) {
  INFO("from " << m.size.rank << " axes, item " << item);
  std::vector<std::uint8_t> from(std::size_t((std::max)(reach(m.size, m.from, m.from_at), index_t(1))) * item);
  std::iota(from.begin(), from.end(), std::uint8_t(1));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::uint8_t(from[i] * 31 + i / 256);
  std::vector<std::uint8_t> want((std::size_t((std::max)(reach(m.size, m.to, m.to_at), index_t(1))) + 3) * item, 0xee);
  const DeviceArray<std::uint8_t> source(from), target(want);
  tt::gpu::detail::run_move(m, source.data(), target.data(), item, default_stream());
  run_here(m, from.data(), want.data(), item);
  REQUIRE(target.host() == want);
}
void check_all_items(const Move& m) {
  for (const std::size_t item : {1u, 2u, 4u, 8u, 16u}) check_move(m, item);
}

}  // namespace

TEST_CASE("matrices of all shapes, transposed", "[cuda]") {
  in_every_order([] {
    if (small_sizes_only) return check_move(permuted({33, 31}, {1, 0}), 8);
    const std::vector<index_t> shapes[] = {{1, 1}, {1, 40}, {40, 1}, {2, 3}, {31, 33}, {32, 32}, {64, 33}, {100, 7}};
    for (const auto& shape : shapes) check_all_items(permuted(shape, {1, 0}));
  });
}

TEST_CASE("every permutation of three and four axes", "[cuda]") {
  if (small_sizes_only) return check_move(permuted({2, 5, 3}, {2, 0, 1}), 4);
  in_every_order([] {
    std::vector<int> order{0, 1, 2};
    do check_all_items(permuted({5, 37, 3}, order));
    while (std::next_permutation(order.begin(), order.end()));
    order = {0, 1, 2, 3};
    do check_move(permuted({3, 2, 34, 5}, order), 4);
    while (std::next_permutation(order.begin(), order.end()));
  });
}

TEST_CASE("steps, flips, repeated elements, offsets, no elements", "[cuda]") {
  in_every_order([] {
    check_move(move_of({}), 4);
    check_move(move_of({{7, 1, 1}}, 2, 3), 2);
    check_move(move_of({{4, 0, 1}, {0, 1, 1}}), 4);
    check_move(move_of({{9, -1, 1}}, 8, 0), 4);
    if (small_sizes_only) return;
    check_all_items(move_of({{5, 20, 3}, {3, 2, 1}}, 1, 2));       // a slice with a step
    check_all_items(move_of({{6, -7, 7}, {7, -1, 1}}, 41, 0));     // both axes flipped
    check_all_items(move_of({{6, 0, 7}, {7, 1, 1}}));              // a row repeated
    check_all_items(move_of({{6, 1, 7}, {7, 0, 1}}));              // a column repeated
    check_all_items(move_of({{4, 50, 1}, {50, 1, 4}}));            // written in the order of the source
    check_all_items(move_of({{3, 1, 64}, {4, 3, 16}, {5, 40, 2}})); // gaps in both
    check_move(move_of({{40, -1, 40}, {40, 40, 1}}, 39, 0), 4);    // transposed and flipped: no neighbours
  });
}

TEST_CASE("sixteen axes", "[cuda]") {
  if (small_sizes_only) return;
  std::vector<index_t> extent(16, 1);
  std::vector<int> order(16);
  std::iota(order.begin(), order.end(), 0);
  for (const std::size_t i : {0u, 2u, 3u, 7u, 8u, 11u, 13u, 15u}) extent[i] = 2;
  check_move(permuted(extent, order), 4);
  std::reverse(order.begin(), order.end());
  check_move(permuted(extent, order), 4);
  extent.assign(16, 2);
  check_move(permuted(extent, order), 1);
}

TEST_CASE("indices of 64 bits, and fewer threads than elements", "[cuda]") {
  const Move m = tt::gpu::detail::by_destination(permuted({5, 3, 4}, {1, 2, 0}));
  std::vector<int> from(60), want(60, -1);
  std::iota(from.begin(), from.end(), 0);
  run_here(m, from.data(), want.data(), sizeof(int));
  const DeviceArray<int> source(from);
  const auto check_width = [&]<class Index>(Index count) {
    const DeviceArray<int> target(std::vector<int>(60, -1));
    tt::gpu::launch(tt::gpu::detail::move_kernel<int, Index>, 1, 16, 0, nullptr, source.data(), target.data(), count,
                    tt::gpu::detail::axes_of<Index>(m));
    REQUIRE(target.host() == want);
  };
  check_width(std::uint32_t(60));
  check_width(std::uint64_t(60));
}

TEST_CASE("fewer blocks than tiles", "[cuda]") {
  in_every_order([] {
    const Move m = permuted({3, 70, 40}, {0, 2, 1});
    std::vector<int> from(3 * 70 * 40), want(from.size(), -1);
    std::iota(from.begin(), from.end(), 0);
    const DeviceArray<int> source(from), target(want);
    run_here(m, from.data(), want.data(), sizeof(int));
    tt::gpu::launch(tt::gpu::detail::transpose_kernel<int>, 2, dim3(32, 8), 0, nullptr, source.data(), target.data(),
                    tt::gpu::detail::transposition_of(m, 1));
    REQUIRE(target.host() == want);
  });
}
