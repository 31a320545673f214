// Copies that rearrange: joining, reordering, repeating, diagonals and triangles; and grids.
#include "table.hpp"

namespace tt::registry {

namespace {

using detail::record_move;

/// A list of tensors; then all in the dtype they are promoted to.
std::vector<AnyTensor> tensors_of(const Bound& a, std::string_view name) {
  std::vector<AnyTensor> list;
  for (const Argument& one : a[name].get<Argument::List>()) list.push_back(one.tensor());
  return list;
}
std::vector<AnyTensor> promoted_tensors(const Bound& a) {
  std::vector<AnyTensor> list = tensors_of(a, "tensors");
  if (list.empty()) fail({"tt::", a.schema().name, ": the list of tensors is empty"});
  dtype type = list[0].dtype();
  for (const AnyTensor& one : list) type = promote(type, one.dtype());
  for (AnyTensor& one : list) one = any_cast(one, type);
  return list;
}

Argument joined(const Bound& a) {
  return detail::run_cat(a.schema().name.c_str(), promoted_tensors(a), a.integer("dim"), record_move);
}
/// Side by side or one above the other, of tensors with so many axes at least.
template <int Rank>
Argument stacked(const Bound& a) {
  std::vector<AnyTensor> list = promoted_tensors(a);
  for (AnyTensor& one : list) one = detail::at_least(one, Rank, detail::record_view);
  return detail::run_cat(a.schema().name.c_str(), list, Rank == 1 && list[0].rank() > 1 ? 1 : 0, record_move);
}

Argument flipped(const Bound& a, int rank, index_t axis) {
  const AnyTensor& self = a.tensor("self");
  if (self.rank() < rank) fail({"tt::", a.schema().name, ": the extents ", self.sizes(), " have too few axes"});
  return detail::run_flip(a.schema().name.c_str(), self, {&axis, 1}, record_move);
}

Argument rolled(const Bound& a) {
  const AnyTensor& self = a.tensor("self");
  const auto shifts = a.integers("shifts"), axes = a.integers("dims");
  if (!axes.empty()) return detail::run_roll(self, shifts, axes, record_move);
  const index_t first = 0;
  const AnyTensor flat = detail::reshape_view(self, {-1}, detail::record_view);
  return detail::reshape_view(detail::run_roll(flat, shifts, {&first, 1}, record_move), self.sizes(),
                              detail::record_view);
}

Argument turned(const Bound& a) {
  const auto axes = a.integers("dims");
  if (axes.size() != 2) fail({"tt::rot90: ", axes.size(), " axes are no plane: it takes two"});
  return detail::run_rot90(a.tensor("self"), a.integer("k"), axes[0], axes[1], record_move);
}

Argument interleaved(const Bound& a) {
  const auto checked = [&](const AnyTensor& out, int axis) {
    if (a.given("output_size") && a.integer("output_size") != out.size(axis))
      fail({"tt::repeat_interleave: output_size is ", a.integer("output_size"), ", but the result has ",
            out.size(axis)});
    return out;
  };
  if (!a.given("self"))
    return checked(detail::interleaved_positions(a.tensor("repeats"), a.tensor("repeats").size(0)), 0);
  AnyTensor self = a.tensor("self");
  if (!a.given("dim")) self = detail::reshape_view(self, {-1}, detail::record_view);
  const int axis = detail::view_axis("repeat_interleave", a.given("dim") ? a.integer("dim") : 0, self.rank());
  if (!a["repeats"].is<AnyTensor>())
    return checked(detail::run_interleave(self, a.integer("repeats"), axis, record_move), axis);
  if (self.rank() == 0) self = detail::reshape_view(self, {1}, detail::record_view);
  const AnyTensor positions = detail::interleaved_positions(a.tensor("repeats"), self.size(axis));
  return checked(detail::run_index_select(self, axis, positions, detail::record_index), axis);
}

template <detail::triangle Part>
Argument triangle_of(const Bound& a) {
  return detail::run_triangle(a.tensor("self"), a.integer("diagonal"), Part, detail::record_triangle);
}

Argument grid(const Bound& a) {
  const std::vector<AnyTensor> vectors = tensors_of(a, "tensors");
  const std::string& how = a.string("indexing");
  if (how != "ij" && how != "xy") fail({"tt::meshgrid: indexing must be 'ij' or 'xy', not '", how, "'"});
  if (vectors.empty()) fail("tt::meshgrid: the list of tensors is empty");
  dims size;
  for (const AnyTensor& v : vectors) {
    if (v.dtype() != vectors[0].dtype()) fail("tt::meshgrid: the tensors must have one dtype");
    size.push_back(v.numel());
  }
  const bool xy = how == "xy" && size.rank > 1;
  if (xy) std::swap(size.extent[0], size.extent[1]);
  Argument::List out;
  for (int i = 0; i < size.rank; ++i)
    out.emplace_back(detail::grid_view(vectors[std::size_t(i)], size, xy && i < 2 ? 1 - i : i, detail::record_view));
  return out;
}

}  // namespace

void add_copies(Table& table) {
  table.add({
      {"cat(Tensor[] tensors, int dim=0) -> Tensor", joined},
      {"concat(Tensor[] tensors, int dim=0) -> Tensor", joined},
      {"stack(Tensor[] tensors, int dim=0) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_stack("stack", promoted_tensors(a), a.integer("dim"), record_move);
       }},
      {"hstack(Tensor[] tensors) -> Tensor", stacked<1>},
      {"vstack(Tensor[] tensors) -> Tensor", stacked<2>},
      {"meshgrid(Tensor[] tensors, *, str indexing='ij') -> Tensor[]", grid},
      {"flip(Tensor self, int[] dims) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_flip("flip", a.tensor("self"), a.integers("dims"), record_move);
       }},
      {"fliplr(Tensor self) -> Tensor", [](const Bound& a) { return flipped(a, 2, 1); }},
      {"flipud(Tensor self) -> Tensor", [](const Bound& a) { return flipped(a, 1, 0); }},
      {"roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", rolled},
      {"rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", turned},
      {"tile(Tensor self, int[] dims) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_repeat("tile", a.tensor("self"),
                                   detail::tiled(extents_of(a, "dims"), a.tensor("self").rank()), record_move);
       }},
      {"repeat(Tensor self, int[] repeats) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_repeat("repeat", a.tensor("self"), extents_of(a, "repeats"), record_move);
       }},
      {"repeat_interleave(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor\n"
       "repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor\n"
       "repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor",
       interleaved},
      {"tril(Tensor self, int diagonal=0) -> Tensor", triangle_of<detail::triangle::lower>},
      {"triu(Tensor self, int diagonal=0) -> Tensor", triangle_of<detail::triangle::upper>},
      {"diag(Tensor self, int diagonal=0) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_diag(a.tensor("self"), a.integer("diagonal"), record_move);
       }},
      {"diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
       [](const Bound& a) -> Argument {
         return detail::run_diag_embed("diag_embed", a.tensor("self"), a.integer("offset"), a.integer("dim1"),
                                       a.integer("dim2"), record_move);
       }},
  });
}

}  // namespace tt::registry
