// DataLoader: batches of a data set in memory.
#pragma once
#include <tt/core/random.hpp>
#include <tt/core/tensor.hpp>
#include <tt/dispatch/index.hpp>

#include <numeric>
#include <tuple>
#include <vector>

namespace tt::data {

struct LoaderOptions {
  index_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;   ///< leave out a last, smaller batch
  std::uint64_t seed = 0;   ///< of the shuffles; each epoch has another order
};

/// Rows of several tensors that belong together, in batches. `for (auto [x, y] : loader)` is one epoch.
/// https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
template <class... Column>
class DataLoader {
 public:
  DataLoader(const LoaderOptions& options, Column... columns) : options_(options), columns_(std::move(columns)...), generator_(options.seed) {
    if (options.batch_size < 1) fail({"tt::data::DataLoader: the batch size must be positive, not ", options.batch_size});
    std::apply([&](const auto& first, const auto&... rest) {
      static_assert(std::remove_cvref_t<decltype(first)>::shape::rank > 0, "tt::data::DataLoader: a column needs an axis of rows");
      rows_ = first.size(0);
      ((rest.size(0) == rows_ ? void() : fail({"tt::data::DataLoader: columns of ", rows_, " and ", rest.size(0), " rows"})), ...);
    }, columns_);
    order_.resize(std::size_t(rows_));
    std::iota(order_.begin(), order_.end(), index_t(0));
  }

  index_t rows() const { return rows_; }
  /// Batches in one epoch.
  index_t size() const { return options_.drop_last ? rows_ / options_.batch_size : (rows_ + options_.batch_size - 1) / options_.batch_size; }
  /// Rows in one epoch.
  index_t rows_per_epoch() const { return options_.drop_last ? size() * options_.batch_size : rows_; }

  struct sentinel {};
  class iterator {
   public:
    iterator(const DataLoader& l) : loader_(l) {}
    auto operator*() const { return loader_.batch(at_); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(sentinel) const { return at_ == loader_.size(); }

   private:
    const DataLoader& loader_;
    index_t at_ = 0;
  };
  /// Starts an epoch: shuffles, if asked to.
  iterator begin() {
    if (options_.shuffle)  // Fisher and Yates, from the end
      for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[std::size_t(generator_.below(i))]);
    return iterator(*this);
  }
  sentinel end() const { return {}; }

 private:
  /// The rows of batch `at` as tensors whose first extent is dynamic or named.
  auto batch(index_t at) const {
    const index_t first = at * options_.batch_size, count = (std::min)(options_.batch_size, rows_ - first);
    AnyTensor index = AnyTensor::empty(dtype::int64, {count});
    std::copy_n(order_.data() + first, count, reinterpret_cast<std::int64_t*>(index.data_ptr()));
    return std::apply([&](const Column&... column) { return std::tuple<Column...>(Column(tt::detail::run_index_select(column, 0, index, nullptr))...); }, columns_);
  }

  LoaderOptions options_;
  std::tuple<Column...> columns_;
  Generator generator_;
  index_t rows_ = 0;
  std::vector<index_t> order_;
};
template <class... Column>
DataLoader(const LoaderOptions&, Column...) -> DataLoader<Column...>;

}  // namespace tt::data
