// Gradients that are added up where many elements meet in one.
#pragma once
#include <tt/autograd/engine.hpp>

#include <type_traits>

namespace tt::detail {

/// What numbers of a gradient are added up in: 16-bit ones in float, for half stands still at 2048.
template <class Number>
using sum_t = std::conditional_t<sizeof(Number) == 2, float, Number>;

/// A node's gradient while an operation adds to it: all its real numbers as sum_t, rounded once by store().
class Sums {
 public:
  TT_NOINLINE Sums(Engine& engine, Node* to)
      : gradient_(engine.zeroed_target(to)), type_(to->type), count_(to->size.count()) {
    if (size_of(type_) != 2) return;
    wide_ = make_storage(std::size_t(count_) * sizeof(float));
    each([](float& sum, auto& number) { sum = float(number); });
  }
  std::byte* data() const { return wide_ ? wide_->data : gradient_; }
  /// Bytes of one element's sum.
  index_t item() const { return index_t(wide_ ? sizeof(float) : size_of(type_)); }
  TT_NOINLINE void store() const {
    if (wide_) each([](float& sum, auto& number) { number = std::remove_cvref_t<decltype(number)>(sum); });
  }

 private:
  template <class Function>
  void each(Function f) const {
    visit_floating(type_, [&]<class Number>(Number) {
      if constexpr (sizeof(Number) == 2) {
        auto* const sum = reinterpret_cast<float*>(wide_->data);
        auto* const number = reinterpret_cast<Number*>(gradient_);
        for (index_t i = 0; i < count_; ++i) f(sum[i], number[i]);
      }
    });
  }

  std::byte* gradient_;
  dtype type_;
  index_t count_;
  Ref<Storage> wide_;  ///< null where the gradient itself is wide enough
};

/// The real numbers of a gradient as doubles: where they lie, or a copy, so that one loop is compiled for what
/// reads them and not one for each dtype.
class Doubles {
 public:
  TT_NOINLINE Doubles(const std::byte* from, dtype type, index_t elements) : data_(reinterpret_cast<const double*>(from)) {
    if (real_dtype(type) == dtype::float64) return;
    const index_t n = elements * parts_of(type);
    copy_ = make_storage(std::size_t(n) * sizeof(double));
    auto* to = reinterpret_cast<double*>(copy_->data);
    data_ = to;
    visit_floating(real_dtype(type), [&]<class Number>(Number) {
      for (index_t i = 0; i < n; ++i) to[i] = double(reinterpret_cast<const Number*>(from)[i]);
    });
  }
  double operator[](index_t i) const { return data_[i]; }
  const double* data() const { return data_; }

 private:
  const double* data_;
  Ref<Storage> copy_;
};
/// to[i * step] += sum[i] for the real numbers of a gradient, rounded once.
TT_NOINLINE inline void add_doubles(std::byte* to, dtype type, index_t step, const double* sum, index_t n) {
  visit_floating(real_dtype(type), [&]<class Number>(Number) {
    auto* number = reinterpret_cast<Number*>(to);
    for (index_t i = 0; i < n; ++i) number[i * step] = Number(double(number[i * step]) + sum[i]);
  });
}

/// sums[to[i]] += gradient[from[i]] for i < count; a null pointer stands for i itself.
TT_NOINLINE inline void add_by_positions(const Sums& sums, const index_t* to, const std::byte* gradient,
                                         const index_t* from, index_t count, dtype type) {
  const index_t parts = parts_of(type);
  visit_floating(real_dtype(type), [&]<class Number>(Number) {
    auto* const sum = reinterpret_cast<sum_t<Number>*>(sums.data());
    const auto* const g = reinterpret_cast<const Number*>(gradient);
    for (index_t i = 0; i < count; ++i) {
      const index_t a = (to ? to[i] : i) * parts, b = (from ? from[i] : i) * parts;
      for (index_t part = 0; part < parts; ++part) sum[a + part] += g[b + part];
    }
  });
}

/// to[i * to_step] += from[i * from_step], as add_gradient(), where `to` are sums.
TT_NOINLINE inline void add_to_sums(std::byte* to, const std::byte* from, dtype type, index_t n, index_t to_step,
                                    index_t from_step) {
  if (size_of(type) != 2) return add_gradient(to, from, type, n, to_step, from_step);
  visit_floating(type, [&]<class Number>(Number) {
    if constexpr (sizeof(Number) == 2) {
      auto* sum = reinterpret_cast<float*>(to);
      const auto* g = reinterpret_cast<const Number*>(from);
      for (index_t i = 0; i < n; ++i) sum[i * to_step] += float(g[i * from_step]);
    }
  });
}

}  // namespace tt::detail
