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
  bool drop_last = false;  ///< leave out a last, smaller batch
  std::uint64_t seed = 0;  ///< of the shuffles; each epoch has another order
};

namespace detail {

/// The extents of a batch: those of the column, with any number of rows.
template <class ShapeType>
struct batch_extents {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    if (d.rank > 0 && d.extent[0] >= 0) d.extent[0] = dyn;
    return d;
  }();
};
template <class Column>
using batch_of = Tensor<value_t<Column>, shape_from<batch_extents<shape_t<Column>>>, device_t<Column>>;

}  // namespace detail

/// Rows of several tensors that belong together, in batches. `for (auto [x, y] : loader)` is one epoch.
/// https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
template <class... Column>
class DataLoader {
  static_assert(((rank_of<Column> > 0) && ...), "tt::data::DataLoader: a column needs an axis of rows");

 public:
  DataLoader(const LoaderOptions& options, const Column&... columns) : options_(options), generator_(options.seed) {
    if (options.batch_size < 1)
      fail({"tt::data::DataLoader: the batch size must be positive, not ", options.batch_size});
    for (const AnyTensor* column : std::initializer_list<const AnyTensor*>{&columns...}) {
      if (!column->defined()) fail("tt::data::DataLoader: a column was never given elements");
      if (columns_.empty()) rows_ = column->size(0);
      if (column->size(0) != rows_)
        fail({"tt::data::DataLoader: columns of ", rows_, " and ", column->size(0), " rows"});
      columns_.push_back(column->packed());  // once here, not for every batch
    }
    order_.resize(std::size_t(rows_));
    std::iota(order_.begin(), order_.end(), index_t(0));
  }

  index_t rows() const { return rows_; }
  /// Batches in one epoch.
  index_t size() const {
    const bool rest = rows_ % options_.batch_size != 0 && !options_.drop_last;
    return rows_ / options_.batch_size + (rest ? 1 : 0);
  }
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
      for (std::size_t i = order_.size(); i > 1; --i)
        std::swap(order_[i - 1], order_[std::size_t(generator_.below(i))]);
    return iterator(*this);
  }
  sentinel end() const { return {}; }

 private:
  /// The rows of batch `at` as tensors whose first extent is dynamic or named.
  auto batch(index_t at) const {
    const index_t first = at * options_.batch_size, count = (std::min)(options_.batch_size, rows_ - first);
    AnyTensor index = AnyTensor::empty(dtype::int64, {count});
    std::copy_n(order_.data() + first, count, reinterpret_cast<std::int64_t*>(index.data_ptr()));
    return [&]<std::size_t... Position>(std::index_sequence<Position...>) {
      return std::tuple(
          detail::batch_of<Column>(tt::detail::run_index_select(columns_[Position], 0, index, nullptr))...);
    }(std::index_sequence_for<Column...>{});
  }

  LoaderOptions options_;
  std::vector<AnyTensor> columns_;
  Generator generator_;
  index_t rows_ = 0;
  std::vector<index_t> order_;
};
template <class... Column>
DataLoader(const LoaderOptions&, Column...) -> DataLoader<Column...>;

}  // namespace tt::data
