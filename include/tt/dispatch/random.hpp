// Drawing by other rules than rand and randn. Numbers follow from the generator's seed and offset alone.
#pragma once
#include <tt/core/copy.hpp>
#include <tt/dispatch/drawing.hpp>
#include <tt/expr/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace tt::detail {

inline void draw_uniform(const AnyTensor& x, double from, double to, Generator& generator) {
  if (!(from <= to)) fail({"tt::uniform_: from ", from, " to ", to, " is no range"});
  const Drawing d("uniform_", x);
  check_range("uniform_", x.dtype(), from, to);
  draw_into<philox::uniform>(d, generator);
  d.each([&](auto* p, index_t n) { place_uniform(x.dtype(), p, n, from, to); });
  d.finish();
}
inline void draw_normal(const AnyTensor& x, double mean, double std, Generator& generator) {
  if (!(std >= 0)) fail({"tt::normal_: the standard deviation must not be negative, and is ", std});
  const Drawing d("normal_", x);
  draw_into<philox::normal>(d, generator);
  d.each([&]<class Real>(Real* p, index_t n) {
    for (index_t i = 0; i < n; ++i) p[i] = Real(mean) + Real(std) * p[i];
  });
  d.finish();
}
inline void draw_exponential(const AnyTensor& x, double rate, Generator& generator) {
  if (!(rate > 0)) fail({"tt::exponential_: the rate must be positive, and is ", rate});
  const Drawing d("exponential_", x);
  draw_into<philox::exponential>(d, generator);
  d.each([&]<class Real>(Real* p, index_t n) {
    for (index_t i = 0; i < n; ++i) p[i] = p[i] / Real(rate);
  });
  d.finish();
}

/// 1 with the probability beside each element, else 0.
inline AnyTensor draw_bernoulli(const AnyTensor& probabilities, dtype type, Generator& generator) {
  if (!probabilities.defined()) no_elements("tt::bernoulli");
  if (!is_floating(probabilities.dtype()))
    fail({"tt::bernoulli: probabilities are floating numbers, not ", name_of(probabilities.dtype())});
  const index_t n = probabilities.numel();
  const AnyTensor p = copied_as(probabilities, dtype::float64), u = AnyTensor::empty(dtype::float64, {n});
  auto* chance = reinterpret_cast<double*>(p.data_ptr());
  auto* drawn = reinterpret_cast<double*>(u.data_ptr());
  generator.fill<philox::uniform<double>>(drawn, n);
  for (index_t i = 0; i < n; ++i) {
    if (!(chance[i] >= 0 && chance[i] <= 1)) fail({"tt::bernoulli: ", chance[i], " is no probability"});
    chance[i] = drawn[i] < chance[i];
  }
  return type == dtype::float64 ? p : copied_as(p, type);
}

inline AnyTensor draw_integers(dtype type, std::int64_t low, std::int64_t high, const dims& size, Generator& generator) {
  if (low >= high) fail({"tt::randint: there is no integer from ", low, " below ", high});
  visit(type, [&]<class Type>(Type) {
    for (const std::int64_t end : {low, high - 1})
      if (converted<std::int64_t>(converted<Type>(end)) != end)
        fail({"tt::randint: ", end, " is no number of the dtype ", name_of(type)});
  });
  return create_wide<std::int64_t>("randint", type, size, [&](std::int64_t* p, index_t n) {
    const std::uint64_t span = std::uint64_t(high) - std::uint64_t(low);
    generator.fill<philox::bits64>(reinterpret_cast<std::uint64_t*>(p), n);
    for (index_t i = 0; i < n; ++i) p[i] = std::int64_t(std::uint64_t(low) + high_product(std::uint64_t(p[i]), span));
  });
}

/// Fisher and Yates, from the last place to the first.
inline AnyTensor draw_permutation(index_t n, Generator& generator) {
  if (n < 0) fail({"tt::randperm: there is no order of ", n, " elements"});
  return run_create("randperm", dtype::int64, {n}, [&](const AnyTensor& out) {
    auto* p = reinterpret_cast<std::int64_t*>(out.data_ptr());
    std::iota(p, p + n, 0);
    for (index_t i = n; i > 1; --i) std::swap(p[i - 1], p[generator.below(std::uint64_t(i))]);
  });
}

/// Positions drawn by weight, row by row. Without replacement those of the smallest of exponential numbers divided by the
/// weights, which come in the order and with the chances of drawing one after the other (Efraimidis and Spirakis 2006);
/// the quotients are compared by their logarithms, for they may overflow.
inline AnyTensor draw_multinomial(const AnyTensor& weights, index_t samples, bool replacement, Generator& generator) {
  if (!weights.defined()) no_elements("tt::multinomial");
  if (weights.rank() < 1 || weights.rank() > 2)
    fail({"tt::multinomial: weights are a vector or rows of a matrix, and these have the extents ", weights.sizes()});
  if (!is_floating(weights.dtype()))
    fail({"tt::multinomial: weights are floating numbers, not ", name_of(weights.dtype())});
  const index_t columns = weights.size(-1), rows = weights.rank() == 2 ? weights.size(0) : 1;
  if (samples <= 0) fail({"tt::multinomial: ", samples, " samples cannot be drawn"});
  if (!replacement && samples > columns)
    fail({"tt::multinomial: ", samples, " of ", columns, " positions cannot be drawn without replacement"});
  dims size = weights.sizes();
  size[-1] = samples;
  const AnyTensor wide = copied_as(weights, dtype::float64), out = AnyTensor::empty(dtype::int64, size);
  std::vector<double> number(std::size_t(replacement ? samples : columns)), sum(static_cast<std::size_t>(columns));
  std::vector<index_t> order(static_cast<std::size_t>(columns));
  auto* to = reinterpret_cast<std::int64_t*>(out.data_ptr());
  for (index_t row = 0; row < rows; ++row, to += samples) {
    const auto* w = reinterpret_cast<const double*>(wide.data_ptr()) + row * columns;
    double total = 0;
    index_t possible = 0;
    for (index_t i = 0; i < columns; ++i) {
      if (!(w[i] >= 0 && w[i] < std::numeric_limits<double>::infinity()))
        fail({"tt::multinomial: weights must be finite and not negative, and one is ", w[i]});
      sum[std::size_t(i)] = total += w[i];
      possible += w[i] > 0;
    }
    if (!(total < std::numeric_limits<double>::infinity())) fail("tt::multinomial: the sum of the weights is not finite");
    if (possible < (replacement ? 1 : samples))
      fail({"tt::multinomial: only ", possible, " of the weights are positive, and ", samples, " samples are wanted"});
    if (replacement) {
      // A part of a subnormal total would be rounded, up to the total itself, which lies behind every position.
      const double scale = total < 0x1p-500 ? 0x1p500 : 1;
      for (double& end : sum) end *= scale;
      generator.fill<philox::uniform<double>>(number.data(), samples);
      for (index_t s = 0; s < samples; ++s)
        to[s] = std::upper_bound(sum.begin(), sum.end(), number[std::size_t(s)] * (total * scale)) - sum.begin();
    } else {
      generator.fill<philox::exponential<double>>(number.data(), columns);
      for (index_t i = 0; i < columns; ++i)
        number[std::size_t(i)] =
            w[i] > 0 ? std::log(number[std::size_t(i)]) - std::log(w[i]) : std::numeric_limits<double>::infinity();
      std::iota(order.begin(), order.end(), index_t(0));
      std::partial_sort(order.begin(), order.begin() + samples, order.end(),
                        [&](index_t a, index_t b) { return number[std::size_t(a)] < number[std::size_t(b)]; });
      std::copy_n(order.begin(), samples, to);
    }
  }
  return out;
}

/// What dropout multiplies by: 0 with probability p, else 1 / (1 - p).
inline AnyTensor draw_dropout(dtype type, const dims& size, double p, Generator& generator) {
  const AnyTensor out = AnyTensor::empty(type, size);
  const Drawing d("dropout", out);
  draw_into<philox::uniform>(d, generator);
  const double kept = p < 1 ? 1 / (1 - p) : 0;
  d.each([&]<class Real>(Real* u, index_t n) {
    for (index_t i = 0; i < n; ++i) u[i] = double(u[i]) < p ? Real(0) : Real(kept);
  });
  d.finish();
  return out;
}

}  // namespace tt::detail

namespace tt {

inline Vector<std::int64_t> randperm(index_t n, Generator& generator) {
  return Vector<std::int64_t>(detail::draw_permutation(n, generator));
}

}  // namespace tt
