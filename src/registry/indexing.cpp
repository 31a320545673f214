// Elements chosen by a tensor of positions.
#include "table.hpp"

namespace tt::registry {

void add_indexing(Table& table) {
  table.add({
      {"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
       [](const Bound& a) -> Argument {
         if (a.boolean("sparse_grad")) not_yet("gather", "sparse_grad");
         return detail::run_gather(a.tensor("self"), a.integer("dim"), a.tensor("index"), detail::record_index);
       }},
      {"index_select(Tensor self, int dim, Tensor index) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_index_select(a.tensor("self"), a.integer("dim"), a.tensor("index"), detail::record_index);
       }},
  });
}

}  // namespace tt::registry
