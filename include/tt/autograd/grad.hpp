// grad(): derivatives as values, without touching what leaves have gathered.
#pragma once
#include <tt/autograd/backward.hpp>
#include <tt/autograd/watched.hpp>

#include <tuple>

namespace tt {

struct grad_options {
  bool retain_graph = false;       ///< results that can be differentiated keep the graph in any case
  bool allow_unused = false;       ///< the derivative by a tensor that y does not depend on is an undefined tensor, ..
  bool materialize_grads = false;  ///< .. or zeros; with neither it is an error
};

namespace detail {

/// The derivatives of a recorded run, in tensors of their own order (autograd/second_order.hpp).
template <int Order>
void recorded_gradients(Selection& selection, const AnyTensor& y, const AnyTensor& seed);

using GradientRun = void (*)(Selection& selection, const AnyTensor& y, const AnyTensor& seed);

TT_NOINLINE inline std::vector<AnyTensor> gradients_by(const AnyTensor& y, const AnyTensor& seed, std::span<const AnyTensor* const> by,
                                                       const grad_options& options, GradientRun recorded) {
  for (const AnyTensor* x : by)
    if (!x->defined()) no_elements("tt::grad");
  if (seed.dtype() != y.dtype() || !(seed.sizes() == y.sizes()))
    fail({"tt::grad: the gradient given has the extents ", seed.sizes(), ", the tensor ", y.sizes()});
  std::vector<AnyTensor> results(by.size());
  if (y.requires_grad()) {
    Selection selection(y.node().get(), by);
    for (const AnyTensor* x : by)
      if (selection.freed && !selection.find(x->node().get())) graph_was_freed(*selection.freed);
    if (recorded) {
      recorded(selection, y, seed);
    } else if (!selection.entries.empty()) {
      Engine engine;
      engine.retain = options.retain_graph;
      engine.selection = &selection;
      engine.run_selected = run_watched;
      engine.run(y.node().get(), gradient_storage(seed));
    }
    for (std::size_t i = 0; i < by.size(); ++i)
      if (const auto* e = selection.find(by[i]->node().get())) results[i] = e->gradient;
  }
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (results[i].defined() || options.allow_unused) continue;
    if (!options.materialize_grads)
      fail({"tt::grad: the result does not depend on tensor ", i, " of ", by[i]->sizes(), ", or that requires no gradient; "
            "give {.materialize_grads = true} for zeros"});
    results[i] = AnyTensor::empty(by[i]->dtype(), by[i]->sizes(), by[i]->memory());
    zero_elements(results[i]);
  }
  return results;
}

template <class X>
struct grad_by {
  static constexpr int order = order_of<X>;
};
template <class... X>
struct grad_by<std::tuple<X...>> {
  static constexpr int order = (std::min)({order_of<X>...});
};
/// What a derivative by x is, when that by y has Order.
template <class X, int Order>
using gradient_of = Tensor<value_t<X>, shape_t<X>, device_t<X>, (std::min)(order_of<X>, Order) - 1>;

template <class Y, class X>
inline constexpr int grad_order = (std::min)(order_of<Y>, grad_by<X>::order) - 1;

template <class Y, class X>
std::vector<AnyTensor> gradients(const Y& y, std::initializer_list<const AnyTensor*> by, const AnyTensor* seed, const grad_options& options) {
  constexpr int order = grad_order<Y, X>;
  static_assert(order >= 0 || error::nothing_is_tracked<error::operands<error::order<order_of<Y>>, error::order<grad_by<X>::order>>>,
                "tt::grad: both the result and what it is differentiated by must be Variables");
  if constexpr (order >= 0) {
    const AnyTensor value = evaluate(y);
    GradientRun recorded = nullptr;
    if constexpr (order > 0) recorded = recorded_gradients<order>;
    return gradients_by(value, seed ? *seed : one_like(value), {by.begin(), by.size()}, options, recorded);
  } else {
    return std::vector<AnyTensor>(by.size());
  }
}
template <class Y, class X>
auto grad_from(const Y& y, const X& x, const AnyTensor* seed, const grad_options& options) {
  return gradient_of<X, order_of<Y>>(gradients<Y, X>(y, {&x}, seed, options)[0]);
}
template <class Y, class... X>
auto grad_from(const Y& y, const std::tuple<X...>& all, const AnyTensor* seed, const grad_options& options) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    constexpr int order = grad_order<Y, std::tuple<X...>> + 1;
    const std::vector<AnyTensor> g = gradients<Y, std::tuple<X...>>(y, {&std::get<At>(all)...}, seed, options);
    return std::tuple<gradient_of<X, order>...>(gradient_of<X, order>(g[At])...);
  }(std::index_sequence_for<X...>{});
}

}  // namespace detail

/// dy/dx for a y of one element and a tensor x, a leaf or a result on the way; or for a std::tuple of tensors, as a tuple.
/// Its order is one less than that of y and x, so that the derivative of an order 2 can be differentiated again:
/// #include <tt/autograd/second_order.hpp>. Gradients that leaves gather stay as they are; hooks are called.
/// https://pytorch.org/docs/stable/generated/torch.autograd.grad.html
template <expression Y, class X>
auto grad(const Y& y, const X& x, const grad_options& options = {}, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::grad_from(y, x, nullptr, options);
}
/// For a y of any shape: the derivative of sum(seed * y). A seed with a history is differentiated too.
template <expression Y, class X, expression G>
auto grad(const Y& y, const X& x, const G& seed, const grad_options& options = {}, const place& where = place::current()) {
  static_assert(std::is_same_v<value_t<Y>, value_t<G>>, "tt::grad: the gradient given must have the dtype of the tensor");
  const detail::Noted noted(where);
  const AnyTensor given = evaluate(seed);
  return detail::grad_from(y, x, &given, options);
}

}  // namespace tt
