// gradgradcheck: are the second derivatives of a function those that central differences of its gradients show?
#pragma once
#include <tt/autograd/gradcheck.hpp>
#include <tt/autograd/second_order.hpp>

namespace tt {

namespace detail {

/// What the results of f are weighted by: an input of the check as well.
template <class Y>
auto gradgradcheck_seed(const Y& y) {
  Tensor<value_t<Y>, shape_t<Y>, device_t<Y>, 1> seed(y.sizes());
  for (index_t i = 0; i < seed.numel(); ++i) seed.data()[i] = gradcheck_weight(99, i);
  seed.requires_grad_();
  return seed;
}
/// All that require a gradient, as the tensors that grad() takes.
template <class... X>
auto differentiated(const X&... x) {
  return std::tuple_cat([&] {
    if constexpr (order_of<X> > 0) return std::tuple<X>(x);
    else return std::tuple<>();
  }()...);
}

template <class Function, class... X>
bool check_second(const gradcheck_options& options, const Function& f, const X&... inputs) {
  const auto gradient = [&](const auto&... all) {  // the inputs, and the seed
    const auto tied = std::tie(all...);
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return grad(eval(f(std::get<At>(tied)...)), differentiated(std::get<At>(tied)...), std::get<sizeof...(X)>(tied),
                  {.materialize_grads = true});
    }(std::index_sequence_for<X...>{});
  };
  const auto check = [&](const auto&... own) {
    return check_gradients<2>("tt::gradgradcheck", options, gradient, own..., gradgradcheck_seed(eval(f(own...))));
  };
  return check(gradcheck_input<2>(inputs)...);
}

}  // namespace detail

/// Whether the gradients of f(inputs...) are differentiated rightly: gradcheck() of the gradient as a function of the inputs
/// and of what arrives at the result, which is the last input; real ones. f is called with tensors of order 2 and returns
/// one tensor or expression.
/// https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html
template <class Function, expression... X>
bool gradgradcheck(const gradcheck_options& options, const Function& f, const X&... inputs) {
  constexpr bool real = ((order_of<X> <= 0 || !is_complex(dtype_of<value_t<X>>)) && ...);
  static_assert(real, "tt::gradgradcheck: complex tensors can be differentiated once: check them with gradcheck");
  if constexpr (!real) return true;
  else return detail::check_second(options, f, inputs...);
}
template <class Function, expression... X>
  requires(!std::is_same_v<Function, gradcheck_options>)
bool gradgradcheck(const Function& f, const X&... inputs) {
  return gradgradcheck(gradcheck_options{}, f, inputs...);
}

}  // namespace tt
