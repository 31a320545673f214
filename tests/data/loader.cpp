#include <tt/data.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <algorithm>
#include <set>

using tt::dim;
using tt::dims;
using tt::dyn;
using tt::index_t;
using tt::Shape;
using tt::data::DataLoader;
using Images = tt::Tensor<float, Shape<dim("batch"), 2>>;
using Labels = tt::Vector<std::int64_t>;

/// Row r holds r and -r; its label is r.
std::pair<Images, Labels> rows(index_t n) {
  Images x(dims{n, 2});
  Labels y(dims{n});
  for (index_t r = 0; r < n; ++r) x(r, 0) = float(r), x(r, 1) = float(-r), y(r) = r;
  return {x, y};
}
/// The labels of one epoch, in order; rows and labels must belong together.
template <class Loader>
std::vector<std::int64_t> epoch(Loader& loader, std::vector<index_t>* sizes = nullptr) {
  std::vector<std::int64_t> seen;
  index_t batches = 0;
  for (auto [x, y] : loader) {
    ++batches;
    if (sizes) sizes->push_back(y.numel());
    for (index_t i = 0; i < y.numel(); ++i) {
      CHECK((x(i, 0) == float(y(i)) && x(i, 1) == -float(y(i))));
      seen.push_back(y(i));
    }
  }
  CHECK(batches == loader.size());
  CHECK(index_t(seen.size()) == loader.rows_per_epoch());
  return seen;
}
std::vector<std::int64_t> in_order(index_t n) {
  std::vector<std::int64_t> all;
  for (index_t i = 0; i < n; ++i) all.push_back(i);
  return all;
}

TEST_CASE("loader: every row once an epoch, in order unless shuffled", "[data]") {
  const auto [x, y] = rows(10);
  std::vector<index_t> sizes;
  DataLoader loader({.batch_size = 4}, x, y);
  CHECK(loader.rows() == 10);
  CHECK(epoch(loader, &sizes) == in_order(10));
  CHECK(sizes == std::vector<index_t>{4, 4, 2});
  CHECK(epoch(loader) == in_order(10));
}

TEST_CASE("loader: a shuffled epoch has every row once, differs from the last, and repeats by seed", "[data]") {
  const auto [x, y] = rows(50);
  DataLoader loader({.batch_size = 7, .shuffle = true, .seed = 3}, x, y);
  std::set<std::vector<std::int64_t>> epochs{in_order(50)};
  std::vector<std::vector<std::int64_t>> orders;
  for (int i = 0; i < 5; ++i) {
    orders.push_back(epoch(loader));
    auto sorted = orders.back();
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == in_order(50));
    CHECK(epochs.insert(orders.back()).second);
  }
  DataLoader again({.batch_size = 20, .shuffle = true, .seed = 3}, x, y);  // the batch size is no part of it
  for (const auto& order : orders) CHECK(epoch(again) == order);
  DataLoader other({.batch_size = 7, .shuffle = true, .seed = 4}, x, y);
  CHECK(epoch(other) != orders[0]);
  tt::manual_seed(9);  // nor is the thread's generator
  DataLoader third({.batch_size = 7, .shuffle = true, .seed = 3}, x, y);
  CHECK(epoch(third) == orders[0]);
}

TEST_CASE("loader: each row comes first about equally often", "[data]") {
  const auto [x, y] = rows(5);
  DataLoader loader({.batch_size = 5, .shuffle = true, .seed = 1}, x, y);
  int first[5]{};
  for (int i = 0; i < 1000; ++i) ++first[epoch(loader)[0]];
  for (int count : first) CHECK((count > 150 && count < 250));
}

TEST_CASE("loader: drop_last leaves a smaller batch out", "[data]") {
  const auto [x, y] = rows(10);
  DataLoader loader({.batch_size = 4, .drop_last = true}, x, y);
  CHECK(epoch(loader) == in_order(8));
  DataLoader even({.batch_size = 5, .drop_last = true}, x, y);
  CHECK(epoch(even) == in_order(10));
  DataLoader none({.batch_size = 11, .drop_last = true}, x, y);
  CHECK(epoch(none).empty());
}

TEST_CASE("loader: a batch larger than the data, single rows, and no rows at all", "[data]") {
  const auto [x, y] = rows(3);
  for (index_t batch : {index_t(3), index_t(4), index_t(INT64_MAX)}) {
    DataLoader loader({.batch_size = batch, .shuffle = true}, x, y);
    CHECK(loader.size() == 1);
    CHECK(epoch(loader).size() == 3);
  }
  DataLoader single({}, x, y);
  CHECK(epoch(single) == in_order(3));
  const auto [no_x, no_y] = rows(0);
  DataLoader empty({.batch_size = 4, .shuffle = true}, no_x, no_y);
  CHECK(epoch(empty).empty());
}

TEST_CASE("loader: batches keep dtype and named axes; a static number of rows becomes dynamic", "[data]") {
  const tt::Tensor<std::uint8_t, Shape<4, 2, 3>> pixels = tests::numbers<std::uint8_t, Shape<4, 2, 3>>({4, 2, 3}, 0, 9);
  const tt::Tensor<bool, Shape<dim("rows")>> marks = tests::numbers<bool, Shape<dim("rows")>>({4});
  const auto wide = tests::scattered(tests::numbers<double, Shape<dyn, 5>>({4, 5}));
  DataLoader loader({.batch_size = 3}, pixels, marks, wide);
  std::vector<double> seen_pixels, seen_marks, seen_wide;
  for (auto [p, m, w] : loader) {
    static_assert(std::is_same_v<decltype(p), tt::Tensor<std::uint8_t, Shape<dyn, 2, 3>>>);
    static_assert(std::is_same_v<decltype(m), tt::Tensor<bool, Shape<dim("rows")>>>);
    static_assert(std::is_same_v<decltype(w), tt::Tensor<double, Shape<dyn, 5>>>);
    for (double v : tests::values(p)) seen_pixels.push_back(v);
    for (double v : tests::values(m)) seen_marks.push_back(v);
    for (double v : tests::values(w)) seen_wide.push_back(v);
  }
  CHECK(seen_pixels == tests::values(pixels));
  CHECK(seen_marks == tests::values(marks));
  CHECK(seen_wide == tests::values(wide));
}

TEST_CASE("loader: batches are copies, and one column comes alone", "[data]") {
  auto [x, y] = rows(4);
  DataLoader loader({.batch_size = 2}, y);
  for (auto [labels] : loader) labels(0) = 99;
  CHECK(tests::values(y) == std::vector<double>{0, 1, 2, 3});
}

TEST_CASE("loader: what does not go together is refused", "[data]") {
  const auto [x, y] = rows(4);
  const auto shorter = rows(3).second;
  CHECK_THROWS_WITH(DataLoader({}, x, shorter), "tt::data::DataLoader: columns of 4 and 3 rows");
  CHECK_THROWS_WITH(DataLoader({.batch_size = 0}, x, y),
                    "tt::data::DataLoader: the batch size must be positive, not 0");
  CHECK_THROWS_AS(DataLoader({.batch_size = -1}, x, y), tt::Error);
  CHECK_THROWS_WITH(DataLoader({}, x, Labels()), "tt::data::DataLoader: a column was never given elements");
}
