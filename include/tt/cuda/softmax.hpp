// softmax and log_softmax of rows on the device, and their derivatives: each reads its rows as often as it joins them,
// and stores nothing between. Sums are of float for 16-bit elements.
#pragma once
#include <tt/cuda/element.hpp>
#include <tt/cuda/team.hpp>

#include <cmath>

namespace tt::gpu {

/// What the rows become: exp(x - log sum exp x), or the exponent itself.
enum class softmax_kind { softmax, log_softmax };

#if TT_CUDA_KERNELS
namespace detail {

/// The type that 16-bit elements are computed in.
template <class Stored>
using wide = std::conditional_t<std::is_same_v<Stored, double>, double, float>;

/// The largest element of a row of `n`, and the sum of exp(x - largest).
template <class Team, class Stored, class Number = wide<Stored>>
__device__ inline void sum_exponentials(const Stored* x, index_t n, Number& largest, Number& sum) {
  constexpr Number lowest = -Number(INFINITY);  // no std::numeric_limits: its members are not for devices
  Number most = lowest, total = 0;
  for (index_t i = Team::rank(); i < n; i += Team::size) most = Larger()(most, number_from<Number>(x[i]));
  largest = Team::join(most, lowest, Larger());
  for (index_t i = Team::rank(); i < n; i += Team::size) total += std::exp(number_from<Number>(x[i]) - largest);
  sum = Team::join(total, Number(0), Plus());
}

template <class Team, softmax_kind Kind, class Stored>
__global__ void __launch_bounds__(256) softmax_kernel(const Stored* x, Stored* y, index_t rows, index_t columns) {
  using Number = wide<Stored>;
  for (index_t r = Team::index(); r < rows; r += Team::count()) {
    const Stored* const in = x + r * columns;
    Stored* const out = y + r * columns;
    Number largest, sum;
    sum_exponentials<Team>(in, columns, largest, sum);
    const Number shift = Kind == softmax_kind::softmax ? 1 / sum : std::log(sum);
    for (index_t i = Team::rank(); i < columns; i += Team::size) {
      const Number from_largest = number_from<Number>(in[i]) - largest;
      const Number value = Kind == softmax_kind::softmax ? std::exp(from_largest) * shift : from_largest - shift;
      out[i] = element_from<Stored>(value);
    }
  }
}

/// From the output y: softmax y (g - sum g y), log_softmax g - exp(y) sum g.
template <class Team, softmax_kind Kind, class Stored>
__global__ void __launch_bounds__(256) softmax_backward_kernel(const Stored* y, const Stored* gradient, Stored* to,
                                                               bool add, index_t rows, index_t columns) {
  using Number = wide<Stored>;
  constexpr bool log = Kind == softmax_kind::log_softmax;
  for (index_t r = Team::index(); r < rows; r += Team::count()) {
    const index_t first = r * columns;
    Number part = 0;
    for (index_t i = Team::rank(); i < columns; i += Team::size) {
      const Number g = number_from<Number>(gradient[first + i]);
      part += log ? g : g * number_from<Number>(y[first + i]);
    }
    const Number sum = Team::join(part, Number(0), Plus());
    for (index_t i = Team::rank(); i < columns; i += Team::size) {
      const Number value = number_from<Number>(y[first + i]), g = number_from<Number>(gradient[first + i]);
      const Number slope = log ? g - std::exp(value) * sum : value * (g - sum);
      to[first + i] = element_from<Stored>(add ? number_from<Number>(to[first + i]) + slope : slope);
    }
  }
}

}  // namespace detail

/// Of each row of a row-major [rows, columns] in device memory: float, double, half or bfloat16. y may be x.
template <softmax_kind Kind, class Stored>
void softmax_rows(const Stored* x, Stored* y, index_t rows, index_t columns, const StreamRef& stream) {
  if (rows == 0 || columns == 0) return;
  const DeviceGuard guard(stream.device());
  detail::with_team(rows, columns, [&]<class Team>(Team, unsigned blocks, unsigned threads) {
    launch(detail::softmax_kernel<Team, Kind, Stored>, blocks, threads, 0, stream, x, y, rows, columns);
  });
}
/// Its derivative from the output: to = or += .
template <softmax_kind Kind, class Stored>
void softmax_rows_backward(const Stored* y, const Stored* gradient, Stored* to, bool add, index_t rows, index_t columns,
                           const StreamRef& stream) {
  if (rows == 0 || columns == 0) return;
  const DeviceGuard guard(stream.device());
  detail::with_team(rows, columns, [&]<class Team>(Team, unsigned blocks, unsigned threads) {
    launch(detail::softmax_backward_kernel<Team, Kind, Stored>, blocks, threads, 0, stream, y, gradient, to, add, rows,
           columns);
  });
}
#endif

}  // namespace tt::gpu
