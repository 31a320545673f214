// Views: they share their operand's elements.
#include "table.hpp"

namespace tt::registry {

namespace {

using detail::record_view;

Argument reshaped(const Bound& a, std::string_view extents, bool must_be_view) {
  return detail::reshape_view(a.tensor("self"), extents_of(a, extents), record_view, must_be_view);
}

/// All axes in the opposite order: what T means for up to two.
Argument reversed(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  if (self.rank() > 2) not_yet(a.schema().name, "more than two axes");
  return self.rank() < 2 ? self : detail::transpose_view(self, 0, 1, record_view);
}

Argument flattened(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  if (self.rank() == 0) return detail::reshape_view(self, {1}, record_view);
  const int first = detail::view_axis("flatten", a.integer("start_dim"), self.rank());
  const int last = detail::view_axis("flatten", a.integer("end_dim"), self.rank());
  if (first > last) fail("tt::flatten: start_dim must not come after end_dim");
  if (first == last) return self;
  dims size;
  for (int i = 0; i < self.rank(); ++i)
    if (i > first && i <= last) size[-1] *= self.sizes()[i];
    else size.push_back(self.sizes()[i]);
  return detail::reshape_view(self, size, record_view);
}

Argument narrowed(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  if (self.rank() == 0) fail("tt::narrow: a tensor without axes cannot be narrowed");
  const int axis = detail::view_axis("narrow", a.integer("dim"), self.rank());
  index_t start = 0;
  if (a["start"].is<AnyTensor>()) {
    const AnyTensor& at = a.tensor("start");
    if (at.rank() != 0 || is_floating(at.dtype()) || at.dtype() == dtype::boolean)
      fail("tt::narrow: start must be a single integer");
    start = at.item<std::int64_t>();
  } else {
    start = a.integer("start");
  }
  const index_t extent = self.sizes()[axis], length = a.integer("length");
  if (length < 0) fail("tt::narrow: the length must not be negative");
  if (start < -extent || start > extent) fail_index({"tt::narrow: start ", start, " is outside an axis of ", extent});
  if (start < 0) start += extent;
  if (length > extent - start)
    fail({"tt::narrow: ", length, " positions from ", start, " are more than an axis of ", extent, " has"});
  return detail::slice_view(self, axis, start, start + length, 1, record_view);
}

}  // namespace

void add_views(Table& table) {
  table.add({
      {"t(Tensor self) -> Tensor",
       [](const Bound& a) {
         if (a.tensor("self").rank() > 2)
           fail({"tt::t: a tensor with the extents ", a.tensor("self").sizes(), " is no matrix: use transpose or mT"});
         return reversed(a);
       }},
      {"T(Tensor self) -> Tensor", reversed},
      {"mT(Tensor self) -> Tensor",
       [](const Bound& a) -> Argument {
         if (a.tensor("self").rank() < 2)
           fail({"tt::mT: a tensor with the extents ", a.tensor("self").sizes(), " is no matrix"});
         return detail::transpose_view(a.tensor("self"), -2, -1, record_view);
       }},
      {"transpose(Tensor self, int dim0, int dim1) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::transpose_view(a.tensor("self"), a.integer("dim0"), a.integer("dim1"), record_view);
       }},
      {"permute(Tensor self, int[] dims) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::permute_view(a.tensor("self"), a.integers("dims"), record_view);
       }},
      {"reshape(Tensor self, int[] shape) -> Tensor", [](const Bound& a) { return reshaped(a, "shape", false); }},
      {"view(Tensor self, int[] size) -> Tensor", [](const Bound& a) { return reshaped(a, "size", true); }},
      {"ravel(Tensor self) -> Tensor",
       [](const Bound& a) -> Argument { return detail::reshape_view(a.tensor("self"), {-1}, record_view); }},
      {"flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor", flattened},
      {"narrow(Tensor self, int dim, int start, int length) -> Tensor\n"
       "narrow.Tensor(Tensor self, int dim, Tensor start, int length) -> Tensor",
       narrowed},
      {"select(Tensor self, int dim, int index) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::select_view(a.tensor("self"), a.integer("dim"), a.integer("index"), record_view);
       }},
      {"slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::slice_view(a.tensor("self"), a.integer("dim"), a.given("start") ? a.integer("start") : 0,
                                   a.given("end") ? a.integer("end") : INT64_MAX, a.integer("step"), record_view);
       }},
  });
}

}  // namespace tt::registry
