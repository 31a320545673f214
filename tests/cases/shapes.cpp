// Operations of the area shapes. Ranks and dtypes are those of the inputs, so most go by name.
#include "typed.hpp"

namespace cases {

namespace {

using tt::AnyTensor;
using tt::Argument;

Argument list_of(const tt::dims& size) { return Argument::List(size.begin(), size.end()); }
Results extents_of(const AnyTensor& t) { return {{"shape", list_of(t.sizes())}}; }

/// An operation of one tensor and perhaps an axis.
template <const char* Name>
Results along_axis(const Call& c) {
  const AnyTensor& x = c.tensor("x");
  return {{"y", c.given("axis") ? tt::call(Name, {x, c.at("axis")}) : tt::call(Name, {x})}};
}
template <const char* Name>
Results of_two(const Call& c) {
  return {{"y", tt::call(Name, {c.tensor("a"), c.tensor("b")})}};
}
template <const char* Name>
Results shape_along(const Call& c) {
  return extents_of(along_axis<Name>(c).at("y").tensor());
}

/// A copy of a tensor as a leaf.
AnyTensor leaf_of(const AnyTensor& x) {
  const AnyTensor copy = x.copied();
  copy.requires_grad_();
  return copy;
}
void backward_from_ones(const AnyTensor& y) {
  tt::detail::backward_from(y, tt::ones(y.dtype(), y.sizes()), false);
}

/// Gradients of the sum of the product.
Results matmul_grad(const Call& c) {
  const AnyTensor a = leaf_of(c.tensor("a")), b = leaf_of(c.tensor("b"));
  const AnyTensor y = tt::call("matmul", {a, b}).tensor();
  backward_from_ones(y);
  return {{"y", y}, {"grad_a", a.grad()}, {"grad_b", b.grad()}};
}

Results squeeze_sum_grad(const Call& c) {
  const AnyTensor x = leaf_of(c.tensor("x"));
  backward_from_ones(tt::call("sum", {tt::call("squeeze", {x})}).tensor());
  return {{"grad", x.grad()}};
}

Results cross_entropy(const Call& c) {
  const AnyTensor logits = leaf_of(c.tensor("logits"));
  std::vector<tt::NamedArgument> named;
  for (const char* name : {"weight", "reduction", "ignore_index", "label_smoothing"})
    if (c.given(name)) named.push_back({name, c.at(name)});
  const AnyTensor loss = tt::call("nn.functional.cross_entropy", {logits, c.tensor("target")}, named).tensor();
  backward_from_ones(loss);
  return {{"loss", loss}, {"grad_logits", logits.grad()}};
}

/// [start, stop, step] for each axis, null where Python has nothing.
Results slice(const Call& c) {
  AnyTensor y = c.tensor("x");
  std::int64_t axis = 0;
  for (const Argument& one : c.at("slices").get<Argument::List>()) {
    const auto& part = one.get<Argument::List>();
    const Argument step = part.size() > 2 && !part[2].is_none() ? part[2] : Argument(1);
    y = tt::call("slice", {y, axis++, part.at(0), part.at(1), step}).tensor();
  }
  return {{"y", y}};
}

Results flip_add(const Call& c) {
  const AnyTensor& x = c.tensor("x");
  return {{"y", tt::call("add", {tt::call("flip", {x, Argument::List{c.at("axis")}}), x})}};
}

Results reshape_shape(const Call& c) {
  return extents_of(tt::call("reshape", {c.tensor("x"), c.at("shape")}).tensor());
}

/// One element, seen under extents of any size: what is counted needs no memory.
AnyTensor expanded(const tt::dims& size, tt::dtype type = tt::dtype::float32) {
  return tt::call("expand", {tt::detail::create_zeros(type, {}), list_of(size)}).tensor();
}
Results numel(const Call& c) { return {{"numel", expanded(c.extents("shape")).numel()}}; }
Results broadcast_numel(const Call& c) {
  const Argument both = Argument::List{expanded(c.extents("a")), expanded(c.extents("b"))};
  return {{"numel", tt::call("broadcast_tensors", {both}).get<Argument::List>().at(0).tensor().numel()}};
}
Results flatten_shape(const Call& c) {
  return extents_of(tt::call("flatten", {expanded(c.extents("shape"))}).tensor());
}
Results nbytes_last_offset(const Call& c) {
  const tt::dims size = c.extents("shape");
  const tt::dtype type = tt::dtype_named(c.text("dtype"));
  tt::index_t stride[tt::max_rank], last = 0;
  const tt::index_t n = tt::detail::row_major(size, stride);
  for (int i = 0; i < size.rank; ++i) last += (size[i] - 1) * stride[i];
  return {{"nbytes", n * tt::index_t(tt::size_of(type))}, {"last_offset", last}};
}

constexpr char add_[] = "add", mul_[] = "mul", matmul_[] = "matmul", sum_[] = "sum", prod_[] = "prod", max_[] = "max",
               squeeze_[] = "squeeze", unsqueeze_[] = "unsqueeze";

}  // namespace

void add_shapes(Adapters& table) {
  table.insert({{"add", of_two<add_>},
                {"mul", of_two<mul_>},
                {"matmul", of_two<matmul_>},
                {"matmul_grad", matmul_grad},
                {"sum", along_axis<sum_>},
                {"prod", along_axis<prod_>},
                {"max", along_axis<max_>},
                {"cross_entropy", cross_entropy},
                {"squeeze_shape", shape_along<squeeze_>},
                {"unsqueeze_shape", shape_along<unsqueeze_>},
                {"squeeze_sum_grad", squeeze_sum_grad},
                {"reshape_shape", reshape_shape},
                {"slice", slice},
                {"flip_add", flip_add},
                {"meta_numel", numel},
                {"meta_expand_numel", numel},
                {"meta_broadcast_numel", broadcast_numel},
                {"meta_flatten_shape", flatten_shape},
                {"meta_nbytes_last_offset", nbytes_last_offset}});
}

}  // namespace cases
