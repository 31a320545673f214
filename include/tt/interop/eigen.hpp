// Between tensors and Eigen: maps over a tensor's elements, tensors over a matrix's, and copies of expressions.
#pragma once
#include <tt/interop/containers.hpp>
#include <tt/interop/eigen_core.hpp>

namespace tt {

namespace detail {
constexpr int eigen_extent(index_t extent) { return extent < 0 ? Eigen::Dynamic : int(extent); }

/// The matrix type of a shape; a vector is a column. Eigen wants columns column-major.
template <class Type, class ShapeType>
using eigen_matrix =
    Eigen::Matrix<Type, eigen_extent(ShapeType::value.extent[0]),
                  ShapeType::rank == 1 ? 1 : eigen_extent(ShapeType::value.extent[1]),
                  ShapeType::rank == 1 || ShapeType::value.extent[1] == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
using eigen_strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

template <class Dense>
struct extents_of_eigen {
  static constexpr dims value = [] {
    const auto one = [](int extent) { return extent == Eigen::Dynamic ? dyn : index_t(extent); };
    return Dense::ColsAtCompileTime == 1 ? dims{one(Dense::RowsAtCompileTime)}
                                         : dims{one(Dense::RowsAtCompileTime), one(Dense::ColsAtCompileTime)};
  }();
};
template <class Dense>
dims eigen_size(const Dense& m) {
  return Dense::ColsAtCompileTime == 1 ? dims{m.rows()} : dims{m.rows(), m.cols()};
}
}  // namespace detail

/// A matrix or vector as an Eigen::Map over its own elements, of any layout: valid while a tensor over them lives.
/// Static extents stay static. Who writes through it calls bump_version() after.
template <class Type, class ShapeType, int Order>
auto as_eigen(const Tensor<Type, ShapeType, cpu, Order>& t) {
  static_assert(ShapeType::rank == 1 || ShapeType::rank == 2, "tt::as_eigen: Eigen has matrices and vectors only");
  if (!t.defined()) detail::no_elements("tt::as_eigen");
  using matrix = detail::eigen_matrix<Type, ShapeType>;
  using map = Eigen::Map<matrix, Eigen::Unaligned, detail::eigen_strides>;
  const index_t rows = t.sizes()[0], columns = ShapeType::rank == 1 ? 1 : t.sizes()[-1];
  const index_t down = t.strides()[0], across = ShapeType::rank == 1 ? 1 : t.strides()[ShapeType::rank - 1];
  constexpr bool row_major = matrix::IsRowMajor;
  return map(t.data(), rows, columns, detail::eigen_strides(row_major ? down : across, row_major ? across : down));
}

/// A tensor over the elements of a matrix, a Map or a Block, which must outlive it: writing either changes both.
template <class Derived>
auto wrap_eigen(Eigen::DenseBase<Derived>& m) {
  static_assert(bool(Derived::Flags & Eigen::DirectAccessBit),
                "tt::wrap_eigen: an expression has no elements yet: copy it with from_eigen()");
  using type = typename Derived::Scalar;
  Derived& d = m.derived();
  const index_t down = d.rowStride(), across = d.colStride();
  const index_t stride[] = {down, across};
  return detail::over_memory<type, shape_from<detail::extents_of_eigen<Derived>>>(d.data(), detail::eigen_size(d),
                                                                                  stride);
}

/// A new tensor with the coefficients of any dense Eigen expression, row-major; a column vector becomes a vector.
template <class Derived>
auto from_eigen(const Eigen::DenseBase<Derived>& m) {
  using type = typename Derived::Scalar;
  using result = Tensor<type, shape_from<detail::extents_of_eigen<Derived>>>;
  static_assert(element<type>, "tt::from_eigen: tt has no such element type");
  result out(detail::eigen_size(m.derived()));
  using rows = Eigen::Matrix<type, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<rows>(out.data(), m.rows(), m.cols()) = m.derived().matrix();
  return out;
}

}  // namespace tt
