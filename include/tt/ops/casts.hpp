// Copies and casts: to<T>(x), clone(x), contiguous(x). They are elementwise programs without an op, and differentiable.
#pragma once
#include <tt/expr/program.hpp>

namespace tt {

namespace detail {
/// A copy in another dtype. It computes in the wider of the two, so that nothing is lost on the way.
template <dtype Value, class X>
AnyTensor copy_as(const X& x) {
  constexpr dtype from = compute_dtype(dtype_of<value_t<X>>), to = compute_dtype(Value);
  constexpr dtype compute = wider_compute(from, to);
  constexpr bool tracked = order_of<X> > 0 && is_differentiable(Value);
  const AnyTensor stored = evaluate(x);
  const Entry entry{&stored, stored.version(), {}};
  return run_map(backend<device_t<X>>::template map<compute, Value, prog::leaf<false>, prog::leaf<tracked>,
                                                    (std::max)(order_of<X>, 1)>(),
                 &entry, 1);
}
}  // namespace detail

/// x in another dtype; itself where it has it already.
template <element Type, expression X>
auto to(const X& x) {
  constexpr int order = detail::map_order(dtype_of<Type>, order_of<X>);
  using result = Tensor<Type, shape_t<X>, device_t<X>, order>;
  if constexpr (std::is_same_v<Type, value_t<X>>) return eval(x);
  else return result(detail::copy_as<dtype_of<Type>>(x));
}
/// A copy of the elements, on the tape.
template <expression X>
auto clone(const X& x) {
  return Tensor<value_t<X>, shape_t<X>, device_t<X>, order_of<X>>(detail::copy_as<dtype_of<value_t<X>>>(x));
}
/// Row-major: itself, or a copy on the tape.
template <expression X>
auto contiguous(const X& x) {
  using result = Tensor<value_t<X>, shape_t<X>, device_t<X>, order_of<X>>;
  const AnyTensor stored = evaluate(x);
  return stored.is_contiguous() ? result(stored) : clone(result(stored));
}

}  // namespace tt
