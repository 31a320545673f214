// Operations of the area autograd that differentiate twice.
#include "typed.hpp"

#include <tt/autograd/second_order.hpp>

namespace cases {

namespace {

template <class Type>
using Twice = tt::Tensor<Type, tt::Shape<tt::dyn>, tt::cpu, 2>;

template <class Type>
Twice<Type> flat_twice(const tt::AnyTensor& t) {
  return Twice<Type>(flat<Type>(t).detach()).requires_grad_();
}
constexpr tt::grad_options zeros_where_constant{.materialize_grads = true};

/// The first and second derivatives of an elementwise f.
template <class Function>
Results derivatives(const Call& c, bool first_too, Function f) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_twice<Type>(c.tensor("x"));
    const auto first = tt::grad(tt::eval(tt::sum(f(x))), x);
    const auto second = tt::grad(tt::with_order<1>(tt::sum(first)), x, zeros_where_constant);
    Results all{{"second", shaped_as(c.tensor("x"), second)}};
    if (first_too) all.insert({"first", shaped_as(c.tensor("x"), first.detach())});
    return all;
  });
}
Results cube_first_second(const Call& c) {
  return derivatives(c, true, [](const auto& x) { return x * x * x; });
}
/// exp(3 x)
Results exp3_second(const Call& c) {
  return derivatives(c, false, [](const auto& x) { return tt::exp(3 * x); });
}
/// The first derivative of factor * x does not depend on x.
Results linear_second(const Call& c) {
  return derivatives(c, false, [&](const auto& x) { return x * c.number("factor"); });
}
/// The derivative of tanh(x y) by x, and that by y.
Results tanh_mixed_second(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_twice<Type>(c.tensor("x")), y = flat_twice<Type>(c.tensor("y"));
    const auto first = tt::grad(tt::eval(tt::sum(tt::tanh(x * y))), x);
    return {{"second", shaped_as(c.tensor("y"), tt::grad(tt::eval(tt::sum(first)), y))}};
  });
}
/// The product of all elements of a vector: its gradient, and row by row the gradient of that.
Results prod_hessian(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_twice<Type>(c.tensor("x"));
    const tt::index_t n = x.numel();
    tt::Tensor<Type, tt::Shape<>, tt::cpu, 2> product = tt::ones<Type, tt::Shape<>>();
    for (tt::index_t i = 0; i < n; ++i) product = product * tt::select(x, 0, i);
    const auto gradient = tt::grad(product, x, zeros_where_constant);
    tt::Matrix<Type> hessian = tt::zeros<Type, tt::Shape<tt::dyn, tt::dyn>>({n, n});
    for (tt::index_t i = 0; i < n; ++i)
      tt::select(hessian, 0, i) =
          tt::grad(tt::select(gradient, 0, i), x, {.retain_graph = true, .materialize_grads = true});
    return {{"grad", gradient.detach()}, {"hessian", hessian}};
  });
}

}  // namespace

void add_second_order(Adapters& table) {
  table.insert({{"cube_first_second", cube_first_second},
                {"exp3_second", exp3_second},
                {"linear_second", linear_second},
                {"tanh_mixed_second", tanh_mixed_second},
                {"prod_hessian", prod_hessian}});
}

}  // namespace cases
