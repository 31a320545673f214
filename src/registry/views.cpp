// Views: they share their operand's elements; sum_to_size, which undoes an expansion; and copies in another layout.
#include "table.hpp"

namespace tt::registry {

namespace {

/// A single integer, given as a number or as a tensor without axes.
index_t position(const Bound& a, std::string_view name) {
  if (!a[name].is<AnyTensor>()) return a.integer(name);
  const AnyTensor& at = a.tensor(name);
  if (at.rank() != 0 || is_floating(at.dtype()) || at.dtype() == dtype::boolean)
    fail({"tt::", a.schema().name, ": ", name, " must be a single integer"});
  return any_cast(at, dtype::int64).item<std::int64_t>();
}

Argument list_of(const std::vector<AnyTensor>& views) { return Argument::List(views.begin(), views.end()); }

Argument squeezed(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  if (!a.given("dim")) return squeeze(self);
  if (a["dim"].is<std::int64_t>()) return squeeze(self, a.integer("dim"));
  return squeeze(self, extents_of(a, "dim"));
}

Argument moved(const Bound& a) {
  if (a["source"].is<std::int64_t>()) return movedim(a.tensor("self"), a.integer("source"), a.integer("destination"));
  return movedim(a.tensor("self"), extents_of(a, "source"), extents_of(a, "destination"));
}

Argument broadcast_all(const Bound& a) {
  std::vector<AnyTensor> tensors;
  for (const Argument& one : a["tensors"].get<Argument::List>()) tensors.push_back(one.tensor());
  return list_of(broadcast_tensors(tensors));
}

Argument summed_to_size(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const dims size = extents_of(a, "size");
  detail::AxisSet axes = 0;
  if (!detail::sums_to(self.sizes(), size, axes))
    fail({"tt::sum_to_size: ", self.sizes(), " is no expansion of ", size});
  return reshape(axes ? any_reduce<ops::sum>(self, axes, true) : self, size);
}

Argument strided(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  return as_strided(self, extents_of(a, "size"), extents_of(a, "stride"),
                    a.given("storage_offset") ? a.integer("storage_offset") : self.storage_offset());
}

Argument split_up(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const std::string_view name = a.given("split_sizes") ? "split_sizes" : "split_size";
  if (a[name].is<std::int64_t>()) return list_of(split(self, a.integer(name), a.integer("dim")));
  return list_of(split_with_sizes(self, a.integers(name), a.integer("dim")));
}

/// Sections or positions, also as a tensor: without axes it counts sections, with one it holds positions.
Argument tensor_split_up(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const index_t axis = a.integer("dim");
  if (a.given("sections")) return list_of(tensor_split(self, a.integer("sections"), axis));
  if (a.given("indices")) return list_of(tensor_split(self, a.integers("indices"), axis));
  const AnyTensor& given = a.tensor("tensor_indices_or_sections");
  if (given.dtype() != dtype::int64 || given.rank() > 1)
    fail("tt::tensor_split: sections or positions must be an int64 tensor with at most one axis");
  if (given.rank() == 0) return list_of(tensor_split(self, given.item<std::int64_t>(), axis));
  const AnyTensor packed = given.packed();
  const auto* first = reinterpret_cast<const std::int64_t*>(packed.data_ptr());
  const std::vector<index_t> at(first, first + packed.numel());
  return list_of(tensor_split(self, at, axis));
}

/// x in a memory format: itself where it lies so and no copy is asked for.
AnyTensor in_format(const Bound& a, bool copy) {
  const AnyTensor& self = a.tensor("self");
  if (const AnyTensor laid_out = channels_last(a, self.dtype(), copy); laid_out.defined()) return laid_out;
  check_placement(a);
  return !copy && self.is_contiguous() ? self : any_clone(self);
}

}  // namespace

AnyTensor channels_last(const Bound& a, dtype type, bool copy) {
  const std::string format = a.given("memory_format") ? a.string("memory_format") : "";
  const int rank = format == "channels_last" ? 4 : format == "channels_last_3d" ? 5 : 0;
  if (rank == 0) return {};
  const AnyTensor& self = a.tensor("self");
  if (self.rank() != rank)
    fail({"tt::", a.schema().name, ": ", format, " is for ", rank, " axes, not for the extents ", self.sizes()});
  const AnyTensor last = movedim(self, 1, -1);
  if (self.dtype() != type) return movedim(any_cast(last, type), -1, 1);
  return !copy && last.is_contiguous() ? self : movedim(any_clone(last), -1, 1);
}

void add_views(Table& table) {
  table.add({
      {"t(Tensor self) -> Tensor", [](const Bound& a) -> Argument { return t(a.tensor("self")); }},
      {"T(Tensor self) -> Tensor", [](const Bound& a) -> Argument { return T(a.tensor("self")); }},
      {"mT(Tensor self) -> Tensor", [](const Bound& a) -> Argument { return mT(a.tensor("self")); }},
      {"transpose(Tensor self, int dim0, int dim1) -> Tensor",
       [](const Bound& a) -> Argument { return transpose(a.tensor("self"), a.integer("dim0"), a.integer("dim1")); }},
      {"permute(Tensor self, int[] dims) -> Tensor",
       [](const Bound& a) -> Argument { return permute(a.tensor("self"), extents_of(a, "dims")); }},
      {"movedim(Tensor self, int source, int destination) -> Tensor\n"
       "movedim.intlist(Tensor self, int[] source, int[] destination) -> Tensor",
       moved},
      {"squeeze(Tensor self) -> Tensor\n"
       "squeeze.dim(Tensor self, int dim) -> Tensor\n"
       "squeeze.dims(Tensor self, int[] dim) -> Tensor",
       squeezed},
      {"unsqueeze(Tensor self, int dim) -> Tensor",
       [](const Bound& a) -> Argument { return unsqueeze(a.tensor("self"), a.integer("dim")); }},
      {"expand(Tensor self, int[] size, *, bool implicit=False) -> Tensor",
       [](const Bound& a) -> Argument { return expand(a.tensor("self"), extents_of(a, "size")); }},
      {"broadcast_to(Tensor self, int[] size) -> Tensor",
       [](const Bound& a) -> Argument { return broadcast_to(a.tensor("self"), extents_of(a, "size")); }},
      {"expand_as(Tensor self, Tensor other) -> Tensor",
       [](const Bound& a) -> Argument { return expand_as(a.tensor("self"), a.tensor("other")); }},
      {"broadcast_tensors(Tensor[] tensors) -> Tensor[]", broadcast_all},
      {"sum_to_size(Tensor self, int[] size) -> Tensor", summed_to_size},
      {"reshape(Tensor self, int[] shape) -> Tensor",
       [](const Bound& a) -> Argument { return reshape(a.tensor("self"), extents_of(a, "shape")); }},
      {"view(Tensor self, int[] size) -> Tensor",
       [](const Bound& a) -> Argument { return view(a.tensor("self"), extents_of(a, "size")); }},
      {"ravel(Tensor self) -> Tensor", [](const Bound& a) -> Argument { return ravel(a.tensor("self")); }},
      {"flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor",
       [](const Bound& a) -> Argument {
         return flatten(a.tensor("self"), a.integer("start_dim"), a.integer("end_dim"));
       }},
      {"unflatten(Tensor self, int dim, int[] sizes) -> Tensor",
       [](const Bound& a) -> Argument {
         return unflatten(a.tensor("self"), a.integer("dim"), extents_of(a, "sizes"));
       }},
      {"narrow(Tensor self, int dim, int start, int length) -> Tensor\n"
       "narrow.Tensor(Tensor self, int dim, Tensor start, int length) -> Tensor",
       [](const Bound& a) -> Argument {
         return narrow(a.tensor("self"), a.integer("dim"), position(a, "start"), a.integer("length"));
       }},
      {"select(Tensor self, int dim, int index) -> Tensor",
       [](const Bound& a) -> Argument { return select(a.tensor("self"), a.integer("dim"), a.integer("index")); }},
      {"slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
       [](const Bound& a) -> Argument {
         return slice(a.tensor("self"), a.integer("dim"), a.given("start") ? a.integer("start") : 0,
                      a.given("end") ? a.integer("end") : INT64_MAX, a.integer("step"));
       }},
      {"diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
       [](const Bound& a) -> Argument {
         return diagonal(a.tensor("self"), a.integer("offset"), a.integer("dim1"), a.integer("dim2"));
       }},
      {"unfold(Tensor self, int dimension, int size, int step) -> Tensor",
       [](const Bound& a) -> Argument {
         return unfold(a.tensor("self"), a.integer("dimension"), a.integer("size"), a.integer("step"));
       }},
      {"as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", strided},
      {"unbind(Tensor self, int dim=0) -> Tensor[]",
       [](const Bound& a) { return list_of(unbind(a.tensor("self"), a.integer("dim"))); }},
      {"split(Tensor self, int split_size, int dim=0) -> Tensor[]\n"
       "split.sizes(Tensor self, int[] split_size, int dim=0) -> Tensor[]",
       split_up},
      {"split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", split_up},
      {"chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
       [](const Bound& a) { return list_of(chunk(a.tensor("self"), a.integer("chunks"), a.integer("dim"))); }},
      {"tensor_split(Tensor self, int sections, int dim=0) -> Tensor[]\n"
       "tensor_split.indices(Tensor self, int[] indices, int dim=0) -> Tensor[]\n"
       "tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]",
       tensor_split_up},
      {"clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
       [](const Bound& a) -> Argument { return in_format(a, true); }},
      {"contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor",
       [](const Bound& a) -> Argument { return in_format(a, false); }},
  });
}

}  // namespace tt::registry
