// Elementwise functions of one operand.
#include "table.hpp"

namespace tt::registry {

void add_functions(Table& table) {
  table.add(ops::exponential{});
  table.add(ops::hyperbolic{});
  table.add(ops::activation{});
  table.add(ops::complex_parts{});
  table.add({{"nn.functional.relu(Tensor input, bool inplace=False) -> Tensor", [](const Bound& a) -> Argument {
                if (a.boolean("inplace")) not_yet("relu", "inplace");
                return any_map<ops::relu>(a.tensor("input"));
              }}});
}

}  // namespace tt::registry
