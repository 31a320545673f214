// Factories: zeros, ones, full, empty, arange, linspace, logspace, eye, indices of triangles, rand, randn; the _like
// and new_ forms, which take dtype and order from a tensor. Each with dtype and extents in the type, and with both at
// run time.
#pragma once
#include <tt/expr/create.hpp>

namespace tt {

namespace detail {
template <class ShapeType>
const dims& static_extents() {
  static_assert(ShapeType::is_static,
                "tt: this shape has extents known at run time only: pass them, zeros<float, Shape<dyn, 3>>({n, 3})");
  return ShapeType::value;
}

/// The extents of an expression, which is not evaluated for them where they are static.
template <class X>
dims extents_like(const X& x) {
  if constexpr (shape_t<X>::is_static) return shape_t<X>::value;
  else return evaluate(x).sizes();
}
/// As x is, in another dtype and shape: of the same order where that dtype can be differentiated.
template <class Type, class ShapeType, class X>
using like = Tensor<Type, ShapeType, device_t<X>, map_order(dtype_of<Type>, order_of<X>)>;
/// What a range of these literals is of: int64, or the default dtype if one is floating.
template <class... Number>
using range_t = std::conditional_t<(std::is_integral_v<Number> && ...), std::int64_t, tt::element_of<default_dtype>>;
}  // namespace detail

// ---- dtype and extents in the type ----

/// zeros<float, Shape<2, 3>>(), or with run-time extents zeros<float, Shape<dyn, 3>>({n, 3}).
template <element Type, class ShapeType>
Tensor<Type, ShapeType> zeros(const dims& size = detail::static_extents<ShapeType>()) {
  return Tensor<Type, ShapeType>(detail::create_zeros(dtype_of<Type>, size));
}
template <element Type, class ShapeType>
Tensor<Type, ShapeType> full(const dims& size, number auto value) {
  return Tensor<Type, ShapeType>(detail::create_full(dtype_of<Type>, size, detail::Constant(value)));
}
template <element Type, class ShapeType>
Tensor<Type, ShapeType> full(number auto value) {
  return full<Type, ShapeType>(detail::static_extents<ShapeType>(), value);
}
template <element Type, class ShapeType>
Tensor<Type, ShapeType> ones(const dims& size = detail::static_extents<ShapeType>()) {
  return full<Type, ShapeType>(size, 1);
}
/// With unset elements.
template <element Type, class ShapeType>
Tensor<Type, ShapeType> empty(const dims& size = detail::static_extents<ShapeType>()) {
  return Tensor<Type, ShapeType>(detail::create_empty(dtype_of<Type>, size));
}

/// start, start + step, .. before end. Without a dtype of int64, or of float if a number is floating.
/// https://pytorch.org/docs/stable/generated/torch.arange.html
template <class Type = void, real_number Start, real_number End, real_number Step>
auto arange(Start start, End end, Step step) {
  using type = std::conditional_t<std::is_void_v<Type>, detail::range_t<Start, End, Step>, Type>;
  return Vector<type>(
      detail::create_arange(dtype_of<type>, detail::Constant(start), detail::Constant(end), detail::Constant(step)));
}
template <class Type = void, real_number Start, real_number End>
auto arange(Start start, End end) {
  return arange<Type>(start, end, 1);
}
template <class Type = void, real_number End>
auto arange(End end) {
  return arange<Type>(0, end, 1);
}

/// `steps` numbers from start to end, both included, evenly.
/// https://pytorch.org/docs/stable/generated/torch.linspace.html
template <element Type>
Vector<Type> linspace(real_number auto start, real_number auto end, index_t steps) {
  return Vector<Type>(detail::create_linspace(dtype_of<Type>, detail::Constant(start), detail::Constant(end), steps));
}
/// base to the power of those numbers. https://pytorch.org/docs/stable/generated/torch.logspace.html
template <element Type>
Vector<Type> logspace(real_number auto start, real_number auto end, index_t steps, double base = 10) {
  return Vector<Type>(
      detail::create_logspace(dtype_of<Type>, detail::Constant(start), detail::Constant(end), steps, base));
}

/// Ones on the diagonal, zeros beside it: eye<float, 3>(), eye<float, 2, 3>(), eye<float>(n).
template <element Type, index_t Rows, index_t Columns = Rows>
requires(Rows >= 0 && Columns >= 0) Tensor<Type, Shape<Rows, Columns>> eye() {
  return Tensor<Type, Shape<Rows, Columns>>(detail::create_eye(dtype_of<Type>, Rows, Columns));
}
template <element Type>
Matrix<Type> eye(index_t rows, index_t columns) {
  return Matrix<Type>(detail::create_eye(dtype_of<Type>, rows, columns));
}
template <element Type>
Matrix<Type> eye(index_t rows) {
  return eye<Type>(rows, rows);
}

/// Rows and columns of the elements on and below a diagonal, in row-major order.
/// https://pytorch.org/docs/stable/generated/torch.tril_indices.html
template <element Type = std::int64_t>
Tensor<Type, Shape<2, dyn>> tril_indices(index_t rows, index_t columns, index_t offset = 0) {
  return Tensor<Type, Shape<2, dyn>>(
      detail::create_triangle(dtype_of<Type>, rows, columns, offset, detail::triangle::lower));
}
/// The same on and above it. https://pytorch.org/docs/stable/generated/torch.triu_indices.html
template <element Type = std::int64_t>
Tensor<Type, Shape<2, dyn>> triu_indices(index_t rows, index_t columns, index_t offset = 0) {
  return Tensor<Type, Shape<2, dyn>>(
      detail::create_triangle(dtype_of<Type>, rows, columns, offset, detail::triangle::upper));
}

/// Uniform in [0, 1), from the thread's generator or one of your own.
template <floating_element Type, class ShapeType>
Tensor<Type, ShapeType> rand(const dims& size = detail::static_extents<ShapeType>(),
                             Generator& generator = default_generator()) {
  return Tensor<Type, ShapeType>(detail::create_drawn<Type, philox::uniform>("rand", size, generator));
}
/// Normal with mean 0 and variance 1.
template <floating_element Type, class ShapeType>
Tensor<Type, ShapeType> randn(const dims& size = detail::static_extents<ShapeType>(),
                              Generator& generator = default_generator()) {
  return Tensor<Type, ShapeType>(detail::create_drawn<Type, philox::normal>("randn", size, generator));
}
inline AnyTensor rand(dtype type, const dims& size, Generator& generator = default_generator());
inline AnyTensor randn(dtype type, const dims& size, Generator& generator = default_generator());

// ---- like a tensor: its dtype, unless another is given, and its order, so that a frozen network's state stays frozen
// ----

/// With the extents of x: zeros_like(x), or zeros_like<double>(x) in another dtype.
template <element Type, expression X>
auto zeros_like(const X& x) {
  return detail::like<Type, shape_t<X>, X>(
      detail::create_zeros(dtype_of<Type>, detail::extents_like(x), detail::new_memory<device_t<X>>::get()));
}
template <expression X>
auto zeros_like(const X& x) {
  return zeros_like<value_t<X>>(x);
}
template <element Type, expression X>
auto full_like(const X& x, number auto value) {
  return detail::like<Type, shape_t<X>, X>(
      detail::create_full(dtype_of<Type>, detail::extents_like(x), detail::Constant(value), detail::new_memory<device_t<X>>::get()));
}
template <expression X>
auto full_like(const X& x, number auto value) {
  return full_like<value_t<X>>(x, value);
}
template <element Type, expression X>
auto ones_like(const X& x) {
  return full_like<Type>(x, 1);
}
template <expression X>
auto ones_like(const X& x) {
  return full_like<value_t<X>>(x, 1);
}
template <element Type, expression X>
auto empty_like(const X& x) {
  return detail::like<Type, shape_t<X>, X>(
      detail::create_empty(dtype_of<Type>, detail::extents_like(x), detail::new_memory<device_t<X>>::get()));
}
template <expression X>
auto empty_like(const X& x) {
  return empty_like<value_t<X>>(x);
}

/// Of another shape: new_zeros<Shape<4>>(x), new_zeros<Shape<dyn>>(x, {n}), new_zeros<Shape<4>, double>(x).
template <class ShapeType, element Type, expression X>
auto new_zeros(const X&, const dims& size = detail::static_extents<ShapeType>()) {
  return detail::like<Type, ShapeType, X>(detail::create_zeros(dtype_of<Type>, size, detail::new_memory<device_t<X>>::get()));
}
template <class ShapeType, expression X>
auto new_zeros(const X& x, const dims& size = detail::static_extents<ShapeType>()) {
  return new_zeros<ShapeType, value_t<X>>(x, size);
}
template <class ShapeType, element Type, expression X>
auto new_full(const X&, const dims& size, number auto value) {
  return detail::like<Type, ShapeType, X>(
      detail::create_full(dtype_of<Type>, size, detail::Constant(value), detail::new_memory<device_t<X>>::get()));
}
template <class ShapeType, expression X>
auto new_full(const X& x, const dims& size, number auto value) {
  return new_full<ShapeType, value_t<X>>(x, size, value);
}
template <class ShapeType, expression X>
auto new_full(const X& x, number auto value) {
  return new_full<ShapeType, value_t<X>>(x, detail::static_extents<ShapeType>(), value);
}
template <class ShapeType, element Type, expression X>
auto new_ones(const X& x, const dims& size = detail::static_extents<ShapeType>()) {
  return new_full<ShapeType, Type>(x, size, 1);
}
template <class ShapeType, expression X>
auto new_ones(const X& x, const dims& size = detail::static_extents<ShapeType>()) {
  return new_full<ShapeType, value_t<X>>(x, size, 1);
}
template <class ShapeType, element Type, expression X>
auto new_empty(const X&, const dims& size = detail::static_extents<ShapeType>()) {
  return detail::like<Type, ShapeType, X>(detail::create_empty(dtype_of<Type>, size, detail::new_memory<device_t<X>>::get()));
}
template <class ShapeType, expression X>
auto new_empty(const X& x, const dims& size = detail::static_extents<ShapeType>()) {
  return new_empty<ShapeType, value_t<X>>(x, size);
}

// ---- dtype and extents at run time ----

inline AnyTensor zeros(dtype type, const dims& size);
inline AnyTensor ones(dtype type, const dims& size);
inline AnyTensor empty(dtype type, const dims& size);
AnyTensor full(dtype type, const dims& size, number auto value) {
  return detail::create_full(type, size, detail::Constant(value));
}
AnyTensor arange(dtype type, real_number auto start, real_number auto end, real_number auto step) {
  return detail::create_arange(type, detail::Constant(start), detail::Constant(end), detail::Constant(step));
}
AnyTensor linspace(dtype type, real_number auto start, real_number auto end, index_t steps) {
  return detail::create_linspace(type, detail::Constant(start), detail::Constant(end), steps);
}
AnyTensor logspace(dtype type, real_number auto start, real_number auto end, index_t steps, double base = 10) {
  return detail::create_logspace(type, detail::Constant(start), detail::Constant(end), steps, base);
}
inline AnyTensor eye(dtype type, index_t rows, index_t columns);
inline AnyTensor tril_indices(dtype type, index_t rows, index_t columns, index_t offset = 0);
inline AnyTensor triu_indices(dtype type, index_t rows, index_t columns, index_t offset = 0);

}  // namespace tt
