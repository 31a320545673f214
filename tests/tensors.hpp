// What tests of tensors share: numbers to compute on, layouts to hold them in, elements to compare.
#pragma once
#include <tt/core/philox.hpp>
#include <tt/ops.hpp>

#include <cstring>
#include <vector>

namespace tests {

/// Row-major elements, converted.
template <class Number = double>
std::vector<Number> values(const tt::AnyTensor& t) {
  const tt::AnyTensor flat = t.packed();
  std::vector<Number> out;
  tt::visit(flat.dtype(), [&]<class Stored>(Stored) {
    const auto* p = reinterpret_cast<const Stored*>(flat.data_ptr());
    for (tt::index_t i = 0; i < flat.numel(); ++i) out.push_back(tt::detail::element_from<Number>(p[i]));
  });
  return out;
}
template <class Number = double, tt::expression E>
std::vector<Number> values(const E& e) {
  return values<Number>(static_cast<const tt::AnyTensor&>(tt::eval(e)));
}

/// Same dtype, extents and bits of every element.
inline bool same_bits(const tt::AnyTensor& a, const tt::AnyTensor& b) {
  if (a.dtype() != b.dtype() || !(a.sizes() == b.sizes())) return false;
  const tt::AnyTensor x = a.packed(), y = b.packed();
  return x.numel() == 0 ||
         std::memcmp(x.data_ptr(), y.data_ptr(), std::size_t(x.numel()) * tt::size_of(x.dtype())) == 0;
}
template <tt::expression A, tt::expression B>
bool same_bits(const A& a, const B& b) {
  return same_bits(static_cast<const tt::AnyTensor&>(tt::eval(a)), static_cast<const tt::AnyTensor&>(tt::eval(b)));
}

/// Whether the compiler may join a product and a sum in one rounding: then a fused region and its ops one at a time differ
/// in last bits.
#if defined(__FMA__)
inline constexpr bool contracts = true;
#else
inline constexpr bool contracts = false;
#endif

/// Element i of a stream of test numbers: reals in [low, high), or the whole numbers there.
template <class Number>
Number number(tt::index_t i, double low, double high, std::uint64_t seed = 1) {
  const double x = low + (high - low) * tt::philox::draw<tt::philox::uniform<double>>(seed, std::uint64_t(i));
  if constexpr (std::is_same_v<Number, bool>) return x >= (low + high) / 2;
  else if constexpr (std::is_integral_v<Number>) return Number(std::int64_t(x));
  else return tt::detail::converted<Number>(x);
}

/// A row-major tensor of test numbers.
template <class Number, class ShapeType>
tt::Tensor<Number, ShapeType> numbers(const tt::dims& size, double low = -3, double high = 3, std::uint64_t seed = 1) {
  tt::Tensor<Number, ShapeType> t(size);
  for (tt::index_t i = 0; i < t.numel(); ++i) t.data()[i] = number<Number>(i, low, high, seed);
  return t;
}
/// The same as a leaf that gathers gradients.
template <class Number, class ShapeType>
tt::Variable<Number, ShapeType> leaf(const tt::dims& size, double low = -3, double high = 3, std::uint64_t seed = 1) {
  tt::Variable<Number, ShapeType> x = numbers<Number, ShapeType>(size, low, high, seed);
  x.requires_grad_();
  return x;
}

/// The elements of x in a layout of gaps: every second element of every axis of a larger tensor, axes reversed in memory.
inline tt::AnyTensor scattered(const tt::AnyTensor& x) {
  tt::dims size = x.sizes();
  tt::index_t stride[tt::max_rank], unit = 2, offset = 0;
  for (int i = 0; i < size.rank; ++i) {
    stride[i] = unit;
    size.extent[i] = 2 * size.extent[i] + 1;
    unit *= size.extent[i];
    offset += stride[i] / 2;
  }
  const tt::AnyTensor wide = tt::AnyTensor::empty(x.dtype(), {2 * unit});
  const tt::AnyTensor view = wide.with_layout(x.sizes(), stride, offset);
  view.copy_(x);
  return view;
}
template <class Type, class ShapeType, class Device, int Order>
auto scattered(const tt::Tensor<Type, ShapeType, Device, Order>& x) {
  return tt::Tensor<Type, ShapeType, Device, Order>(scattered(static_cast<const tt::AnyTensor&>(x)));
}

}  // namespace tests
