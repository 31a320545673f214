// Elementwise functions.
#include "table.hpp"

namespace tt::registry {

void add_functions(Table& table) {
  table.add(ops::exponential{});
  table.add(ops::hyperbolic{});
  table.add(ops::trigonometric{});
  table.add(ops::rounding{});
  table.add(ops::activation{});
  table.add(ops::complex_parts{}, false);
  table.add({{"round(Tensor self) -> Tensor\n"
              "round.decimals(Tensor self, *, int decimals) -> Tensor",
              [](const Bound& a) -> Argument {
                if (a.given("decimals") && a.integer("decimals") != 0) not_yet("round", "a number of decimals");
                return any_map<ops::round>(a.tensor("self"));
              }}});
  table.add({{"nn.functional.relu(Tensor input, bool inplace=False) -> Tensor", [](const Bound& a) -> Argument {
                if (a.boolean("inplace")) return call("relu_", {a.tensor("input")});
                return any_map<ops::relu>(a.tensor("input"));
              }}});
}

}  // namespace tt::registry
