// Operations of the area autograd that differentiate twice.
#include "typed.hpp"

#include <tt/autograd/second_order.hpp>

namespace cases {

namespace {

using tt::AnyTensor;
using tt::grad;

template <class Type>
using Twice = tt::Tensor<Type, tt::Shape<tt::dyn>, tt::cpu, 2>;

/// All elements as one leaf that can be differentiated twice.
template <class Type>
Twice<Type> leaf(const AnyTensor& t) {
  return Twice<Type>(flat<Type>(t).detach()).requires_grad_();
}

/// The first and second derivatives of an elementwise f, summed.
template <class Function>
Results derivatives(const Call& c, Function f) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = leaf<Type>(c.tensor("x"));
    const tt::grad_options zeros{.materialize_grads = true};  // of what is linear
    const auto first = grad(tt::sum(f(x)), x, zeros);
    const auto second = grad(tt::sum(first), x, zeros);
    return {{"first", shaped_as(c.tensor("x"), first.detach())}, {"second", shaped_as(c.tensor("x"), second)}};
  });
}

Results cube_first_second(const Call& c) {
  return derivatives(c, [](const auto& x) { return x * x * x; });
}
/// exp(3 x)
Results exp3_second(const Call& c) {
  return derivatives(c, [](const auto& x) { return tt::exp(x * 3); });
}
Results linear_second(const Call& c) {
  return derivatives(c, [factor = c.number("factor")](const auto& x) { return x * factor; });
}
/// tanh(x y) by x, then by y.
Results tanh_mixed_second(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = leaf<Type>(c.tensor("x")), y = leaf<Type>(c.tensor("y"));
    const auto by_x = grad(tt::sum(tt::tanh(x * y)), x);
    return {{"second", shaped_as(c.tensor("x"), grad(tt::sum(by_x), y))}};
  });
}
/// Row i of the Hessian is the derivative of the gradient's element i.
Results prod_hessian(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = leaf<Type>(c.tensor("x"));
    const auto gradient = grad(tt::prod(x), x);
    const tt::index_t n = x.numel();
    const tt::Matrix<Type> hessian(tt::dims{n, n});
    for (tt::index_t i = 0; i < n; ++i) {
      const tt::grad_options options{.retain_graph = true, .materialize_grads = true};
      tt::select<0>(hessian, i) = grad(tt::select<0>(gradient, i), x, options);
    }
    return {{"grad", shaped_as(c.tensor("x"), gradient.detach())}, {"hessian", hessian}};
  });
}

}  // namespace

void add_second_order(Adapters& table) {
  table.insert({{"cube_first_second", cube_first_second},
                {"exp3_second", exp3_second},
                {"linear_second", linear_second},
                {"prod_hessian", prod_hessian},
                {"tanh_mixed_second", tanh_mixed_second}});
}

}  // namespace cases
