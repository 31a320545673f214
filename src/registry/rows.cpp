// The registry itself: all families, collected once.
#include "table.hpp"

#include <algorithm>

namespace tt {

namespace registry {

void Table::add(std::string_view schemas, Argument (*run)(const Bound&)) {
  Row row;
  row.run = run;
  while (!schemas.empty()) {
    const auto end = std::min(schemas.find('\n'), schemas.size());
    row.overloads.push_back(parse_schema(schemas.substr(0, end)));
    schemas.remove_prefix(std::min(end + 1, schemas.size()));
  }
  row.name = row.overloads.at(0).name;
  for (const Schema& s : row.overloads)
    if (s.name != row.name && !s.name.starts_with(row.name + "."))
      fail({"tt: '", s.text, "' is no overload of ", row.name});
  rows_[row.name] = std::move(row);
}

std::string Table::elementwise_schemas(std::string_view op, int arity, bool condition) {
  const std::string name(op);
  if (arity == 1) return name + "(Tensor self) -> Tensor";
  const std::string head = condition ? "(Tensor condition, " : "(";
  std::string text = name + head + "Tensor self, Tensor other) -> Tensor";
  text += "\n" + name + (condition ? ".ScalarOther" : ".Scalar") + head + "Tensor self, Scalar other) -> Tensor";
  if (condition) {
    text += "\n" + name + ".ScalarSelf" + head + "Scalar self, Tensor other) -> Tensor";
    text += "\n" + name + ".Scalar" + head + "Scalar self, Scalar other) -> Tensor";
  }
  return text;
}

/// The overloads whose first operand is a tensor, with a _ behind the name.
void Table::add_in_place(const std::string& name) {
  std::string schemas;
  for (const Schema& s : rows_.at(name).overloads) {
    constexpr std::string_view self = "(Tensor self", result = " -> Tensor";
    const auto open = s.text.find('(');
    if (s.text.compare(open, self.size(), self) != 0) continue;
    std::string text = name + "_" + s.text.substr(name.size(), open - name.size()) + "(Tensor(a!) self" +
                       s.text.substr(open + self.size());
    text.replace(text.size() - result.size(), result.size(), " -> Tensor(a!)");
    if (!schemas.empty()) schemas += '\n';
    schemas += text;
  }
  add(schemas, in_place);
}

std::vector<Row> Table::take() {
  for (const std::string& name : in_place_) add_in_place(name);
  std::vector<Row> rows;
  for (auto& [name, row] : rows_) rows.push_back(std::move(row));
  return rows;
}

detail::AxisSet axes_of(const Bound& a, std::string_view name, int rank) {
  const Argument& given = a[name];
  const std::vector<index_t> axes =
      given.is<std::int64_t>() ? std::vector<index_t>{given.get<std::int64_t>()} : a.integers(name);
  if (axes.empty()) return detail::all_axes(rank);
  std::vector<int> narrow;
  for (index_t axis : axes) narrow.push_back(int(std::clamp<index_t>(axis, INT32_MIN, INT32_MAX)));
  return detail::axis_set(a.schema().name.c_str(), narrow.data(), int(narrow.size()), rank);
}

dims extents_of(const Bound& a, std::string_view name) {
  dims size;
  for (index_t extent : a.integers(name)) size.push_back(extent);
  return size;
}

void not_yet(std::string_view op, const std::string& what) {
  throw not_implemented("tt::" + std::string(op) + ": " + what + " is not implemented yet");
}

void check_placement(const Bound& a) {
  const auto refuse = [&](const std::string& what) { not_yet(a.schema().name, what); };
  if (a.given("device") && a.string("device") != "cpu") refuse("the device '" + a.string("device") + "'");
  if (a.given("layout") && a.string("layout") != "strided") refuse("the layout '" + a.string("layout") + "'");
  if (a.given("pin_memory") && a.boolean("pin_memory")) refuse("pinned memory");
  if (!a.given("memory_format")) return;
  const std::string& format = a.string("memory_format");
  if (format != "contiguous_format" && format != "preserve_format") refuse("the memory format '" + format + "'");
}

Argument placed(const Bound& a, const AnyTensor& made) {
  check_placement(a);
  const bool like = a.given("self") && a["self"].is<AnyTensor>();
  const AnyTensor there = like ? detail::in_memory(made, a.tensor("self").memory()) : made;
  if (a.given("requires_grad")) there.requires_grad_(a.boolean("requires_grad"));
  return there;
}

std::span<const Row> rows() {
  static const std::vector<Row> all = [] {
    Table table;
    add_arithmetic(table);
    add_comparison(table);
    add_functions(table);
    add_random(table);
    add_reductions(table);
    add_moments(table);
    add_scans(table);
    add_contractions(table);
    add_views(table);
    add_indexing(table);
    add_copies(table);
    add_creation(table);
    add_casts(table);
    add_softmax(table);
    add_losses(table);
    add_writing(table);
    return table.take();
  }();
  return all;
}

const Row* find(std::string_view name) {
  for (std::string_view wanted : {name, name.substr(0, std::min(name.rfind('.'), name.size()))}) {
    const auto all = rows();
    const auto at = std::lower_bound(all.begin(), all.end(), wanted,
                                     [](const Row& row, std::string_view n) { return row.name < n; });
    if (at != all.end() && at->name == wanted) return &*at;
  }
  return nullptr;
}

}  // namespace registry

Argument call(std::string_view name, const std::vector<Argument>& positional, const std::vector<NamedArgument>& named) {
  const registry::Row* row = registry::find(name);
  if (!row) throw not_implemented("tt: there is no operation named '" + std::string(name) + "' yet");
  return (*row)(positional, named);
}

}  // namespace tt
