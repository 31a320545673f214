// Questions about whole tensors.
#pragma once
#include <tt/core/tensor.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/reductions.hpp>

namespace tt {

/// Whether extents and all elements agree; NaN equals nothing. `==` compares elementwise.
/// https://pytorch.org/docs/stable/generated/torch.equal.html
template <expression X, expression Y>
bool equal(const X& x, const Y& y) {
  const AnyTensor a = evaluate(x), b = evaluate(y);
  if (!(a.sizes() == b.sizes())) return false;
  if constexpr (rank_of<X> == rank_of<Y>) {
    using left = Tensor<value_t<X>, dynamic_shape<rank_of<X>>, device_t<X>>;
    using right = Tensor<value_t<Y>, dynamic_shape<rank_of<Y>>, device_t<Y>>;
    return Tensor(sum(left(a) != right(b))).item() == 0;
  } else {
    return false;
  }
}

}  // namespace tt
