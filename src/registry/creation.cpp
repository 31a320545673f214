// Factories.
#include "table.hpp"

namespace tt::registry {

namespace {

/// What a literal makes of a factory that is given no dtype.
dtype literal_dtype(const Argument& number) { return operand(number).dtype(); }

Argument filled(const Bound& a, dtype type, const dims& size, const Argument& value) {
  return placed(a, detail::create_full(type, size, operand(value).entry().constant));
}
Argument filled_like(const Bound& a, const Argument& value) {
  const AnyTensor& self = a.tensor("self");
  return filled(a, a.dtype_or("dtype", self.dtype()), a.given("size") ? extents_of(a, "size") : self.sizes(), value);
}
Argument filled_new(const Bound& a, const Argument& value, dtype otherwise) {
  return filled(a, a.dtype_or("dtype", otherwise), extents_of(a, "size"), value);
}

/// What a range of these numbers is of where no dtype is given.
dtype range_dtype(const Bound& a, std::initializer_list<const Argument*> bounds) {
  bool floating = false;
  for (const Argument* one : bounds) floating |= one->is<double>();
  return a.dtype_or("dtype", floating ? default_dtype : dtype::int64);
}
detail::Constant constant(const Argument& x) { return operand(x).entry().constant; }

Argument range(const Bound& a) {
  const Argument zero = 0, one = 1;
  const Argument &start = a.given("start") ? a["start"] : zero, &step = a.given("step") ? a["step"] : one,
                 &end = a["end"];
  return placed(
      a, detail::create_arange(range_dtype(a, {&start, &end, &step}), constant(start), constant(end), constant(step)));
}

Argument unset(const Bound& a, dtype otherwise) {
  return placed(a, detail::create_empty(a.dtype_or("dtype", otherwise),
                                        a.given("size") ? extents_of(a, "size") : a.tensor("self").sizes()));
}

template <detail::triangle Part>
Argument triangle_indices(const Bound& a) {
  return placed(a, detail::create_triangle(a.dtype_or("dtype", dtype::int64), a.integer("row"), a.integer("col"),
                                           a.integer("offset"), Part));
}

}  // namespace

void add_creation(Table& table) {
  table.add({
      {"zeros(int[] size, " TT_PLACEMENT ") -> Tensor", [](const Bound& a) { return filled_new(a, 0, default_dtype); }},
      {"ones(int[] size, " TT_PLACEMENT ") -> Tensor", [](const Bound& a) { return filled_new(a, 1, default_dtype); }},
      {"full(int[] size, Scalar fill_value, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) { return filled_new(a, a["fill_value"], literal_dtype(a["fill_value"])); }},
      {"zeros_like(Tensor self, " TT_PLACEMENT_LIKE, [](const Bound& a) { return filled_like(a, 0); }},
      {"ones_like(Tensor self, " TT_PLACEMENT_LIKE, [](const Bound& a) { return filled_like(a, 1); }},
      {"full_like(Tensor self, Scalar fill_value, " TT_PLACEMENT_LIKE,
       [](const Bound& a) { return filled_like(a, a["fill_value"]); }},
      {"new_zeros(Tensor self, int[] size, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) { return filled_like(a, 0); }},
      {"new_ones(Tensor self, int[] size, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) { return filled_like(a, 1); }},
      {"new_full(Tensor self, int[] size, Scalar fill_value, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) { return filled_like(a, a["fill_value"]); }},
      {"arange(Scalar end, " TT_PLACEMENT ") -> Tensor\n"
       "arange.start(Scalar start, Scalar end, " TT_PLACEMENT ") -> Tensor\n"
       "arange.start_step(Scalar start, Scalar end, Scalar step=1, " TT_PLACEMENT ") -> Tensor",
       range},
      {"linspace(Scalar start, Scalar end, int steps, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) {
         return placed(a, detail::create_linspace(a.dtype_or("dtype", default_dtype), constant(a["start"]),
                                                  constant(a["end"]), a.integer("steps")));
       }},
      {"logspace(Scalar start, Scalar end, int steps, float base=10.0, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) {
         return placed(a, detail::create_logspace(a.dtype_or("dtype", default_dtype), constant(a["start"]),
                                                  constant(a["end"]), a.integer("steps"), a["base"].get<double>()));
       }},
      {"eye(int n, " TT_PLACEMENT ") -> Tensor\n"
       "eye.m(int n, int m, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) {
         return placed(a, detail::create_eye(a.dtype_or("dtype", default_dtype), a.integer("n"),
                                             a.integer(a.given("m") ? "m" : "n")));
       }},
      {"tril_indices(int row, int col, int offset=0, " TT_PLACEMENT ") -> Tensor",
       triangle_indices<detail::triangle::lower>},
      {"triu_indices(int row, int col, int offset=0, " TT_PLACEMENT ") -> Tensor",
       triangle_indices<detail::triangle::upper>},
      {"empty(int[] size, " TT_PLACEMENT ") -> Tensor", [](const Bound& a) { return unset(a, default_dtype); }},
      {"empty_like(Tensor self, " TT_PLACEMENT_LIKE, [](const Bound& a) { return unset(a, a.tensor("self").dtype()); }},
      {"new_empty(Tensor self, int[] size, " TT_PLACEMENT ") -> Tensor",
       [](const Bound& a) { return unset(a, a.tensor("self").dtype()); }},
  });
}

}  // namespace tt::registry
