// Comparisons, where, and equal.
#include "table.hpp"

namespace tt::registry {

void add_comparison(Table& table) {
  table.add(ops::comparison{});
  table.add(ops::selection{});
  table.add({{"equal(Tensor self, Tensor other) -> bool", [](const Bound& a) -> Argument {
                const AnyTensor &self = a.tensor("self"), &other = a.tensor("other");
                if (!(self.sizes() == other.sizes())) return false;
                const AnyTensor differ =
                    any_reduce<ops::sum>(any_map<ops::ne>(self, other), detail::all_axes(self.rank()), false);
                return differ.item<std::int64_t>() == 0;
              }}});
}

}  // namespace tt::registry
