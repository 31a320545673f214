// z += x y on one thread: Eigen's packing and its block kernel called directly. They take no thread of their own whatever
// Eigen's macros or the user's settings say, and cost a third of the compile time of `noalias() +=` on maps. The signatures
// are those of Eigen 3.4; tests/ops/matmul.cpp holds them to every form.
#pragma once
#include <tt/core/math.hpp>
#include <tt/core/storage.hpp>
#include <tt/cpu/eigen.hpp>

namespace tt::cpu_kernels::inline TT_KERNEL_BUILD {

/// Where operands are packed: on the stack, or in a block of our pool. From the heap, whose pages malloc may give back in each
/// call, a product takes up to three times as long.
class PackingSpace {
 public:
  explicit PackingSpace(std::size_t bytes) {
    if (bytes > sizeof small_) large_ = detail::make_storage(bytes);
  }
  std::byte* data() { return large_ ? large_->data : small_; }

 private:
  alignas(64) std::byte small_[32 << 10];
  detail::Ref<Storage> large_;
};

template <class Number>
using blocking = Eigen::internal::gebp_traits<Number, Number>;
// Types of this namespace, though they add nothing: what Eigen compiles for them is not shared by files that are built for
// other instruction sets.
template <class Number, int Order>
struct operand_map : Eigen::internal::const_blas_data_mapper<Number, index_t, Order> {
  using Eigen::internal::const_blas_data_mapper<Number, index_t, Order>::const_blas_data_mapper;
};
template <class Number>
struct result_map : Eigen::internal::blas_data_mapper<Number, index_t, Eigen::ColMajor, Eigen::Unaligned, 1> {
  using Eigen::internal::blas_data_mapper<Number, index_t, Eigen::ColMajor, Eigen::Unaligned, 1>::blas_data_mapper;
  result_map at(index_t row, index_t column) const { return {&(*this)(row, column), this->stride(), 1}; }
};

/// One operand of a product, and how Eigen's block kernel wants its panels packed. Rows are what it shares with the result,
/// columns what is summed over (of the right operand that is its transpose).
template <class Number>
struct Panels {
  const Number* data;
  index_t stride;
  bool row_major;
  void (*pack)(Number* to, const Number* from, index_t stride, index_t depth, index_t count);

  void pack_at(Number* to, index_t row, index_t column, index_t depth, index_t count) const {
    pack(to, data + (row_major ? row * stride + column : row + column * stride), stride, depth, count);
  }
};
template <bool RowMajor, class Number>
Panels<Number> left_panels(const Number* data, index_t stride) {
  constexpr int order = RowMajor ? Eigen::RowMajor : Eigen::ColMajor;
  return {data, stride, RowMajor, [](Number* to, const Number* from, index_t step, index_t depth, index_t count) {
            using map = operand_map<Number, order>;
            using traits = blocking<Number>;
            using packet = typename traits::LhsPacket4Packing;
            Eigen::internal::gemm_pack_lhs<Number, index_t, map, traits::mr, traits::LhsProgress, packet, order>()(
                to, map(from, step), depth, count);
          }};
}
template <bool RowMajor, class Number>
Panels<Number> right_panels(const Number* data, index_t stride) {
  constexpr int order = RowMajor ? Eigen::ColMajor : Eigen::RowMajor;
  return {data, stride, RowMajor, [](Number* to, const Number* from, index_t step, index_t depth, index_t count) {
            using map = operand_map<Number, order>;
            Eigen::internal::gemm_pack_rhs<Number, index_t, map, blocking<Number>::nr, order>()(to, map(from, step),
                                                                                                depth, count);
          }};
}

/// An extent cut into parts that are equally long but for the last: a multiple of `step`, and at most `most`.
constexpr index_t even_part(index_t extent, index_t most, index_t step) {
  most = (std::max)(most / step, index_t(1)) * step;
  if (extent <= most) return extent;
  const index_t parts = (extent + most - 1) / most;
  return ((extent + parts - 1) / parts + step - 1) / step * step;
}
struct Blocks {
  index_t rows, columns, depth;
};
/// Blocks of a product [m, k] by [k, n], by Eigen's rules: a panel of each operand lies in the first cache, a block of the
/// right one in the second. Their sizes are fixed, a first cache as most machines have it and Eigen's second: by the
/// machine's own, sums would be cut otherwise from machine to machine, and differ in their last bits.
TT_NOINLINE inline Blocks blocks_of(index_t m, index_t n, index_t k, index_t item, index_t panel_rows,
                                    index_t panel_columns) {
  constexpr index_t first = 32 << 10, second = 1536 << 10;
  const index_t most_depth =
      (first - panel_rows * panel_columns * item) / ((panel_rows + panel_columns) * item) / 8 * 8;
  const index_t depth = even_part(k, most_depth, 8);
  const index_t most_columns = (std::min)(second / 2 / depth, second * 3 / 4 / most_depth) / item;
  const index_t columns = even_part(n, most_columns, panel_columns);
  if (depth < k || columns < n) return {m, columns, depth};
  const index_t right = k * n * item;
  const index_t left = right <= 1 << 10 ? first : right <= first ? index_t(256 << 10) : second;
  return {even_part(m, (std::min)(left / 3 / (k * item), index_t(576)), panel_rows), columns, depth};
}

/// z += x y' of column-major z [m, n]: panels of both operands are packed in the order in which Eigen's kernel reads them, and
/// multiplied there (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008).
template <class Number>
TT_NOINLINE void add_product(Number* z, index_t z_stride, index_t m, index_t n, index_t k, const Panels<Number>& x,
                             const Panels<Number>& y) {
  using map = result_map<Number>;
  constexpr int panel_rows = blocking<Number>::mr, panel_columns = blocking<Number>::nr;
  Eigen::internal::gebp_kernel<Number, Number, index_t, map, panel_rows, panel_columns, false, false> multiply;
  const map result(z, z_stride, 1);
  const auto [rows, columns, depth] = blocks_of(m, n, k, sizeof(Number), panel_rows, panel_columns);
  const std::size_t left_bytes = (std::size_t(rows * depth) * sizeof(Number) + 63) / 64 * 64;
  PackingSpace space(left_bytes + std::size_t(depth * columns) * sizeof(Number));
  auto* left = reinterpret_cast<Number*>(space.data());
  auto* right = reinterpret_cast<Number*>(space.data() + left_bytes);
  const bool one_right = depth == k && columns == n;  // packed once, it serves all rows
  for (index_t i = 0; i < m; i += rows)
    for (index_t l = 0; l < k; l += depth) {
      const index_t height = (std::min)(rows, m - i), inner = (std::min)(depth, k - l);
      x.pack_at(left, i, l, inner, height);
      for (index_t j = 0; j < n; j += columns) {
        const index_t width = (std::min)(columns, n - j);
        if (i == 0 || !one_right) y.pack_at(right, j, l, inner, width);
        multiply(result.at(i, j), left, right, height, inner, width, Number(1));
      }
    }
}

template <bool Conjugate, class Number>
TT_INLINE Number factor(Number x) {
  if constexpr (Conjugate) return std::conj(x);
  else return x;
}
/// z += op(x) op(y). Gradients of complex products take conjugates.
template <class Number, bool LeftTransposed, bool RightTransposed, bool LeftConjugate = false,
          bool RightConjugate = false>
void gemm(std::byte* z, index_t z_row, index_t m, index_t n, index_t k, const std::byte* x, index_t x_row,
          const std::byte* y, index_t y_row) {
  auto* to = reinterpret_cast<Number*>(z);
  const auto* a = reinterpret_cast<const Number*>(x);
  const auto* b = reinterpret_cast<const Number*>(y);
  if constexpr (std::is_floating_point_v<Number>) {
    if (k == 0) return;
    // z' = op(y)' op(x)' is column-major.
    add_product(to, z_row, n, m, k, left_panels<RightTransposed>(b, y_row), right_panels<!LeftTransposed>(a, x_row));
  } else {
    for (index_t i = 0; i < m; ++i)
      for (index_t l = 0; l < k; ++l) {
        const Number left = factor<LeftConjugate>(a[LeftTransposed ? l * x_row + i : i * x_row + l]);
        for (index_t j = 0; j < n; ++j) {
          const Number right = factor<RightConjugate>(b[RightTransposed ? j * y_row + l : l * y_row + j]);
          to[i * z_row + j] = math::plus(to[i * z_row + j], math::times(left, right));
        }
      }
  }
}

}  // namespace tt::cpu_kernels::inline TT_KERNEL_BUILD
