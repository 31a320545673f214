// Factories: zeros, ones, full, empty, arange, rand, randn, and the _like forms, which take their order from a tensor.
#pragma once
#include <tt/expr/create.hpp>

namespace tt {

namespace detail {
template <class ShapeType>
const dims& static_extents() {
  static_assert(ShapeType::is_static, "tt: this shape has extents known at run time only: pass them, zeros<float, Shape<dyn, 3>>({n, 3})");
  return ShapeType::value;
}
}  // namespace detail

/// zeros<float, Shape<2, 3>>(), or with run-time extents zeros<float, Shape<dyn, 3>>({n, 3}).
template <element Type, class ShapeType>
Tensor<Type, ShapeType> zeros(const dims& size = detail::static_extents<ShapeType>()) {
  return Tensor<Type, ShapeType>(detail::create_zeros(dtype_of<Type>, size));
}
template <element Type, class ShapeType>
Tensor<Type, ShapeType> full(const dims& size, number auto value) {
  return Tensor<Type, ShapeType>(detail::create_full(dtype_of<Type>, size, double(value), detail::whole(value)));
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
  return Tensor<Type, ShapeType>(size);
}

/// start, start + step, .. before end. https://pytorch.org/docs/stable/generated/torch.arange.html
template <element Type>
Vector<Type> arange(double start, double end, double step = 1) {
  return Vector<Type>(detail::create_arange(dtype_of<Type>, start, end, step));
}
template <element Type = std::int64_t>
Vector<Type> arange(double end) {
  return arange<Type>(0, end);
}

/// Uniform in [0, 1), from the thread's generator or one of your own.
template <std::floating_point Type, class ShapeType>
Tensor<Type, ShapeType> rand(const dims& size = detail::static_extents<ShapeType>(), Generator& generator = default_generator()) {
  return Tensor<Type, ShapeType>(detail::create_random<philox::uniform>("rand", dtype_of<Type>, size, generator));
}
/// Normal with mean 0 and variance 1.
template <std::floating_point Type, class ShapeType>
Tensor<Type, ShapeType> randn(const dims& size = detail::static_extents<ShapeType>(), Generator& generator = default_generator()) {
  return Tensor<Type, ShapeType>(detail::create_random<philox::normal>("randn", dtype_of<Type>, size, generator));
}

/// With the dtype, extents and order of x, so that a frozen network's state stays frozen.
template <expression X>
auto zeros_like(const X& x) {
  return Tensor<value_t<X>, shape_t<X>, device_t<X>, order_of<X>>(detail::create_zeros(dtype_of<value_t<X>>, evaluate(x).sizes()));
}
template <expression X>
auto full_like(const X& x, number auto value) {
  return Tensor<value_t<X>, shape_t<X>, device_t<X>, order_of<X>>(
      detail::create_full(dtype_of<value_t<X>>, evaluate(x).sizes(), double(value), detail::whole(value)));
}
template <expression X>
auto ones_like(const X& x) {
  return full_like(x, 1);
}
/// Zeros of another shape with the dtype and order of x: the state a recurrent network starts with.
template <class ShapeType, expression X>
auto new_zeros(const X&, const dims& size = detail::static_extents<ShapeType>()) {
  return Tensor<value_t<X>, ShapeType, device_t<X>, order_of<X>>(detail::create_zeros(dtype_of<value_t<X>>, size));
}

}  // namespace tt
