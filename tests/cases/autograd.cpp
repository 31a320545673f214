// Operations of the area autograd.
#include "typed.hpp"

namespace cases {

namespace {

using tt::AnyTensor;

/// The gradient of f(x), summed, for an elementwise f over all elements.
template <class Function>
Results gradient_of(const Call& c, Function f) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_leaf<Type>(c.tensor("x"));
    tt::backward(tt::sum(f(x)));
    return {{"grad", shaped_as(c.tensor("x"), x.grad())}};
  });
}

AnyTensor leaf_of(const AnyTensor& x) {
  const AnyTensor copy = x.copied();
  copy.requires_grad_();
  return copy;
}
void backward_from_ones(const AnyTensor& y) {
  tt::detail::backward_from(y, tt::ones(y.dtype(), y.sizes()), false);
}

/// Gradients of a sum of any two shapes that broadcast.
template <const char* Name>
Results of_two(const Call& c) {
  const AnyTensor a = leaf_of(c.tensor("a")), b = leaf_of(c.tensor("b"));
  backward_from_ones(tt::call(Name, {a, b}).tensor());
  return {{"grad_a", a.grad()}, {"grad_b", b.grad()}};
}
/// sum((label - (in1 + in2))^2)
Results broadcast_sq_loss_grad(const Call& c) {
  const AnyTensor a = leaf_of(c.tensor("in1")), b = leaf_of(c.tensor("in2"));
  const tt::Argument off = tt::call("sub", {c.tensor("label"), tt::call("add", {a, b})});
  backward_from_ones(tt::call("square", {off}).tensor());
  return {{"grad_in1", a.grad()}, {"grad_in2", b.grad()}};
}

Results sigmoid_grad(const Call& c) {
  return gradient_of(c, [](const auto& x) { return tt::sigmoid(x); });
}
/// sigmoid(x), whose output is then zeroed under another handle: what backward needs is gone.
Results saved_then_zeroed(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_leaf<Type>(c.tensor("x"));
    const tt::Tensor y = tt::sigmoid(x);
    y.detach().zero_();
    tt::backward(tt::sum(y));
    return {{"grad", shaped_as(c.tensor("x"), x.grad())}};
  });
}
Results factor_then_incremented(const Call& c) {
  return with_floating(c.tensor("v"), [&]<class Type>(Type) -> Results {
    const auto v = flat_leaf<Type>(c.tensor("v"));
    const auto s = typed<Type, 0>(c.tensor("s").copied());
    const tt::Tensor y = v * s;
    s += Type(5);
    tt::backward(tt::sum(y));
    return {{"grad", shaped_as(c.tensor("v"), v.grad())}};
  });
}
/// x * factor keeps nothing of x, so x may change.
Results scale_then_increment(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_leaf<Type>(c.tensor("x"));
    const tt::Tensor y = x * c.number("factor");
    x.detach() += 1;
    tt::backward(tt::sum(y));
    return {{"grad", shaped_as(c.tensor("x"), x.grad())}};
  });
}
/// y = y + y * eps, n times.
Results deep_chain_grad(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_leaf<Type>(c.tensor("x"));
    tt::Variable<Type, tt::Shape<tt::dyn>> y = x;
    for (tt::index_t i = 0; i < c.integer("n"); ++i) y = y + y * c.number("eps");
    tt::backward(tt::sum(y));
    return {{"grad", shaped_as(c.tensor("x"), x.grad())}};
  });
}

/// The sum of x^3, differentiated several times; without retaining the graph only once.
Results cube_grad(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = flat_leaf<Type>(c.tensor("x"));
    const tt::Tensor y = tt::sum(x * x * x);
    for (tt::index_t pass = 0; pass < c.integer("passes"); ++pass)
      tt::backward(y, c.boolean("retain") ? tt::retain_graph : tt::graph::free);
    return {{"grad", shaped_as(c.tensor("x"), x.grad())}};
  });
}

Results gather_grad(const Call& c) {
  const AnyTensor x = leaf_of(c.tensor("x"));
  const AnyTensor y = tt::call("gather", {x, c.at("axis"), c.tensor("index")}).tensor();
  tt::detail::backward_from(y, c.tensor("upstream"), false);
  return {{"grad", x.grad()}};
}
Results index_rows_grad(const Call& c) {
  const AnyTensor x = leaf_of(c.tensor("x"));
  backward_from_ones(tt::call("index_select", {x, 0, c.tensor("index")}).tensor());
  return {{"grad", x.grad()}};
}
Results index_put_accumulate(const Call& c) {
  const tt::Argument index = tt::Argument::List{c.tensor("index")};
  return {{"y", tt::call("index_put", {c.tensor("x"), index, c.tensor("value"), true})}};
}

// The branch not taken has an infinite slope, or none.
Results where_sqrt_grad(const Call& c) {
  return gradient_of(c, [](const auto& x) { return tt::where(x > 0, tt::sqrt(x), x); });
}
Results where_half_grad(const Call& c) {
  return gradient_of(c, [](const auto& x) { return tt::where(x == 0, x / 2, tt::sqrt(x) + 1); });
}
Results where_cos_grad(const Call& c) {
  return gradient_of(c, [](const auto& x) { return tt::where(x < 1, tt::cos(x), 0); });
}
Results where_log2_grad(const Call& c) {
  return gradient_of(c, [](const auto& x) { return tt::where(x > 2, tt::log2(x), x * 2); });
}
/// log(x)[-1]
Results log_last_grad(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = leaf<Type, 1>(c.tensor("x").copied());
    tt::backward(tt::select<0>(tt::log(x), -1));
    return {{"grad", x.grad()}};
  });
}

constexpr char add_[] = "add", mul_[] = "mul";

}  // namespace

void add_autograd(Adapters& table) {
  table.insert({{"add_sum_grad", of_two<add_>},
                {"mul_sum_grad", of_two<mul_>},
                {"broadcast_sq_loss_grad", broadcast_sq_loss_grad},
                {"sigmoid_grad", sigmoid_grad},
                {"saved_then_zeroed", saved_then_zeroed},
                {"factor_then_incremented", factor_then_incremented},
                {"scale_then_increment", scale_then_increment},
                {"deep_chain_grad", deep_chain_grad},
                {"cube_grad", cube_grad},
                {"gather_grad", gather_grad},
                {"index_rows_grad", index_rows_grad},
                {"index_put_accumulate", index_put_accumulate},
                {"where_sqrt_grad", where_sqrt_grad},
                {"where_half_grad", where_half_grad},
                {"where_cos_grad", where_cos_grad},
                {"where_log2_grad", where_log2_grad},
                {"log_last_grad", log_last_grad}});
}

}  // namespace cases
