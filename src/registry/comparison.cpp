// Comparisons, truth values, where, and equal.
#include "table.hpp"

namespace tt::registry {

namespace {

template <class Op>
Argument both(const Bound& a) {
  return any_map<Op>(a.tensor("self"), a.tensor("other"));
}

}  // namespace

void add_comparison(Table& table) {
  table.add(ops::comparison{});
  table.add(ops::selection{});
  table.add(ops::logical{});
  // Of tensors only, unlike other operations of two.
  table.add({{"logical_and(Tensor self, Tensor other) -> Tensor", both<ops::logical_and>},
             {"logical_or(Tensor self, Tensor other) -> Tensor", both<ops::logical_or>},
             {"logical_xor(Tensor self, Tensor other) -> Tensor", both<ops::logical_xor>}});
  table.add({{"equal(Tensor self, Tensor other) -> bool", [](const Bound& a) -> Argument {
                const AnyTensor &self = a.tensor("self"), &other = a.tensor("other");
                if (!(self.sizes() == other.sizes())) return false;
                const AnyTensor differ =
                    any_reduce<ops::sum>(any_map<ops::ne>(self, other), detail::all_axes(self.rank()), false);
                return differ.item<std::int64_t>() == 0;
              }}});
}

}  // namespace tt::registry
