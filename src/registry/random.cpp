// Random numbers, from the thread's generator.
#include "table.hpp"

#include <tt/random.hpp>

namespace tt::registry {

namespace {

template <AnyTensor (*Draw)(dtype, const dims&, Generator&)>
Argument drawn(const Bound& a) {
  const dims size = a.given("self") ? a.tensor("self").sizes() : extents_of(a, "size");
  const dtype otherwise = a.given("self") ? a.tensor("self").dtype() : default_dtype;
  return placed(a, Draw(a.dtype_or("dtype", otherwise), size, default_generator()));
}

Argument integers(const Bound& a) {
  const std::int64_t low = a.given("low") ? a.integer("low") : 0;
  return placed(a, detail::draw_integers(a.dtype_or("dtype", dtype::int64), low, a.integer("high"),
                                         extents_of(a, "size"), default_generator()));
}

}  // namespace

void add_random(Table& table) {
  table.add({
      {"rand(int[] size, " TT_PLACEMENT ") -> Tensor", drawn<rand>},
      {"randn(int[] size, " TT_PLACEMENT ") -> Tensor", drawn<randn>},
      {"rand_like(Tensor self, " TT_PLACEMENT_LIKE, drawn<rand>},
      {"randn_like(Tensor self, " TT_PLACEMENT_LIKE, drawn<randn>},
      {"randint(int high, int[] size, " TT_PLACEMENT ") -> Tensor\n"
       "randint.low(int low, int high, int[] size, " TT_PLACEMENT ") -> Tensor",
       integers},
      {"randperm(int n, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) -> Argument {
         const AnyTensor order = detail::draw_permutation(a.integer("n"), default_generator());
         return placed(a, any_cast(order, a.dtype_or("dtype", dtype::int64)));
       }},
      {"bernoulli(Tensor self) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::draw_bernoulli(a.tensor("self"), a.tensor("self").dtype(), default_generator());
       }},
      {"multinomial(Tensor self, int num_samples, bool replacement=False) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::draw_multinomial(a.tensor("self"), a.integer("num_samples"), a.boolean("replacement"),
                                         default_generator());
       }},
      {"nn.functional.dropout(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
       [](const Bound& a) -> Argument {
         const AnyTensor& x = a.tensor("input");
         if (a.boolean("inplace")) not_yet("dropout", "inplace");
         if (!is_floating(x.dtype())) fail({"tt::dropout: x must be floating, not ", name_of(x.dtype()), ": cast it"});
         detail::check_dropout(a["p"].get<double>());
         if (!a.boolean("training")) return x;
         return any_map<ops::mul>(
             x, detail::draw_dropout(x.dtype(), x.sizes(), a["p"].get<double>(), default_generator()));
       }},
  });
}

}  // namespace tt::registry
