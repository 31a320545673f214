// What adapters over typed tensors share: from a tensor of any dtype to one whose type says it, and back.
#pragma once
#include "call.hpp"

#include <tt/ops.hpp>

namespace cases {

/// f(float{}) or f(double{}), by the dtype.
template <class Function>
Results with_floating(const tt::AnyTensor& x, Function&& f) {
  if (x.dtype() == tt::dtype::float32) return f(float{});
  if (x.dtype() == tt::dtype::float64) return f(double{});
  throw tt::not_implemented("an adapter for " + std::string(tt::name_of(x.dtype())) + " is not implemented");
}
/// The same with int64 and uint8.
template <class Function>
Results with_number(const tt::AnyTensor& x, Function&& f) {
  if (x.dtype() == tt::dtype::int64) return f(std::int64_t{});
  if (x.dtype() == tt::dtype::uint8) return f(std::uint8_t{});
  return with_floating(x, f);
}

/// A tensor of this rank; other ranks are refused as not implemented.
template <class Type, int Rank>
tt::Tensor<Type, tt::dynamic_shape<Rank>> typed(const tt::AnyTensor& t) {
  if (t.rank() != Rank)
    throw tt::not_implemented("an adapter for " + std::to_string(t.rank()) + " axes is not implemented");
  return tt::Tensor<Type, tt::dynamic_shape<Rank>>(converted(t, tt::dtype_of<Type>));
}
/// A leaf that gathers gradients.
template <class Type, int Rank>
tt::Variable<Type, tt::dynamic_shape<Rank>> leaf(const tt::AnyTensor& t) {
  return tt::Variable<Type, tt::dynamic_shape<Rank>>(typed<Type, Rank>(t)).requires_grad_();
}
/// All elements as one axis, for what is elementwise.
template <class Type>
tt::Vector<Type> flat(const tt::AnyTensor& t) {
  return typed<Type, 1>(tt::call("reshape", {t, tt::Argument{-1}}).tensor());
}
template <class Type>
tt::Variable<Type, tt::Shape<tt::dyn>> flat_leaf(const tt::AnyTensor& t) {
  return tt::Variable<Type, tt::Shape<tt::dyn>>(flat<Type>(t).detach()).requires_grad_();
}
/// The elements under the extents of x again.
inline tt::AnyTensor shaped_as(const tt::AnyTensor& x, const tt::AnyTensor& flat) {
  return tt::call("reshape", {flat, tt::Argument::List(x.sizes().begin(), x.sizes().end())}).tensor();
}

}  // namespace cases
