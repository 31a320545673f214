// Random numbers beside rand and randn: randint, randperm; uniform_, normal_, exponential_, which write through;
// bernoulli, multinomial, dropout. All draw from the thread's generator or from one of your own, and give the same
// numbers for the same seed on any number of threads.
#pragma once
#include <tt/expr/random.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/creation.hpp>

namespace tt {

/// Integers from low, included, to high, excluded: randint<Shape<2, 3>>(0, 10), randint<Shape<dyn>>(0, 10, {n}).
/// https://pytorch.org/docs/stable/generated/torch.randint.html
template <class ShapeType, element Type = std::int64_t>
Tensor<Type, ShapeType> randint(std::int64_t low, std::int64_t high,
                                const dims& size = detail::static_extents<ShapeType>(),
                                Generator& generator = default_generator()) {
  return Tensor<Type, ShapeType>(detail::draw_integers(dtype_of<Type>, low, high, size, generator));
}
/// The numbers 0 .. n - 1 in a random order.
inline Vector<std::int64_t> randperm(index_t n, Generator& generator = default_generator());

/// Writes numbers that are uniform in [from, to) into the elements.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.uniform_.html
template <std::derived_from<AnyTensor> TensorType>
const TensorType& uniform_(const TensorType& x, double from = 0, double to = 1,
                           Generator& generator = default_generator()) {
  detail::draw_uniform(x, from, to, generator);
  return x;
}
/// Writes normal numbers into the elements.
template <std::derived_from<AnyTensor> TensorType>
const TensorType& normal_(const TensorType& x, double mean = 0, double std = 1,
                          Generator& generator = default_generator()) {
  detail::draw_normal(x, mean, std, generator);
  return x;
}
/// Writes numbers of the density rate * exp(-rate * t) into the elements.
template <std::derived_from<AnyTensor> TensorType>
const TensorType& exponential_(const TensorType& x, double rate = 1, Generator& generator = default_generator()) {
  detail::draw_exponential(x, rate, generator);
  return x;
}

/// 1 with the probability beside each element, else 0, in the dtype of the probabilities. It has no derivative.
/// https://pytorch.org/docs/stable/generated/torch.bernoulli.html
template <expression X>
auto bernoulli(const X& probabilities, Generator& generator = default_generator()) {
  static_assert(floating_element<value_t<X>> || error::wrong_dtype<error::operands<value_t<X>>>,
                "tt::bernoulli: probabilities are floating numbers: cast them with to<T>()");
  return Tensor<value_t<X>, shape_t<X>>(
      detail::draw_bernoulli(evaluate(probabilities), dtype_of<value_t<X>>, generator));
}
/// Positions drawn with the weights of a vector, or of each row of a matrix.
/// https://pytorch.org/docs/stable/generated/torch.multinomial.html
template <expression X>
auto multinomial(const X& weights, index_t samples, bool replacement = false,
                 Generator& generator = default_generator()) {
  static_assert(rank_of<X> == 1 || rank_of<X> == 2, "tt::multinomial: weights are a vector or rows of a matrix");
  return Dyn<std::int64_t, rank_of<X>>(detail::draw_multinomial(evaluate(weights), samples, replacement, generator));
}

/// Each element is 0 with probability p, else x / (1 - p); outside of training x itself.
/// https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
template <expression X>
auto dropout(const X& x, double p = 0.5, bool training = true, Generator& generator = default_generator()) {
  static_assert(floating_element<value_t<X>> || error::wrong_dtype<error::operands<value_t<X>>>,
                "tt::dropout: x must be floating: cast it with to<T>()");
  using result = Tensor<value_t<X>, shape_t<X>, device_t<X>, order_of<X>>;
  const result stored = eval(x);
  detail::check_dropout(p);
  if (!training) return stored;
  using mask = Tensor<value_t<X>, shape_t<X>, device_t<X>>;
  return result(stored * mask(detail::draw_dropout(dtype_of<value_t<X>>, stored.sizes(), p, generator)));
}

}  // namespace tt
