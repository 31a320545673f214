// Elements chosen by a tensor of positions.
#include "table.hpp"

namespace tt::registry {

namespace {

/// The value counts as one of the tensor's dtype, whatever its own is.
Argument masked_fill(const Bound& a) {
  const AnyTensor &self = a.tensor("self"), &mask = a.tensor("mask");
  if (mask.dtype() != dtype::boolean)
    fail({"tt::masked_fill: the mask must be bool, not ", name_of(mask.dtype())});
  const AnyOperand value = operand(a["value"]);
  if (value.tensor() && value.tensor()->rank() > 0)
    fail({"tt::masked_fill: the value must be a number or a tensor without axes, not ", value.tensor()->sizes()});
  const AnyTensor element = value.tensor()
                                ? any_cast(*value.tensor(), self.dtype())
                                : detail::in_memory(detail::create_full(self.dtype(), {}, value.entry().constant), self.memory());
  return any_map<ops::where>(mask, element, self);
}

}  // namespace

void add_indexing(Table& table) {
  table.add({
      {"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
       [](const Bound& a) -> Argument {
         if (a.boolean("sparse_grad")) not_yet("gather", "sparse_grad");
         return detail::run_gather(a.tensor("self"), a.integer("dim"), a.tensor("index"), detail::record_index);
       }},
      {"index_put(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor",
       [](const Bound& a) -> Argument {
         std::vector<AnyTensor> indices;
         for (const Argument& one : a["indices"].get<Argument::List>()) indices.push_back(one.tensor());
         detail::AddAt add = nullptr;
         if (a.boolean("accumulate"))
           visit(a.tensor("self").dtype(), [&]<class Type>(Type) { add = detail::add_at<Type>; });
         return detail::run_index_put(a.tensor("self"), indices, a.tensor("values"), add, detail::record_put);
       }},
      {"masked_fill(Tensor self, Tensor mask, Scalar value) -> Tensor\n"
       "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
       masked_fill},
      {"index_select(Tensor self, int dim, Tensor index) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_index_select(a.tensor("self"), a.integer("dim"), a.tensor("index"), detail::record_index);
       }},
  });
}

}  // namespace tt::registry
