// What writes into its first operand: the forms of elementwise ops that end in _, copies and fills.
#include <tt/autograd/write.hpp>

#include "table.hpp"

namespace tt::registry {

namespace {

bool tracked(const Argument& a) { return a.is<AnyTensor>() && a.tensor().requires_grad(); }

/// The arguments with a copy of self that has its place on the tape: backward may read what is overwritten.
Bound with_old_self(const Bound& a) {
  std::vector<Argument> values;
  bool recorded = false;
  for (std::size_t i = 0; i < a.schema().parameters.size(); ++i) {
    values.push_back(a[i]);
    recorded |= tracked(a[i]);
  }
  if (is_grad_enabled() && recorded) {
    const AnyTensor& self = a.tensor("self");
    const AnyTensor old = self.copied();
    old.set_node(self.node());
    values[0] = old;
  }
  return Bound(a.schema(), std::move(values));
}

/// A copy converts whatever it is given, as PyTorch's does; what is computed in place may not be of a higher category.
Argument copied_into(const Bound& a, const AnyTensor& source) {
  const AnyTensor& self = a.tensor("self");
  return self.copy_(source, place::unknown());
}
Argument filled(const Bound& a, const Argument& value) {
  if (value.is<AnyTensor>() && value.tensor().rank() != 0)
    fail({"tt::fill_: the value must be a number or a tensor without axes, not one with the extents ",
          value.tensor().sizes()});
  if (value.is<AnyTensor>()) return copied_into(a, value.tensor());
  return copied_into(a, detail::create_full(a.tensor("self").dtype(), {}, operand(value).entry().constant));
}

}  // namespace

Argument in_place(const Bound& a) {
  const std::string& name = a.schema().name;
  const AnyTensor& self = a.tensor("self");
  const std::string_view plain = std::string_view(name).substr(0, (std::min)(name.find('.'), name.size()) - 1);
  const AnyTensor result = find(plain)->run(with_old_self(a)).tensor();
  if (category_of(result.dtype()) > category_of(self.dtype()))
    fail({"tt::", name, ": the result is of the dtype ", name_of(result.dtype()), ", which cannot be written into ",
          name_of(self.dtype()), ": cast the tensor first, or leave the _ away"});
  if (is_complex(self.dtype()) && !is_complex(result.dtype()) && result.dtype() != dtype::boolean)
    fail({"tt::", name, ": the result is real and the tensor complex: leave the _ away"});
  if (!(result.sizes() == self.sizes()))
    fail({"tt::", name, ": the result has the extents ", result.sizes(), " and does not fit into ", self.sizes()});
  return self.copy_(result, place::unknown());
}

void add_writing(Table& table) {
  table.add({
      {"copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
       [](const Bound& a) { return copied_into(a, a.tensor("src")); }},
      {"fill_(Tensor(a!) self, Scalar value) -> Tensor(a!)\n"
       "fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)",
       [](const Bound& a) { return filled(a, a["value"]); }},
      {"zero_(Tensor(a!) self) -> Tensor(a!)", [](const Bound& a) { return filled(a, 0); }},
  });
}

}  // namespace tt::registry
