// Cross-entropy of rows in one pass each way. As a composite it is five nodes and the scores are read four times: small
// steps, as train/mlp64-32-10 of bench/peers, are where it shows.
#pragma once
#include <tt/cpu/simd.hpp>
#include <tt/expr/rows.hpp>

#include <limits>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// Rows of classes, whatever their number, as whole packets: spare lanes hold `fill`.
template <class Number>
TT_INLINE simd<Number> load_part(const Number* p, index_t n, Number fill) {
  constexpr int width = simd<Number>::width;
  if (n >= width) return simd<Number>::load(p);
  Number lane[width];
  for (int j = 0; j < width; ++j) lane[j] = j < n ? p[j] : fill;
  return simd<Number>::load(lane);
}

template <class Number>
void cross_entropy_forward(const std::byte* scores, const std::int64_t* label, std::int64_t ignored, std::byte* log_total,
                           std::byte* loss, index_t rows, index_t classes) {
  using V = simd<Number>;
  constexpr Number lowest = -std::numeric_limits<Number>::infinity();
  const auto* z = reinterpret_cast<const Number*>(scores);
  auto* total = reinterpret_cast<Number*>(log_total);
  auto* out = reinterpret_cast<Number*>(loss);
  for (index_t r = 0; r < rows; ++r, z += classes) {
    V most(lowest);
    for (index_t i = 0; i < classes; i += V::width) {
      const V part = load_part(z + i, classes - i, lowest);
      most = choose(less(most, part) + (V(1) - equal(part, part)), part, most);
    }
    Number lane[V::width], top = lowest;
    most.store(lane);
    for (Number x : lane) top = x > top || x != x ? x : top;
    V sum(0);
    const Number vanishing = top - (sizeof(Number) == 8 ? 700 : 80);  // adds nothing to a sum of at least 1, and exp is fast there
    for (index_t i = 0; i < classes; i += V::width) sum = sum + exp(load_part(z + i, classes - i, vanishing) - V(top));
    sum.store(lane);
    Number s = 0;
    for (Number x : lane) s += x;
    total[2 * r] = top;  // the two are never added: beside a large maximum the logarithm would lose its digits
    total[2 * r + 1] = std::log(s);
    out[r] = label[r] == ignored ? Number(0) : total[2 * r + 1] + (top - z[label[r]]);
  }
}

template <class Number>
void cross_entropy_backward(const std::byte* scores, const std::int64_t* label, std::int64_t ignored, const std::byte* log_total,
                            const std::byte* gradient, index_t step, double scale, std::byte* to, bool add, index_t rows,
                            index_t classes) {
  using V = simd<Number>;
  const auto* z = reinterpret_cast<const Number*>(scores);
  const auto* total = reinterpret_cast<const Number*>(log_total);
  const auto* g = reinterpret_cast<const Number*>(gradient);
  auto* out = reinterpret_cast<Number*>(to);
  for (index_t r = 0; r < rows; ++r, z += classes, out += classes) {
    if (label[r] == ignored) {
      if (!add) std::fill_n(out, classes, Number(0));
      continue;
    }
    const Number s = g[r * step] * Number(scale);
    for (index_t i = 0; i < classes; i += V::width) {
      const index_t n = std::min<index_t>(V::width, classes - i);
      V p = exp(load_part(z + i, n, Number(0)) - V(total[2 * r]) - V(total[2 * r + 1])) * V(s);
      if (add) p = p + load_part(out + i, n, Number(0));
      if (n == V::width) {
        p.store(out + i);
      } else {
        Number lane[V::width];
        p.store(lane);
        std::copy_n(lane, n, out + i);
      }
    }
    out[label[r]] -= s;
  }
}

template <class Number, bool Track>
inline constexpr RowLossKernel cross_entropy_kernel{dtype_of<Number>, cross_entropy_forward<Number>, nullptr};
template <class Number>
inline constexpr RowLossKernel cross_entropy_kernel<Number, true>{dtype_of<Number>, cross_entropy_forward<Number>, cross_entropy_backward<Number>};

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
