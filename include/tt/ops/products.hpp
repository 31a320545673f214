// Products of two tensors' elements: outer of all pairs, inner along the last axes.
#pragma once
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/matmul.hpp>
#include <tt/ops/views.hpp>

namespace tt {

/// out[i][j] = x[i] y[j] of two vectors. https://pytorch.org/docs/stable/generated/torch.outer.html
template <expression X, expression Y>
auto outer(const X& x, const Y& y) {
  detail::check_ranks<1, 1, X, Y>();
  return reshape<shape_t<X>::value.extent[0], 1>(x) * y;
}

namespace detail {
/// The axes of both without their last ones.
constexpr dims inner_extents(const dims& a, const dims& b) {
  dims d;
  for (int i = 0; i + 1 < a.rank; ++i) d.push_back(a.extent[i]);
  for (int i = 0; i + 1 < b.rank; ++i) d.push_back(b.extent[i]);
  return d;
}
template <class A, class B>
struct inner_of {
  static constexpr dims value = inner_extents(A::value, B::value);
};
/// All but the last axis as rows.
inline AnyTensor as_rows(const AnyTensor& x, RecordView record);  // dispatch/batched.hpp
template <class X>
using rows_of = view_of<X, Shape<dyn, shape_t<X>::value.extent[shape_t<X>::rank - 1]>>;
}  // namespace detail

/// Sums of products along the last axes, for every pair of what stands before them; of single values their product.
/// https://pytorch.org/docs/stable/generated/torch.inner.html
template <expression X, expression Y>
auto inner(const X& x, const Y& y) {
  if constexpr (rank_of<X> == 0 || rank_of<Y> == 0) {
    return eval(x * y);
  } else {
    const AnyTensor a = evaluate(x), b = evaluate(y);
    const Tensor product = matmul(detail::rows_of<X>(detail::as_rows(a, detail::view_record<order_of<X>>)),
                                  transpose(detail::rows_of<Y>(detail::as_rows(b, detail::view_record<order_of<Y>>))));
    using P = std::remove_const_t<decltype(product)>;
    return detail::view_of<P, shape_from<detail::inner_of<shape_t<X>, shape_t<Y>>>>(
        detail::reshape_view(product, detail::inner_extents(a.sizes(), b.sizes()), detail::view_record<order_of<P>>));
  }
}

}  // namespace tt
