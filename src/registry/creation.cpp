// Factories.
#include "table.hpp"

namespace tt::registry {

namespace {

/// What a literal makes of a factory that is given no dtype.
dtype literal_dtype(const Argument& number) { return operand(number).dtype(); }

Argument filled(const Bound& a, dtype type, const dims& size, const Argument& value) {
  check_placement(a);
  const detail::Constant c = operand(value).entry().constant;
  return detail::create_full(type, size, c.floating,
                             value.is<double>() && !is_floating(type) ? std::int64_t(c.floating) : c.integer);
}
Argument filled_like(const Bound& a, const Argument& value) {
  const AnyTensor& self = a.tensor("self");
  return filled(a, a.dtype_or("dtype", self.dtype()), a.given("size") ? extents_of(a, "size") : self.sizes(), value);
}
Argument filled_new(const Bound& a, const Argument& value, dtype otherwise) {
  return filled(a, a.dtype_or("dtype", otherwise), extents_of(a, "size"), value);
}

Argument range(const Bound& a) {
  check_placement(a);
  const Argument zero = 0, one = 1;
  const Argument &start = a.given("start") ? a["start"] : zero, &step = a.given("step") ? a["step"] : one,
                 &end = a["end"];
  const bool floating = start.is<double>() || end.is<double>() || step.is<double>();
  const auto value = [](const Argument& x) { return operand(x).entry().constant.floating; };
  return detail::create_arange(a.dtype_or("dtype", floating ? default_dtype : dtype::int64), value(start), value(end),
                               value(step));
}

}  // namespace

// What every factory takes after its own parameters.
#define TT_PLACEMENT "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
#define TT_PLACEMENT_LIKE TT_PLACEMENT ", MemoryFormat? memory_format=None) -> Tensor"

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
  });
}

}  // namespace tt::registry
